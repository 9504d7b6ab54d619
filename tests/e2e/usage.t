#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What cannot be meant is refused with one line of reason and status 2, before anything is stored.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

ab=("$CONTEND" ab)
null=("$CONTEND" ab null)

refused 2 'which command\?' 'no command' "$CONTEND"
refused 2 "no command 'lst'; did you mean 'list'" 'unknown command' "$CONTEND" lst
refused 2 "no command 'frobnicate'" 'unknown command without a near one' "$CONTEND" frobnicate
refused 2 "no option '--verison'; did you mean '--version'" 'unknown option' "$CONTEND" --verison
refused 2 "no option '-x'" 'unknown letter' "$CONTEND" -x

# ---- words ----

refused 2 'which workload\? As in: contend ab ' 'no workload' "${ab[@]}"
refused 2 "no workload 'nul'; did you mean 'null'" 'unknown workload' "${ab[@]}" nul
refused 2 "no parameter 'windw'; did you mean 'window'" 'unknown parameter' "${null[@]}" windw=1s
refused 2 "window=20: .*duration" 'no unit' "${null[@]}" window=20
refused 2 "window=20x: .*duration" 'unknown unit' "${null[@]}" window=20x
refused 2 "tasks=08: " 'leading zero' "${null[@]}" tasks=08
refused 2 "tasks=0: " 'out of range' "${null[@]}" tasks=0
refused 2 "tasks=-1: " 'negative' "${null[@]}" tasks=-1
refused 2 "window=9999h: " 'too long' "${null[@]}" window=9999h
refused 2 "mode=fork: must be " 'unknown word' "${null[@]}" mode=fork
refused 2 "record=maybe: must be " 'neither yes nor no' "${null[@]}" record=maybe
refused 2 'delay=5: ' 'percentage without its sign' "${null[@]}" delay=5
refused 2 'seed=9007199254740993: must be 0 to 9007199254740992' 'one more than the limit' \
	"${null[@]}" seed=9007199254740993
refused 2 'raw=5 needs record=yes' 'what only makes sense together' "${null[@]}" raw=5 record=no
refused 2 '--b: raw=5 needs record=yes' 'the same in one arm' "${null[@]}" raw=5 --b record=no
refused 2 'raw=5 needs record=yes' 'the same of one run' "$CONTEND" run null raw=5 record=no
refused 2 'tasks is given twice' 'duplicate key' "${null[@]}" tasks=1 tasks=2
refused 2 'delay is given twice for --a' 'duplicate key of an arm' \
	"${null[@]}" --a delay=1%,delay=2%
refused 2 'delay for all arms and delay for --b' 'duplicate key in both places' \
	"${null[@]}" delay=1% --b delay=2%
refused 2 'workload null is named twice' 'duplicate workload' "${ab[@]}" null null
refused 2 "'brk1.tasks': workload brk1 does not take part" 'another workload addressed' \
	"${null[@]}" brk1.tasks=2
refused 2 "'a b' is neither a workload nor name=value" 'no name' "${ab[@]}" 'a b'
refused 2 "--b: no parameter 'dely'; did you mean 'delay'" 'unknown parameter of an arm' \
	"${null[@]}" --b dely=1%
refused 2 '' 'a line break in a word' "${null[@]}" $'window=1\n2'

refused 2 "'x.xC2.x9By.x0A.x1Bz' is neither" 'what is typed does nothing to a terminal' \
	"${ab[@]}" $'x\xc2\x9by\n\x1bz'

# ---- arms ----

refused 2 "--a '?window'?: must begin with name=" '--a without =' "${null[@]}" --a window
refused 2 "--a needs a value" '--a that swallows --b' "${null[@]}" --a --b delay=1%
refused 2 "--b needs a value" '--b at the end' "${null[@]}" --b

# ---- options: exact names, each with its value ----

refused 2 "no option '--al'" 'abbreviation' "${null[@]}" --al 0.1
refused 2 "no option '--pair'; did you mean '--pairs'" 'mistyped option' "${null[@]}" --pair 6
refused 2 "no option '--a'" 'an option of another command' "$CONTEND" run null --a delay=1%
refused 2 "no option '--pairs'" 'an option of another command, too' "$CONTEND" show --pairs 3
refused 2 '--quiet takes no value' 'a value that is not wanted' "${null[@]}" --quiet=yes
refused 2 "--primary: '.operations' is not the name of a metric" 'a metric of no workload' \
	"${null[@]}" --primary .operations
refused 2 '--quiet takes no value' 'a letter with a value that is not wanted' "${null[@]}" -q=yes
refused 2 "-f takes its value without '='" 'a letter with =' "${ab[@]}" -f=FILE
refused 2 '--pairs needs a value: --pairs N' 'no value' "${null[@]}" --pairs
refused 2 "--pairs: 'six' is not a whole number" 'no number' "${null[@]}" --pairs six
refused 2 '--pairs: must be 1 to 1000000, not 0' 'no pairs' "${null[@]}" --pairs 0
refused 2 "--budget: '10' is not a duration" 'a time without unit' "${null[@]}" --budget 10
refused 2 '--budget: must be above 0, not 0' 'no time' "${null[@]}" --budget 0
refused 2 '--budget: excludes --pairs: either says when to end' 'two plans' \
	"${null[@]}" --pairs 6 --budget 1m
refused 2 "--margin: '2' is not a percentage" 'a margin without its sign' "${null[@]}" --margin 2
refused 2 '--alpha: must be 0.000001 to 0.5, not 0' 'no alpha' "${null[@]}" --alpha 0
refused 2 '--alpha: must be 0.000001 to 0.5, not 0.6' 'too much alpha' "${null[@]}" --alpha 0.6
refused 2 '--seed: must be 0 to 9223372036854775807, not -1$' 'no seed' "${null[@]}" --seed -1
refused 2 "no format 'jsn'; did you mean 'json'" 'unknown format' "${null[@]}" --format jsn
refused 2 "--primary: no metric 'nothing_like_it'" 'unknown metric' "${null[@]}" --primary nothing_like_it
refused 2 'null executes no command' 'a command where none is taken' "${null[@]}" -- true
refused 2 "experiment: 'x'" 'no number of an experiment' "$CONTEND" show x
refused 2 'one experiment at a time' 'two experiments' "$CONTEND" show 1 2
refused 2 '--store: no file' 'an empty name' "${null[@]}" --store=
refused 2 '--file: no file' 'an empty name of an experiment file' "${null[@]}" -f ''

# ---- nothing overrides anything ----

for option in pairs=6 budget=1m margin=1% alpha=0.1 seed=3 format=json store=s file=f resume=1; do
	refused 2 "--${option%=*} is given twice$" "--${option%=*} twice" \
		"${null[@]}" "--$option" "--$option"
done
refused 2 '--file is given twice$' '-f and --file' "${ab[@]}" -f one --file=two
refused 2 '--runs is given twice$' '--runs twice' "$CONTEND" run null --runs 2 --runs 3
refused 2 '--primary: operations is given twice$' 'a primary twice' \
	"${null[@]}" --primary operations --primary operations
refused 2 '--primary: operations and brk1.cpu both give the primary metric of brk1$' \
	'two primaries for a workload' "${ab[@]}" null brk1 --primary operations --primary brk1.cpu
refused 2 '--file: with --resume only --max-pairs, --pairs or --budget can be said' '--resume with -f' \
	"${ab[@]}" --resume 1 -f one

POSIXLY_CORRECT=1 refused 2 "--pairs: 'x'" 'options behind words, whatever the environment says' \
	"${null[@]}" --pairs x

[ ! -e "$CONTEND_STORE" ]
ok 'nothing of this made a store' [ $? = 0 ]

run "$CONTEND" --version
is "$status" 0 '--version: status'
like "$out" '^contend [0-9]+\.[0-9]+\.[0-9]+$' '--version'
run "$CONTEND" ab null --help --pairs 3
is "$status" 0 '--help beside other words'
like "$out" '^Usage: contend ab ' '--help beside other words: the help'

done_testing
