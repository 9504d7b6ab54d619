#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs as a workload: what is measured of them, what their output tells, how the question is
# repeated, and what becomes of programs that cannot be executed or do not behave.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"
# shellcheck source=machine.sh
. "$TOP/tests/e2e/machine.sh"

# command [KEY=VALUE...] -- PROGRAM ARGUMENT...: a run, its report as JSON in out.
command_run() {
	local words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	mark=$$-$RANDOM-$RANDOM
	CONTEND_TEST_MARK=$mark run "$CONTEND" run command "${words[@]}" --format json "$@"
}

# record FIELD: of the newest run that is stored.
record() {
	sqlite3 "$CONTEND_STORE" "SELECT json_extract(record, '\$.$1') FROM run ORDER BY id DESC LIMIT 1"
}

# ends OUTCOME REASON TITLE: what the last run came to; nothing of it is left.
ends() {
	is "$(record outcome)" "$1" "$3: $1"
	like "$(record reason)" "$2" "$3: the reason"
	ok "$3: no process is left" eventually are_gone
}

# ---- what is measured ----

command_run -- sh -c 'exec perl -e "1 while times < 0.2"'
is "$status: $err" '0: ' 'a program: it runs'
is "$(json subjects.0.primary)" real 'a program: its primary metric'
is "$(record 'tasks[0].counters.operations')" 1 'a program: it is executed once'
ok 'a program: its CPU time is user time' [ "$(record 'tasks[0].counters.user_ns')" -gt 100000000 ]
ok 'a program: and within its real time' \
	[ "$(($(record 'tasks[0].counters.user_ns') + $(record 'tasks[0].counters.system_ns')))" -le \
	"$(($(record 'tasks[0].counters.real_ns') + 20000000))" ]
is "$(record 'tasks[0].window_ns')" "$(record 'tasks[0].counters.real_ns')" 'a program: its window is its time'
ok 'a program: no process is left' eventually are_gone

command_run -- perl -e '$x = "x" x (64 << 20)'
ok 'memory: its maximum' [ "$(record 'tasks[0].counters.max_rss_bytes')" -gt $((64 << 20)) ]
ok 'memory: its faults' [ "$(record 'tasks[0].counters.minor_faults')" -gt 100 ]
# What a child of it needs is its own, too, where it waits for the child.
command_run -- sh -c 'perl -e "\$x = q(x) x (64 << 20)"; :'
ok 'memory of a child' [ "$(record 'tasks[0].counters.max_rss_bytes')" -gt $((64 << 20)) ]
command_run -- true
ok 'memory: none of another run' [ "$(record 'tasks[0].counters.max_rss_bytes')" -lt $((32 << 20)) ]

# ---- how it is executed ----

# said [KEY=VALUE...] -- PROGRAM...: what it printed on its standard output, as the record has it.
said() {
	command_run "$@"
	record 'outputs[0].text'
}
mkdir -p place
# shellcheck disable=SC2016
is "$(said -- printf '%s|' 'a b' '' '*' '$HOME' "it's" 'ü')" "a b||*|\$HOME|it's|ü|" 'arguments: no shell reads them'
is "$(said -- echo '{{x}' '}')" '{x} }' 'arguments: braces'
is "$(said x=7 'y=a b' -- echo '{x}{y}' '{x}')" '7a b 7' 'arguments: what keys stand for'
is "$(said timeout=1m -- echo '{timeout}')" 1m 'arguments: a parameter by its own name'
is "$(said -- cat)" '' 'its input is empty'
is "$(said -- readlink /proc/self/fd/0)" /dev/null 'its input is /dev/null'
is "$(said cwd=place -- pwd)" "$(realpath place)" 'cwd=: where it begins'
# The last one is where ls reads them.
is "$(said -- ls /proc/self/fd | xargs)" '0 1 2 3' 'it has three descriptors'
# But for two that are the C library's own (32, 33): nobody can set them by it.
is "$(said -- sh -c 'grep -E "^(SigBlk|SigIgn)" /proc/$$/status | cut -f 2 | tr "\n" " "' |
	perl -pe 's/(\w+)/sprintf "%x", hex($1) & ~0x180000000/ge')" '0 0 ' 'no signal is blocked or ignored'
# shellcheck disable=SC2016
is "$(said -- sh -c '[ "$(cut -d" " -f 5 /proc/$$/stat)" = $$ ] && echo own')" own 'it has a process group of its own'
is "$(X=1 said -- sh -c 'echo "$X"')" 1 'it has the environment'

# Made anew by a program that runs before.
printf '#!/bin/sh\ncp -r place made && echo reset\n' >reset
chmod +x reset
rm -rf made
is "$(said reset=./reset -- sh -c 'rm -r made && echo gone')" gone 'reset=: it comes before'
is "$(record 'outputs[2]')" '' 'reset=: its output is not the program'\''s'
until_ok run "$CONTEND" run command reset=./reset --runs 3 --format json -- rmdir made
is "$status: $(json runs.2.outcome)" '0: ok' 'reset=: before each run'
command_run reset=false -- true
ends failed '^reset=: false: exit status 1$' 'a reset that fails'

# ---- figures from the output ----

metrics=('metric=rate:rate ([0-9.]+):1/s:higher' 'metric=lag:^lag: ([0-9.e+]+) ms:ms:lower')
command_run "${metrics[@]}" -- printf 'rate 1\nrate 2.5\nlag: 1e+1 ms\n'
is "$status: $err" '0: ' 'metric=: it runs'
like "$out" '"metric": "rate"[^}]*"value": 2\.5' 'metric=: the last line counts'
like "$out" '"metric": "lag"[^}]*"value": 10000000\.0' 'metric=: times are kept in ns'
run "$CONTEND" show --format json "$(last id)"
like "$out" '"metric": "lag"[^}]*"value": 10000000\.0' 'metric=: it is read again from the store'
command_run "${metrics[@]}" -- sh -c 'echo rate 4 >&2; echo lag: 1 ms'
like "$out" '"metric": "rate"[^}]*"value": 4\.0' 'metric=: on standard error'
run "$CONTEND" run command 'metric=rate:([0-9]+):pages:higher' -- echo 42
like "$out" $'\nrate +42 pages' 'metric=: in the report'
command_run 'metric=a:no ([0-9]+):u:higher' -- printf 'one\ntwo\nthree\nfour\n'
is "$status:$(json runs.0.outcome)" 4:invalid 'metric=: what never matches is invalid'
is "$(json runs.0.reason)" 'no line of the output matches no ([0-9]+), for a; it ends with: two | three | four' \
	'metric=: with the last lines'
command_run 'metric=a:= (.*):u:higher' -- echo a = fast
is "$(json runs.0.reason)" "= (.*) matches 'fast', which is no number" 'metric=: what is no number'

# ---- two programs ----

# repeat COMMAND: as a shell reads it.
repeat() {
	local line=${1/contend/\"\$CONTEND\"}
	run bash -c "${line/ -- / --format json -- }"
}

until_ok run "$CONTEND" ab command metric='n:([0-9]+):u:higher' --a n=1,p=echo --b n=2,p=echo \
	--primary n --pairs 6 --format json -- '{p}' '{n}'
is "$status: $err" '0: ' 'ab: it runs'
is "$(json status.code)" 0 'ab: twice as high is better'
is "$(json experiment.command)" \
	"contend ab command 'metric=n:([0-9]+):u:higher' --a n=1,p=echo --b n=2,p=echo --pairs 6 --primary n --seed $(json experiment.seed) -- '{p}' '{n}'" \
	'ab: the command that repeats it'
first=$(last id)
"$CONTEND" show "$first" --format yaml >again.yaml
like "$(cat again.yaml)" $'\ncommand: \[".?p.?", ".?n.?"\]\n' 'ab: the file has the command'
again=$(json experiment.command)
until_ok run "$CONTEND" ab -f again.yaml --format json
is "$(json experiment.command)" "$again" 'ab: from the file it is the same question'
repeat "$again"
is "$(json experiment.command)" "$again" 'ab: and from its command'
run "$CONTEND" ab -f again.yaml -- ls
is "$status" 2 'a second command: status'
like "$err" '^contend: again\.yaml:[0-9]+:[0-9]+: the command is given twice: the other is on the command line' \
	'a second command'
until_ok run "$CONTEND" run command --runs 3 --format json -- sh -c "echo 'it''s' \"\$0\"" 'a "b"'
again=$(json experiment.command)
repeat "$again"
is "$(json experiment.command)" "$again" 'run: its command, with all quotes'
run "$CONTEND" plan command --pairs 6 -- true
is "$status" 0 'plan: of a command'
like "$out" $'\n  argv=\["true"\]' 'plan: which'

# ---- what cannot be meant ----

refused 2 "behind '--' there is no command" 'no word' "$CONTEND" run command --
refused 2 'the command is empty: it names no program' 'an empty word' "$CONTEND" run command -- ''
refused 2 'command: which command\? It stands behind --' 'no command' "$CONTEND" run command
refused 2 'argv= is given behind --' 'argv=' "$CONTEND" run command argv=ls -- ls
refused 2 'brk1 executes no command' 'another workload' "$CONTEND" run brk1 -- ls
refused 2 "'--' begins a command to be measured, and nothing here takes one" 'show' "$CONTEND" show -- ls
refused 2 'word 2 of the command is not UTF-8' 'bytes' "$CONTEND" run command -- ls $'\xff'
refused 2 'command: x= must be given' 'a key without a value' "$CONTEND" run command -- ls '{x}'
refused 2 'command: --b: x= must be given' 'a key that one arm lacks' "$CONTEND" ab command --a x=1 -- ls '{x}'
refused 2 "no parameter, nor \{key\} of the command, 'x'" 'a key that is not used' "$CONTEND" run command x=1 -- ls
refused 2 "'\{print \\\$1\}' in the command is no \{key\}: a brace that is meant is written \{\{" 'a brace' \
	"$CONTEND" run command -- awk '{print $1}'
refused 2 'metric: there is a metric real already' 'a metric of the workload' \
	"$CONTEND" run command 'metric=real:(x):u:lower' -- ls
refused 2 'metric: there is a metric a already' 'a metric twice' \
	"$CONTEND" run command 'metric=a:(x):u:lower' 'metric=a:(y):u:lower' -- ls
refused 2 'metric: the regular expression of a: character 2, .\(\[.: ' 'an expression that is none' \
	"$CONTEND" run command 'metric=a:x([:u:lower' -- ls
refused 2 "metric: the regular expression of a: 'x' has 0 groups" 'an expression without a group' \
	"$CONTEND" run command 'metric=a:x:u:lower' -- ls
refused 2 'metric holds for all arms' 'a metric of an arm' \
	"$CONTEND" ab command --a 'metric=a:(x):u:lower' -- ls
refused 2 'timeout=0' 'timeout=0' "$CONTEND" run command timeout=0 -- ls

# ---- what cannot be executed ----

touch plain
printf '#!/nowhere/sh\n' >orphan
printf 'nonsense' >nonsense
chmod +x orphan nonsense
unsupported() {
	command_run -- "$1"
	is "$status" 4 "$1: status"
	ends unsupported "$2" "$1"
}
unsupported no_such_program '^program no_such_program: not found in PATH$'
unsupported ./no_such_program '^program \./no_such_program: No such file or directory$'
unsupported ./plain '^program \./plain: is not executable$'
unsupported ./place '^program \./place: is a folder$'
unsupported ./plain/x '^program \./plain/x: Not a directory$'
command_run -- ./orphan
ends failed '^program \./orphan: execute it: No such file or directory' 'no interpreter'
command_run -- ./nonsense
ends failed '^program \./nonsense: execute it: Exec format error' 'a file that is no program'
command_run cwd=nowhere -- true
ends failed 'go to its folder: No such file or directory' 'no folder'
command_run reset=no_such_program -- true
ends unsupported '^reset=: program no_such_program: not found in PATH$' 'no reset'

# ---- what does not behave ----

command_run -- sh -c 'echo this; echo that >&2; exit 3'
is "$status" 4 'exit 3: status'
ends failed '^sh: exit status 3; its last lines: that$' 'exit 3'
command_run -- sh -c 'for i in 1 2 3 4 5 6; do echo $i; done; kill -SEGV $$'
ends failed '^sh: killed by SIGSEGV.*; its last lines: 3 \| 4 \| 5 \| 6$' 'SIGSEGV'
command_run timeout=200ms -- sh -c 'trap "" TERM INT HUP; echo here; while :; do sleep 1; done'
ends timeout '^sh had not ended after timeout=200ms; its last lines: here$' 'one that ignores signals'
command_run timeout=200ms -- sh -c 'setsid sh -c "trap \"\" TERM; sleep 1000" & sleep 1000'
ends timeout '^sh had not ended after timeout=200ms$' 'one with a session beside it'
command_run -- sh -c 'setsid sleep 1000 >/dev/null 2>&1 & setsid sleep 1000 & exit 0'
is "$status" 0 'one that leaves others: it is ok'
ok 'one that leaves others: no process is left' eventually are_gone
is "$(record 'notes[0]')" 'program: it left 2 processes behind, which were ended' 'one that leaves others: it is said'
command_run 'metric=n:^n=([0-9]+)$:u:higher' -- sh -c 'head -c 100000000 /dev/zero; echo; echo n=5'
is "$status:$(record 'outputs[0].bytes')" 0:100000005 '100 MB of output: all of it is taken'
like "$out" '"metric": "n"[^}]*"value": 5\.0' '100 MB of output: its end is read'
ok '100 MB of output: not all of it is kept' [ "$(record 'outputs[0].text' | wc -c)" -lt 3000000 ]
like "$(record 'outputs[0].text')" 'bytes are left out here' '100 MB of output: it is said'
command_run -- sh -c 'head -c 300000 /dev/urandom; head -c 300000 /dev/urandom >&2'
is "$status: $(record 'outputs[0].bytes') $(record 'outputs[1].bytes')" '0: 300000 300000' 'binary output'
command_run -- sh -c 'printf "a\0b\033[1m\377\n"; exit 1'
ends failed '^sh: exit status 1; its last lines: a\?b\?\[1m\?$' 'binary last words'
command_run -- sh -c 'exec >&- 2>&-; sleep 0.1'
is "$status" 0 'one that closes its outputs'
command_run timeout=200ms -- sh -c 'kill -STOP $$'
ends timeout '^sh had not ended after timeout=200ms$' 'one that is stopped'

# ---- who dies with whom ----

is_running() {
	processes | while read -r pid; do
		[ "$(comm_of "$pid")" = "$1" ] && echo yes
	done | grep -q yes
}
for kind in INT KILL; do
	for who in contend contend-agent contend-courier; do
		[ "$kind:$who" != INT:contend-agent ] && [ "$kind:$who" != INT:contend-courier ] || continue
		start "$CONTEND" run command -- sh -c 'setsid sleep 1000 & trap "" TERM INT; sleep 1000 & wait; wait'
		eventually is_running sleep
		for pid in $(processes); do
			[ "$(comm_of "$pid")" != "$who" ] || kill -"$kind" "$pid"
		done
		wait "$job" 2>/dev/null
		ok "$kind to $who: nothing of the program is left" eventually are_gone
	done
done

# ---- in a setup ----

alone command_run memcg=32M memcg.swap=0 -- true
if [ "$status" = 0 ]; then
	alone command_run memcg=32M memcg.swap=0 -- perl -e '$x = "x" x (256 << 20)'
	ends failed "^perl: killed by SIGKILL: out of memory, the kernel's OOM killer killed 1 in this memory cgroup" \
		'too much for its cgroup'
	alone command_run memcg=32M memcg.swap=0 -- sh -c 'perl -e "\$x = q(x) x (256 << 20)"; exit 0'
	ends invalid "^the program ended with status 0, but the kernel's OOM killer killed 1 in its memory cgroup" \
		'a child that was too much'
	alone command_run memcg=32M -- grep -c contend /proc/self/cgroup
	is "$(record 'outputs[0].text')" 1 'it is in the control group' || note "$out$err"
	as_it_was 'the machine is as it was'
else
	skip 'in a memory cgroup' "$(json runs.0.reason)"
fi

done_testing
