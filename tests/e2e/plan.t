#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contend plan: from which runs it plans, what it says of figures that are known, what it refuses.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

real=$CONTEND_AGENT
export CONTEND_AGENT=$TOP/tests/e2e/fake_agent
export FAKE_ANSWERS=$TMPDIR/answers
plan=("$CONTEND" plan)

# machine GOVERNOR: what the machine says of itself from now on.
machine() {
	printf '{"host":{"kernel":"6.18.44","governor":"%s"},"doctor":{"host":{"kernel":"6.18.44","governor":"%s"},"workloads":[],"setups":[],"probes":[]}}' \
		"$1" "$1" >"$FAKE_ANSWERS"
}
machine performance

# plan_is PATTERN TITLE WORD...: the pattern is of the report as one line.
plan_is() {
	local pattern=$1 title=$2
	shift 2
	run "${plan[@]}" "$@"
	is "$status" 0 "$title: status"
	is "$err" '' "$title: nothing on standard error"
	like "$(printf '%s' "$out" | tr -s '\n ' ' ')" "$pattern" "$title: the report"
	is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 \
		"$title: 78 columns at most"
	is "$(printf '%s\n' "$out" | LC_ALL=C grep -c '[^ -~]')" 0 "$title: ASCII"
}

# ---- nothing is stored ----

refused 2 'nothing to plan from \(contend plan WORKLOAD runs a pilot\)' 'no store' "${plan[@]}"
refused 2 '.*store' 'no store, --from' "${plan[@]}" --from 1
ok 'no store: none is made' [ ! -e store.db ]
run "$CONTEND" run made
refused 2 '.*contend plan WORKLOAD runs a pilot' 'a store of runs of one arm' "${plan[@]}"
refused 4 'experiment 1: it is of `contend run`' 'from runs of one arm' "${plan[@]}" --from 1

# ---- a pilot, and then what is stored ----

plan_is 'from experiment 2, a pilot for this plan, A/A: 8 pairs' 'a pilot' made noise=40
like "$out" 'cost: sd of a pair'\''s difference' 'a pilot: the spread'
like "$out" '1 % \* ' 'a pilot: the default effect'
like "$out" 'noise floor: pairs' 'a pilot: the noise floor'
like "$out" 'windows of another length: not known of such a metric' 'a pilot: windows'
like "$out" 'contend ab made noise=40 --pairs [0-9]+ --b' 'a pilot: what to type'
is "$(last runs)" 16 'a pilot: 16 runs are stored'
is "$(last end)" 'planned end' 'a pilot: it ended as planned'
like "$(last command)" '^contend ab made noise=40 --pairs 8' 'a pilot: it can be repeated'
plan_is 'from experiment 2, .* ago, A/A: 8 pairs' 'the same again' made noise=40
plan_is 'from experiment 2' 'the same, spelled otherwise' made noise=40 window=1000ms
plan_is 'from experiment 2' 'without a word: the newest'
plan_is 'from experiment 2' 'by its number' --from 2
is "$("$CONTEND" show --format json | grep -o '"id"' | wc -l)" 2 'nothing was run for these'
plan_is 'experiment 3, a pilot .* 6 pairs' 'other parameters: another pilot, of 6 pairs' \
	made noise=41 --pairs 6
run "$CONTEND" ab made noise=42 --b cost=1100 --pairs 10
plan_is 'from experiment 4, .* of two different arms: 10 pairs' 'arms that differ' made noise=42

# Both formats say the same.
run "${plan[@]}" --from 2 --format json
is "$status" 0 'json: status'
is "$(json contend_plan)" 2 'json: version'
is "$(json subjects.0.experiment)" 2 'json: the experiment'
is "$(json subjects.0.metrics.0.pairs)" 8 'json: pairs'
is "$(json subjects.0.metrics.0.state)" known 'json: known'
is "$(json subjects.0.metrics.0.effects.1.effect)" 0.01 'json: the effect'
is "$(json subjects.0.machine.host.governor)" performance 'json: where that was'
pairs=$(json subjects.0.metrics.0.effects.1.pairs)
plan_is "a change of 1 % is seen in 80 % of experiments by --pairs $pairs \\(" 'as the JSON says' --from 2

# So small that no number of pairs is worth its time.
plan_is 'too noisy for a change of 0.01 %: .* more than 1000 pairs; at 40 pairs this machine sees [0-9.]+% planned' \
	'too noisy' --from 2 --effect 0.01%
unlike "$out" 'contend ab made' 'too noisy: nothing to type'
like "$out" 'environment: .*governor performance' 'too noisy: but where that was'
run "${plan[@]}" --from 2 --effect 0.01% --format json
is "$(json subjects.0.metrics.0.effects.0.pairs)" null 'too noisy: null in JSON'

# The pattern of the fake agent.
run "${plan[@]}" --from 2 --format json
is "$(perl -e 'my @p = (0, .7, .2, 1, .4, .9, .1, .6); my @d = map {
		log((1000 + int(40 * $p[(3 * $_ + 1) % 8])) / (1000 + int(40 * $p[3 * $_ % 8]))) } 0 .. 7;
	my $m = 0; $m += $_ / 8 for @d; my $s = 0; $s += ($_ - $m) ** 2 / 7 for @d;
	printf "%.9f", sqrt $s')" "$(printf '%.9f' "$(json subjects.0.metrics.0.sd)")" \
	'the sd is that of the differences'

# ---- what was stored does not fit ----

machine powersave
plan_is 'not from experiment 2: the machine was in another state: governor was performance, is powersave' \
	'the machine changed' made noise=40
like "$out" 'from experiment 5, a pilot' 'the machine changed: a pilot'
run "$CONTEND" ab made noise=50 --pairs 3
plan_is 'not from experiment 6: it has 3 whole pairs, under 6' 'too few pairs' made noise=50
plan_is 'from experiment 6, .* 3 pairs' 'too few pairs, and yet by its number' --from 6

# ---- terms ----

run "${plan[@]}" --from 2 --effect 1% --format json
more=$(json subjects.0.metrics.0.effects.1.pairs)
run "${plan[@]}" --from 2 --effect 1% --power 95% --format json
ok 'more power takes more pairs' [ "$(json subjects.0.metrics.0.effects.1.pairs)" -gt "$more" ]
run "${plan[@]}" --from 2 --effect 1% --alpha 0.001 --format json
ok 'a smaller alpha takes more pairs' [ "$(json subjects.0.metrics.0.effects.1.pairs)" -gt "$more" ]
run "${plan[@]}" --from 2 --margin 1% --format json
less=$(json subjects.0.metrics.0.pairs_to_clear)
run "${plan[@]}" --from 2 --margin 0.5% --format json
ok 'a smaller margin takes more pairs' [ "$(json subjects.0.metrics.0.pairs_to_clear)" -gt "$less" ]
plan_is '3 % \* ' 'another effect' --from 2 --effect 3%
plan_is 'work: sd of a pair' 'another primary' --from 2 --primary work
plan_is 'work: sd of a pair' 'another primary, of a stored one that fits' made noise=40 --primary work

# ---- several workloads ----

plan_is '2 workloads are one family: each is planned at alpha / 2 = 0.025' 'two workloads' \
	made other noise=40
like "$out" 'plan for made' 'two workloads: the one'
like "$out" 'from experiment 5, ' 'two workloads: the one is stored'
like "$out" 'plan for other' 'two workloads: the other'
like "$out" 'from experiment 8, a pilot' 'two workloads: the other has a pilot'
is "$(last runs)" 16 'two workloads: only the other one was run'
like "$out" 'contend ab made other noise=40 --pairs [0-9]+ --b' 'two workloads: what to type'
run "$CONTEND" ab made third noise=60 --pairs 6
plan_is '2 workloads are one family' 'two workloads of a stored experiment' --from 9
plan_is 'plan for third' 'one workload of a stored experiment' --from 9 third
unlike "$out" 'plan for made' 'one workload of a stored experiment: not the other'

# ---- what has no spread ----

plan_is 'cost: identical: the differences of all 8 pairs are the same, so any number of pairs' \
	'identical' made noise=0
run "$CONTEND" ab made noise=10 --pairs 1
refused 4 'experiment 11: 1 of 1 whole pairs have a figure of cost: a spread takes 2' 'one pair' \
	"${plan[@]}" --from 11
run "$CONTEND" ab made noise=10 --b does=failed --pairs 8
refused 4 'experiment 12: .*0 of 0 whole pairs|experiment 12: it has not come' 'no pair' \
	"${plan[@]}" --from 12
refused 4 '.*0 of 0 whole pairs|.*it has not come' 'a pilot of which nothing is ok' \
	"${plan[@]}" made does=invalid
refused 4 '.*it is not there' 'what cannot run' "${plan[@]}" absent

# ---- usage ----

refused 2 '--effect 0%: must be above 0%' 'no effect' "${plan[@]}" made --effect 0%
refused 2 '--effect -1%: must be above 0%' 'a negative effect' "${plan[@]}" made --effect=-1%
refused 2 '--effect 1001%: must be' 'too large an effect' "${plan[@]}" made --effect 1001%
refused 2 "--effect: '1' is not a percentage" 'an effect without a sign' "${plan[@]}" made --effect 1
refused 2 '--power 100%: must be 50% to 99.9%' 'certainty' "${plan[@]}" made --power 100%
refused 2 '--power 10%: must be 50% to 99.9%' 'too little power' "${plan[@]}" made --power 10%
refused 2 '--alpha 0.5: must be below 0.5' 'alpha' "${plan[@]}" made --alpha 0.5
refused 2 '--margin: must be above 0%' 'no margin' "${plan[@]}" made --margin 0%
refused 2 '--pairs 1: a pilot needs 2' 'a pilot of one pair' "${plan[@]}" made --pairs 1
refused 2 '--pairs is of a pilot' 'a pilot beside --from' "${plan[@]}" --from 2 --pairs 8
refused 2 'noise=: the parameters are those' 'parameters beside --from' "${plan[@]}" --from 2 noise=1
refused 2 'noise=: of which workload' 'parameters of no workload' "${plan[@]}" noise=1
refused 2 'experiment 2: it has no workload third' 'a workload that it lacks' "${plan[@]}" --from 2 third
refused 2 '.*has no experiment 4711' 'an experiment that is not there' "${plan[@]}" --from 4711
refused 2 '--from: .*seven' 'no number' "${plan[@]}" --from seven
refused 2 "experiment 2: --primary: no metric 'nix'" 'a metric that it lacks' "${plan[@]}" --from 2 --primary nix
refused 2 ".*'mad'.*did you mean 'made'" 'a workload that there is not' "${plan[@]}" mad

# ---- real runs ----

unset FAKE_ANSWERS
export CONTEND_AGENT=$real
export CONTEND_STORE=$TMPDIR/real.db
until_ok run "${plan[@]}" null window=100ms warmup=1ms
is "$status" 0 'null: status'
like "$out" 'operations: sd of a pair' 'null: planned'
like "$out" 'window of 100 ms: [0-9]+ % of the variance lies between runs \(4 batches in each of' \
	'null: windows, from slices'
until_ok run "${plan[@]}" null brk1 window=100ms warmup=1ms --primary brk1.latency_p50 --format json
is "$status" 0 'null and brk1: status'
is "$(json subjects.1.windows.source)" quantiles 'brk1: windows, from the quantile of latencies'
is "$(json subjects.0.windows.source)" slices 'null: windows, from slices, in JSON'
ok 'null: a run costs more than its window' [ "$(json subjects.0.windows.fixed_ns)" -gt 0 ]

# ---- interrupted ----

export CONTEND_AGENT=$TOP/tests/e2e/fake_agent
export CONTEND_STORE=$TMPDIR/hang.db
export FAKE_ANSWERS=$TMPDIR/answers
"${plan[@]}" made does=hang at=2 >hang.out 2>hang.err &
pid=$!
# The first pair is stored: the second one hangs.
for ((try = 0; try < 600; try++)); do
	[ -e hang.db ] && [ "$(last runs 2>/dev/null)" = 2 ] && break
	sleep 0.1
done
kill -TERM $pid
wait $pid
is $? 5 'interrupted: status 5'
is "$(cat hang.out)" '' 'interrupted: no plan'
like "$(cat hang.err)" 'the pilot was interrupted: contend ab --resume 1 goes on with it, then contend plan --from 1' \
	'interrupted: how it goes on'
refused 4 'experiment 1: it has not come to its planned end' 'interrupted: it is blind' \
	"${plan[@]}" --from 1

done_testing
