#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Experiment files: `contend ab -f`, and `--format yaml`, which writes them.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

# Figures and time are no matter here.
export CONTEND_AGENT=$TOP/tests/e2e/fake_agent

# asked ID: what an experiment was, without its number and the time.
asked() {
	"$CONTEND" show "$1" --format json | perl -MJSON::PP -e '
		local $/;
		my $report = decode_json(<STDIN>);
		my $e = $report->{experiment};
		delete @$e{qw(id created_ns)};
		print JSON::PP->new->canonical->encode([$e,
			map { [@$_{qw(workload params primary)}] } @{$report->{subjects}}]);
	'
}

cat >made.yaml <<'END'
# What is asked
contend: 1
workloads: [made]
both: {window: 2s}
a: {cost: 2000}
b:
  cost: "1000"
  at: 1,2
pairs: 6
margin: 1%
seed: 4021
END

run "$CONTEND" ab -f made.yaml
is "$status" 0 'a file: status'
is "$err" '' 'a file: nothing on standard error'
like "$out" '6 pairs in random order, 12 runs.* seed 4021' 'a file: its pairs and seed'
like "$out" 'contend ab made window=2s --a cost=2000 --b cost=1000,at=1,2 --pairs 6 .?' \
	'a file: the command that repeats it'
one=$(last id)
like "$(asked "$one")" '"b":"cost=1000,at=1,2"' 'a file: the label of B'

# ---- with a command line ----

run "$CONTEND" ab -f made.yaml --format json
same=$(asked "$(last id)")
is "$same" "$(asked "$one")" 'the same file: the same experiment'
run "$CONTEND" ab --file=made.yaml
is "$(asked "$(last id)")" "$same" '--file='
run "$CONTEND" ab -fmade.yaml
is "$(asked "$(last id)")" "$same" '-fFILE'
"$CONTEND" ab -f - <made.yaml >/dev/null
is "$(asked "$(last id)")" "$same" 'standard input'
"$CONTEND" ab made window=2s --a cost=2000 --b cost=1000,at=1,2 --pairs 6 --margin 1% --seed 4021 \
	>/dev/null
is "$(asked "$(last id)")" "$same" 'the words: the same experiment'
command=$("$CONTEND" show "$one" --format json | perl -MJSON::PP -e \
	'local $/; print decode_json(<STDIN>)->{experiment}{command}')
sh -c "\"$CONTEND\" ${command#contend }" >/dev/null
is "$(asked "$(last id)")" "$same" 'the command of the report: the same experiment'

run "$CONTEND" ab other noise=3 -f made.yaml --pairs 2 --margin 3% --format json
is "$(json experiment.pairs) $(json experiment.margin)" '2 0.03' 'options stand in place of the file'
is "$(json subjects.0.workload) $(json subjects.1.workload)" 'other made' 'another workload beside'
is "$(json subjects.1.params.a.noise)" 3 'another parameter beside'
run "$CONTEND" ab -f made.yaml --budget 1h --format json
is "$(json experiment.plan) $(json experiment.pairs)" 'budget null' \
	'an end stands in place of the end, of whichever kind'
printf 'contend: 1\nworkloads: [made]\nbudget: 1h\n' >ends.yaml
run "$CONTEND" ab -f ends.yaml --until-decided --b cost=1300 --format json
is "$(json experiment.plan) $(json experiment.planned_pairs)" 'budget null' \
	'a budget in the file, until decided beside it'
like "$(json experiment.command)" '--budget 1h .*--until-decided' 'a budget and until decided: both hold'
printf 'contend: 1\nworkloads: [made]\nuntil-decided: yes\n' >ends.yaml
run "$CONTEND" ab -f ends.yaml --budget 1h --b cost=1300 --format json
like "$(json experiment.command)" '--budget 1h .*--until-decided' 'the reverse'

# ---- refused ----

refused 2 'made.yaml:4:8: window is given twice for all arms: the other is on the command line$' \
	'a parameter in both' "$CONTEND" ab -f made.yaml window=2s
refused 2 'made.yaml:5:5: cost for --b and cost for a|cost for all' 'an arm and both' \
	"$CONTEND" ab -f made.yaml cost=3
refused 2 'made.yaml:3:13: workload made is named twice$' 'a workload in both' \
	"$CONTEND" ab made -f made.yaml
refused 2 '--file is given twice$' 'two files' "$CONTEND" ab -f made.yaml -f made.yaml
refused 2 'experiment file: open none.yaml: No such file or directory$' 'no file' \
	"$CONTEND" ab -f none.yaml
refused 2 'experiment file: read \.: Is a directory$' 'a folder' "$CONTEND" ab -f .

# refused_file PATTERN TITLE LINE...: a file of these lines behind the version.
refused_file() {
	local pattern=$1 title=$2
	shift 2
	printf '%s\n' 'contend: 1' "$@" >wrong.yaml
	refused 2 "$pattern" "$title" "$CONTEND" ab -f wrong.yaml
}
runs=$(runs_stored "$CONTEND_STORE")
refused_file "wrong.yaml:2:1: no key 'workload'; did you mean 'workloads'" 'a key' 'workload: made'
refused_file "wrong.yaml:2:13: no workload 'mad'; did you mean 'made'" 'a workload' 'workloads: [mad]'
refused_file "wrong.yaml:3:5: b: no parameter 'csot'; did you mean 'cost'" 'a parameter' \
	'workloads: made' 'b: {csot: 3}'
refused_file "wrong.yaml:4:9: cost=0: must be 1 to 1000000" 'a value' \
	'workloads: made' 'both:' '  cost: 0'
refused_file 'wrong.yaml:3:1: pairs is there twice: first in line 2' 'a key twice' 'pairs: 3' 'pairs: 3'
refused_file "wrong.yaml:3:10: primary: no metric 'costs'; did you mean 'cost'" 'a metric' \
	'workloads: made' 'primary: costs'
refused_file "wrong.yaml:2:12: not YAML: the \[ is not closed before the file ends$" 'no YAML' 'workloads: [made'
refused_file "wrong.yaml:2:13: 'made pairs' .*the \] of the list missing" 'a list that is not closed' \
	'workloads: [made' 'pairs: 6'
refused_file 'wrong.yaml:2:12: workloads: the list is empty' 'an empty list' 'workloads: []'
refused_file 'wrong.yaml: names no workload, nor does the command line' 'no workload' 'pairs: 3'
is "$(runs_stored "$CONTEND_STORE")" "$runs" 'nothing of this is stored'

# ---- written ----

run "$CONTEND" ab made other --primary other.work --primary made.work --pairs 1 --format json
is "$(json subjects.0.primary) $(json subjects.1.primary)" 'work work' 'a primary for each of two'
like "$(json experiment.command)" ' --primary work ' 'said once where it can be'

# round_trip ID: what the file of an experiment makes is the same.
round_trip() {
	run "$CONTEND" show "$1" --format yaml
	is "$status$err" 0 "experiment $1: a file is written"
	printf '%s\n' "$out" >"again-$1.yaml"
	"$CONTEND" ab -f "again-$1.yaml" -q >/dev/null
	is "$(asked "$(last id)")" "$(asked "$1")" "experiment $1: its file makes the same"
}
for ((id = 1; id <= $(last id) && id <= 9; id++)); do
	round_trip "$id"
done
values=(' x' 'a,b=c' 'a\,b=c' "it's" '"' 'x: y' '#' ' #x' '~' yes 1e3 $'a\\' $'two\nlines' 'µ' '- a'
	'[' '')
for value in "${values[@]}"; do
	"$CONTEND" ab made "at=$value" --b noise=1 --pairs 1 >/dev/null
	round_trip "$(last id)"
	"$CONTEND" ab made other --b "other.at=${value//,/\\,}" --budget 1ms --strict --primary work \
		--alpha 0.01 >/dev/null
	round_trip "$(last id)"
done

run "$CONTEND" ab made --pairs 1 --format yaml --seed 7
is "$out" "$("$CONTEND" show "$(last id)" --format yaml)" 'ab --format yaml is what show writes'
like "$out" $'^# Experiment [0-9]+; .contend ab -f FILE. repeats it.\ncontend: 1\nworkloads: \\[made\\]\n' \
	'how a file begins'
refused 2 '--format yaml is for .contend ab. and .contend show.$' 'run has no file' "$CONTEND" run made --format yaml
"$CONTEND" run made >/dev/null
refused 2 'write the experiment file: a file is about two arms' 'nor has a run that is shown' \
	"$CONTEND" show "$(last id)" --format yaml
refused 2 '--format yaml: of which experiment\?$' 'nor has the list' "$CONTEND" show --format yaml

done_testing
