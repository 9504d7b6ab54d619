#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several numbers of tasks: what is run, what contend run and contend ab say of it, what the store
# keeps, the command and the file that repeat it, what is refused.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

run=("$CONTEND" run)
ab=("$CONTEND" ab)
short=(window=30ms warmup=1ms)

# tasks_run ID: how many tasks each run had, in the order in which they ran.
tasks_run() {
	"$CONTEND" show "$1" --format json | perl -MJSON::PP -e '
		local $/;
		my $report = decode_json(<STDIN>);
		print join(" ", map { $report->{subjects}[$_->{subject}]{params}{a}{tasks} } @{$report->{runs}});
	'
}

# narrow TITLE: no line of $out is longer than a mail's.
narrow() {
	is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 "$1: 78 columns at most"
}

# ---- contend run, with the agent that there is ----

until_ok run "${run[@]}" brk1 tasks=2,1 "${short[@]}"
is "$status" 0 'run: status'
is "$err" '' 'run: nothing on standard error'
narrow 'run'
like "$out" '
tasks +n +operations +a task +scaling +fairness +CPU +idle
1 +1 +[0-9.]+ ?[kM]?/s .*
2 +1 +[0-9.]+ ?[kM]?/s .*
' 'run: a row for each number, the least first'
like "$out" 'over[[:space:]]+that[[:space:]]+of[[:space:]]+tasks=1, round by round' 'run: against what it scales'
like "$out" 'no idle share: .* 500[[:space:]]+ms' 'run: of so short windows there is no idle share'
like "$out" 'asked for: tasks=2,1; each number is run once' 'run: what was asked for'
like "$out" 'contend run brk1 tasks=1,2 window=30ms' 'run: the command that repeats it'
one=$(last id)
is "$("$CONTEND" show "$one")" "$out" 'run: show says the same'
is "$(tasks_run "$one")" '1 2' 'run: what ran'

until_ok run "${run[@]}" brk1 tasks=50%,100%,1 "${short[@]}" --runs 2 --format json
is "$status" 0 'run --runs: status'
cpus=$(nproc)
if [ "$cpus" = 1 ]; then
	is "$(json curves)" 0 'run --runs: one number of tasks is no curve'
else
	is "$(json curves.0.asked) of $(json curves.0.cpus)" "50%,100%,1 of $cpus" 'run --runs: shares of the CPUs'
	is "$(json curves.0.points.a.0.tasks) $(json subjects.0.runs.a)" '1 2' 'run --runs: the first point'
fi

# More tasks than CPUs are allowed, and said; idle time is known of windows of 500 ms.
many=$((cpus + 1))
until_ok run "${run[@]}" null "tasks=$cpus,$many" window=600ms warmup=1ms
is "$status" 0 'more tasks than CPUs: status'
like "$out" "$many tasks on $cpus CPU" 'more tasks than CPUs: it is said'
like "$out" "
$many +1 .* [0-9]+%/[0-9]+%
" 'more tasks than CPUs: how idle the CPUs were'

# ---- contend ab, with figures that are made ----

export CONTEND_AGENT=$TOP/tests/e2e/fake_agent

run "${ab[@]}" scaled tasks=1,2,4 noise=5 --b slope=20 --pairs 8 --seed 7
is "$status" 1 'ab: it regressed at some points'
is "$err" '' 'ab: nothing on standard error'
narrow 'ab'
like "$out" '^scaled, 3 points: 2 regressed, 1 cleared
' 'ab: what was found comes first'
like "$out" '
cost tasks=1 .* cleared
 +tasks=2 .* regressed
 +tasks=4 .* regressed
 +mean .* regressed
scaling tasks=2 .* regressed
 +tasks=4 .* regressed
verdicts corrected for 3 points \(Holm\)' 'ab: a row for each point, the mean, and what they scale like'
made=$(last id)
is "$("$CONTEND" show "$made")" "$out" 'ab: show says the same'
run "$CONTEND" show "$made" --format json
is "$(json curves.0.comparisons.0.mean.pairs)" 8 'ab: the mean has a figure a round'
is "$(json curves.0.comparisons.0.scaling)" 2 'ab: scaling of the points from the second on'
is "$(json subjects.2.params.b.tasks)" 4 'ab: a point is a subject'

# The file that repeats it says what was said.
"$CONTEND" show "$made" --format yaml >again.yaml
like "$(cat again.yaml)" '
both:
  tasks: 1,2,4
  noise: 5
' 'the file: the list'
run "$CONTEND" ab -f again.yaml
is "$status" 1 'the file: it comes to the same'
is "$("$CONTEND" show "$made" | grep -v -e '^experiment' -e ' runs of ')" \
	"$(grep -v -e '^experiment' -e ' runs of ' <<<"$out")" 'the file: the same report'

# Shares become numbers, wherever they were said; each arm has the same list.
run "${ab[@]}" scaled --a tasks=25%,50%,100% --b tasks=1..2,4,slope=6 --pairs 6 --seed 1
like "$out" '
  A  tasks=1,2,4 +B  tasks=1,2,4,slope=6 ' 'shares: the arms have numbers'
like "$out" 'asked for: tasks=25%,50%,100%, of 4 CPUs; each number is run once' 'shares: of how many CPUs'
like "$out" '[-][-]a tasks=1,2,4 +(\\
 +)?--b tasks=1,2,4,slope=6' 'shares: the command has numbers'

# Several workloads, addressed, and a primary for one.
run "${ab[@]}" scaled made scaled.tasks=1,3 --primary scaled.work --pairs 6 --seed 1 --b slope=20
is "$status" 3 'several: status'
narrow 'several'
like "$out" '^2 workloads, 3 points: ' 'several: the first line'
like "$out" '
scaled: work tasks=1 .*
 +tasks=3 .*
' 'several: the points stand in the summary'
like "$out" '
made: cost ' 'several: beside the other workload'
like "$out" 'geometric mean[[:space:]]+of[[:space:]]+2[[:space:]]+workloads' 'several: a curve counts once'

# A round that a point lacks is none of the mean.
run "${ab[@]}" scaled tasks=1,2 --b does=failed,at=3 --pairs 7 --seed 1
like "$out" '
1 of 7 pairs dropped whole' 'a failed run of each point: it is said once'
like "$out" 'a figure a round, from 6[[:space:]]+rounds' 'a failed run of each point: the rounds that are left'

# Points that cannot be done are given up.
run "${ab[@]}" scaled tasks=1,2 --b does=crash --max-pairs 10 --seed 1
is "$status" 1 'crashes: status'
like "$out" '^scaled, 2 points: 2 B crashes' 'crashes: the first line'
like "$out" 'no mean over the points for B: tasks=1 was given up' 'crashes: no mean'

# ---- what else takes parameters ----

run "$CONTEND" plan scaled tasks=1,2 noise=5 --pairs 4
is "$status" 0 'plan: each point is planned for'
like "$out" 'contend ab scaled tasks=1,2 noise=5 ' 'plan: the command is of the curve'
run "$CONTEND" plan scaled tasks=1,2,4 noise=5 --pairs 4 --format json
is "$(json subjects)" 3 'plan: a pilot of the missing one'

# ---- what is refused ----

refused 2 'tasks=0,1: tasks=0: must be 1 to 64' 'no task' "${ab[@]}" scaled tasks=0,1
refused 2 'tasks=0: must be 1 to 64' 'no task alone' "${ab[@]}" scaled tasks=0
refused 2 'tasks=4\.\.1: 4\.\.1 runs backwards: it is 1\.\.4' 'backwards' "${ab[@]}" scaled tasks=4..1
refused 2 'tasks=1\.\.100000: 1\.\.100000: more than 256 points' 'too many' "${run[@]}" scaled tasks=1..100000
refused 2 'tasks=0%: 0% of the CPUs is no task' 'a share of nothing' "${ab[@]}" scaled tasks=0%
refused 2 'tasks=200%: 200%: a share is of the CPUs' 'more than all' "${ab[@]}" scaled tasks=200%
refused 2 'tasks=1,,2: a number is missing' 'a gap' "${run[@]}" scaled tasks=1,,2
refused 2 "tasks=x: 'x' is not a whole number" 'no number' "${ab[@]}" scaled tasks=x
refused 2 'tasks=1,2: made has no tasks=, how many tasks it has is its own' 'a workload without' \
	"${ab[@]}" made tasks=1,2
refused 2 'scaled: tasks=1,2 in A and tasks=1 in B: a curve is compared point by point' 'one arm' \
	"${ab[@]}" scaled --a tasks=1,2
refused 2 'scaled: tasks=1,2 in A and tasks=1,4 in B: a curve is compared point by point' 'two lists' \
	"${ab[@]}" scaled --a tasks=1,2 --b tasks=1,4
cat >bad.yaml <<'END'
contend: 1
workloads: scaled
both:
  tasks: 1,,2
END
refused 2 'bad.yaml:4:10: tasks=1,,2: a number is missing' 'in a file' "${ab[@]}" -f bad.yaml

done_testing
