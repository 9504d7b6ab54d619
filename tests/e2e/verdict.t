#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which verdict and exit status an experiment ends with, on figures that are known.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

export CONTEND_AGENT=$TOP/tests/e2e/fake_agent
ab=("$CONTEND" ab made)

# ab_is STATUS PATTERN TITLE WORD...
ab_is() {
	local wanted=$1 pattern=$2 title=$3
	shift 3
	run "$CONTEND" ab "$@"
	is "$status" "$wanted" "$title: status $wanted"
	is "$err" '' "$title: nothing on standard error"
	like "$out" "$pattern" "$title: the report"
	is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 \
		"$title: 78 columns at most"
}

# last_runs: how many runs the newest experiment has.
last_runs() {
	"$CONTEND" show --format json |
		perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->[-1]{runs}'
}

# ---- planned pairs ----

ab_is 1 'regressed \*' 'worse' made noise=10 --b cost=1100 --pairs 8
ab_is 0 'improved \*' 'better' made noise=10 --b cost=900 --pairs 8
ab_is 0 'cleared(, worse)? \*' 'within the margin' made noise=4 --b cost=1010 --pairs 8
ab_is 1 'cleared|regressed' 'within the margin, strictly' made noise=4 --b cost=1010 --pairs 8 --strict
ab_is 1 'regressed \*' 'beyond a smaller margin' made noise=4 --b cost=1010 --pairs 8 --margin 0.5%
ab_is 3 'undecided' 'too much noise' made noise=900 --b cost=1010 --pairs 8
ab_is 0 'A/A' 'alike' made noise=4 --pairs 8
ab_is 3 'under 6 pairs' 'too few pairs' made noise=10 --b cost=1100 --pairs 5
ab_is 0 'improved \*' 'another primary metric' made noise=10 --b cost=900 --pairs 8 --primary work
ab_is 1 'regressed \*' 'another primary metric, worse' \
	made noise=10 --b cost=1100 --pairs 8 --primary work

# ---- until decided ----

ab_is 1 'regressed \*' 'worse, until decided' made noise=10 --b cost=1100
[ "$(last_runs)" -lt 80 ]
ok 'worse, until decided: before the planned end' [ $? = 0 ]
ab_is 3 'undecided' 'hardly to be decided' made noise=900 --margin 0%
[ "$(last_runs)" -lt 80 ]
ok 'hardly to be decided: before the planned end' [ $? = 0 ]
ab_is 3 'undecided' 'never decided' made noise=900 --margin 0% --until-decided --budget 1s
ab_is 1 'regressed \*' 'worse, within a budget' made noise=10 --b cost=1100 --budget 1h

# ---- what fails ----

ab_is 1 'B crashes|crashe' 'B crashes' made --b does=crash --pairs 20
is "$(last_runs)" 6 'B crashes: three times were enough'
ab_is 4 'SIGSEGV' 'A crashes' made --a does=crash --pairs 20
is "$(last_runs)" 6 'A crashes: three times were enough'
ab_is 4 'SIGSEGV' 'both crash' made does=crash --pairs 20
ab_is 4 'as asked' 'B is invalid' made --b does=invalid --pairs 20
ab_is 4 'unsupported' 'B is unsupported' made --b does=unsupported --pairs 20
ab_is 4 'line|agent' 'B talks nonsense' made --b does=garbage --pairs 20
ab_is 4 'agent|answer|line' "B's answers are cut" made --b does=cut --pairs 20
ab_is 4 'agent|answer|line' 'B says nothing' made --b does=nothing --pairs 20
ab_is 4 'it does not want to' 'B refuses' made --b does=refuse --pairs 20
ab_is 1 'crashe' 'B crashes, until decided' made --b does=crash

ab_is 1 'regressed \*' 'some runs fail' \
	made noise=10 --a does=invalid,at=2+3 --b cost=1100,does=crash,at=5 --pairs 12
is "$(last_runs)" 24 'some runs fail: the others go on'
like "$out" '3 of 12 pairs dropped' 'some runs fail: their pairs are dropped, and it is said'

# ---- several workloads ----

ab_is 1 'regressed' 'one of two is worse' made other noise=10 --b other.cost=1100 --pairs 8
like "$out" $'\nmade: ' 'one of two is worse: both are there'
like "$out" $'\nother: ' 'one of two is worse: each with its own lines'
ab_is 0 'improved' 'both better' made other noise=10 --b cost=900 --pairs 8
ab_is 3 'undecided' 'one undecided' made other --b cost=900 other.noise=900 --pairs 8
ab_is 4 'SIGSEGV' 'one crashes in A' made other noise=10 --a other.does=crash --pairs 8
like "$out" '^2 workloads: 1 (undecided|cleared), 1 not possible' \
	'one crashes in A: the first line says so'
is "$(last_runs)" 22 'one crashes in A: the other goes on without it'
ab_is 1 'B CRASHES' 'one crashes in B' made other noise=10 --b cost=900,other.does=crash --pairs 8
like "$out" '^2 workloads: 1 B crashes, 1 improved' 'one crashes in B: the first line'
ab_is 4 'NOT POSSIBLE' 'all are impossible' made other does=failed --pairs 8
is "$(last_runs)" 12 'all are impossible: three times each were enough'
ab_is 4 'NOT POSSIBLE' 'one is impossible, until decided' \
	made other noise=10 --b made.cost=900 --a other.does=invalid
is "$("$CONTEND" show --format json | perl -MJSON::PP -e \
	'local $/; print decode_json(<STDIN>)->[-1]{end}')" decided \
	'one is impossible, until decided: the other is decided'

# Each workload is addressed, each is A/A or not for itself, and each has its primary.
ab_is 1 '3 workloads' 'one of three is worse' made other third noise=10 \
	--b made.cost=1100,other.cost=900 --pairs 10
like "$out" '^3 workloads: 1 regressed, 1 improved, 1 (undecided|cleared)' \
	'one of three is worse: the first line counts'
like "$out" $'\nworkload: primary .*\nmade: cost .* regressed\nother: cost .* improved\nthird: cost ' \
	'one of three is worse: a row for each'
like "$out" 'A/A: both arms are the same here' 'one of three is worse: the third is A/A'
run "$CONTEND" show "$(last id)" --format json
is "$(json judgement.comparisons.regressed) $(json judgement.comparisons.improved)" '1 1' \
	'one of three is worse: the JSON counts, too'
is "$(json subjects.0.comparisons.0.finding) $(json subjects.1.comparisons.0.finding)" 'regressed improved' \
	'one of three is worse: and says which'
is "$(json subjects.0.comparisons.0.aa) $(json subjects.2.comparisons.0.aa)" '0 1' 'one of three is worse: A/A for each'

# ---- what cannot be tried ----

before=$(runs_stored "$CONTEND_STORE")
experiments=$("$CONTEND" show | wc -l)
refused 4 'absent cannot run here: it is not there' 'an unsupported workload' \
	"$CONTEND" ab absent --pairs 6
is "$(runs_stored "$CONTEND_STORE")" "$before" 'an unsupported workload: no run'
is "$("$CONTEND" show | wc -l)" "$experiments" 'an unsupported workload: no experiment'

run "$CONTEND" ab absent made --pairs 6
like "$out" 'it is not there' 'an unsupported workload beside another: the reason'
run "$CONTEND" show "$(last id)" --format json
is "$(json subjects.0.comparisons.0.finding)" impossible 'an unsupported workload beside another: it is given up'
is "$(json subjects.1.comparisons.0.finding)" cleared 'an unsupported workload beside another: the other goes on'

# ---- one run ----

run "$CONTEND" run made
is "$status" 0 'run: status'
for what in invalid failed unsupported crash garbage cut nothing refuse; do
	run "$CONTEND" run made does=$what
	is "$status" 4 "run, $what: status"
	is "$err" '' "run, $what: nothing on standard error"
done

# ---- what is stored gives the same again ----

for id in 1 2 5 11; do
	for format in mail json; do
		"$CONTEND" show $id --format $format >one
		"$CONTEND" show $id --format $format >two
		is "$(cmp one two 2>&1)" '' "show $id, $format: the same twice"
	done
done
run "${ab[@]}" --b cost=1100 --pairs 8 --format json
first=$out
run "$CONTEND" show "$(json experiment.id)" --format json
is "$out" "$first" 'show: what ab printed'

done_testing
