#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `contend run`: one run of one arm, and several.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

until_ok run "$CONTEND" run null "${quick[@]}"
is "$status" 0 'status'
is "$err" '' 'nothing on standard error'
like "$out" 'null' 'the report names the workload'
like "$out" $'\n  contend run null window=20ms warmup=1ms$' 'and the command to repeat it'
is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 '78 columns at most'
first=$out

is "$(last runs)" 1 'the run is stored'

run "$CONTEND" show "$(last id)"
is "$status" 0 'show: status'
is "$out" "$first" 'show prints the same from the store'

until_ok run "$CONTEND" run null "${quick[@]}" --format json
is "$status" 0 'json: status'
is "$(json status.code)" 0 'json: valid, and it has the status'
first=$out
run "$CONTEND" show "$(last id)" --format json
is "$out" "$first" 'json: show prints the same from the store'

until_ok run "$CONTEND" run null "${quick[@]}" record=no
is "$status" 0 'without recording'
like "$out" $'\nno figure for latency p50, p95, p99, p99.9, max: no latencies were recorded\n' \
	'without recording: what has no figure, once'
until_ok run "$CONTEND" run null "${quick[@]}" record=no --runs 2
is "$(grep -c 'no figure' <<<"$out")" 1 'without recording, two runs: the same'

stored=$(runs_stored "$CONTEND_STORE")
refused 2 'which workload\? As in: contend run' 'no workload' "$CONTEND" run
refused 2 'which one of these workloads\?' 'two workloads' "$CONTEND" run null brk1
is "$(runs_stored "$CONTEND_STORE")" "$stored" 'what was refused is not stored'

# ---- how well a run knows its own quantiles ----

# quantiles: of the report of a run, each quantile of the series "latency" with what is known of it.
quantiles() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		my $report = decode_json(<STDIN>);
		for my $f (@{$report->{runs}[0]{figures}}) {
			next unless $f->{metric} =~ /^latency_p(\d+)$/;
			my $w = $f->{within_run};
			print "$1:", !$w ? "none" :
				$w->{low} <= $w->{value} && $w->{value} <= $w->{high} &&
				$w->{coverage} >= 0.95 && $w->{coverage} < 1 ?
				($w->{exact} ? "exact" : "rounded") : "wrong", " ";
		}'
}

until_ok run "$CONTEND" run brk1 window=100ms --format json
is "$(quantiles)" '50:rounded 95:rounded 99:rounded 999:rounded ' 'intervals within a run'
until_ok run "$CONTEND" run brk1 window=100ms raw=1000000 --format json
is "$(quantiles)" '50:exact 95:exact 99:exact 999:exact ' 'from all of its samples'
first=$out
run "$CONTEND" show "$(last id)" --format json
is "$out" "$first" 'and show has them from the store'
until_ok run "$CONTEND" run brk1 window=100ms raw=10 --format json
is "$(quantiles)" '50:rounded 95:rounded 99:rounded 999:rounded ' 'some of the samples are not all'
until_ok run "$CONTEND" run brk1 window=100ms raw=1000000
like "$out" $'\nlatency p50 .* \\.\\. .*\n        p95 .*\n        p99 .*\n        p99\\.9 .*\n        max ' \
	'a series is one group'
like "$out" "nothing[[:space:]]+about[[:space:]]+other[[:space:]]+runs" 'what the interval is'
until_ok run "$CONTEND" run page_fault1 window=200ms size=8M
like "$out" 'no row, too few samples a run: .*needs[[:space:]]+2995[[:space:]]+\(window=' \
	'what has too few samples, and what would do'
until_ok run "$CONTEND" run brk1 window=50ms --runs 6
like "$out" 'max: of further runs at most 39.3 % will exceed the largest of these[[:space:]]+6|maxima of windows' \
	'six runs: what their maximum says'

# ---- several runs ----

# json_each FILTER: what a Perl expression makes of the report in $_.
json_each() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		local $_ = decode_json(<STDIN>);
		print eval $ARGV[0];
	' "$1"
}

refused 2 'which one of these workloads\?' 'several runs of two workloads' \
	"$CONTEND" run null brk1 --runs 2
refused 2 "no option '--seed'" 'a seed: one arm has no random order' "$CONTEND" run null --seed 7
refused 2 '--runs 0: must be 1 to 1000000' 'no runs' "$CONTEND" run null --runs 0
refused 2 "--runs: 'many' is not a whole number" 'no number of runs' "$CONTEND" run null --runs many
refused 2 '--runs 1000001: must be 1 to 1000000' 'too many runs' "$CONTEND" run null --runs 1000001

until_ok run "$CONTEND" run null "${quick[@]}" --runs 8 --format json
is "$status" 0 'eight runs: status'
is "$(json runs)" 8 'eight runs: all in the report'
is "$(json experiment.plan) $(json experiment.pairs) $(json experiment.seed)" 'single 8 null' \
	'eight runs: the plan'
is "$(last runs)" 8 'eight runs: all in the store'
is "$(json_each 'my %pid; $pid{$_->{tasks}[0]{pid}}++ for @{$_->{runs}}; scalar keys %pid')" 8 \
	'eight runs: each in a process of its own'
first=$out
run "$CONTEND" show "$(last id)" --format json
is "$out" "$first" 'eight runs: show prints the same from the store'
is "$(json_each 'join " ", map { $_->{arm} . ($_->{pair} // "-") } @{$_->{runs}}')" \
	'a- a- a- a- a- a- a- a-' 'eight runs: one arm, no pairs'

# Figures that are known: 1000 and up to 100 more, by a pattern.
export REAL_AGENT=$CONTEND_AGENT
export CONTEND_AGENT=$TOP/tests/e2e/fake_agent
run "$CONTEND" run made noise=100 --runs 5 --format json
is "$status" 0 'five runs: status'
is "$(json_each 'join " ", @{$_->{subjects}[0]{arm}[0]{values}}')" '1000 1100 1010 1070 1040' \
	'five runs: in the order of time'
# By hand: mean 1044, sd sqrt((44^2 + 56^2 + 34^2 + 26^2 + 4^2) / 4) = 41.59327; t(4) 2.776445; of the
# logarithms mean 6.950183, sd 0.0396810.
is "$(json_each 'my $m = $_->{subjects}[0]{arm}[0]; sprintf "%.3f %.3f %.3f %.6f %.2f %.2f %s",
	@$m{qw(median mean sd error_ratio)}, @{$m->{interval}}{qw(low high)}, $m->{interval_of}')" \
	'1040.000 1044.000 41.593 0.017817 993.18 1096.03 geometric_mean' 'five runs: median, mean, +-, interval'
run "$CONTEND" show "$(last id)"
like "$out" $'\ncost \\* +1\\.040 us +1\\.044 +1\\.78% +0\\.993 \\.\\. 1\\.096 +1\\.000 +1\\.100\n' \
	'five runs: the row'
like "$out" 'cost, run by run, us: 1.000 1.100 1.010 1.070 1.040; sd 0.042 us' 'five runs: each'
unlike "$out" 'DRIFT' 'five runs: no drift'
like "$out" $'\n  contend run made noise=100 --runs 5$' 'five runs: the command'
is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 'five runs: 78 columns'

run "$CONTEND" run made noise=100 --runs 2
like "$out" 'no interval from 2 runs, it takes 3' 'two runs: no interval'
is "$status" 0 'two runs: status'

# What is not ok is told and not replaced.
run "$CONTEND" run made noise=100 does=invalid at=2+5+6 --runs 8
is "$status" 0 'some runs are invalid: status'
is "$(last runs)" 8 'some runs are invalid: no others in their place'
like "$out" '5 of 8 runs ok' 'some runs are invalid: it is said'
like "$out" 'invalid: as asked \(3 of 8' 'some runs are invalid: the reason'
like "$out" 'us: 1.000 invalid 1.010 1.070 invalid invalid 1.020 1.090' \
	'some runs are invalid: which ones'
run "$CONTEND" run made noise=100 does=crash at=3+4+5 --runs 20
is "$status" 4 'three crashes in a row: status'
is "$(last runs)" 5 'three crashes in a row: they end it'
is "$(last end)" 'gave up' 'three crashes in a row: the store knows'
like "$out" 'NOT POSSIBLE, given up after 5 of 20 runs' 'three crashes in a row: it is said'
run "$CONTEND" run made does=failed --runs 2
is "$status" 4 'no run is ok: status'
export CONTEND_AGENT=$REAL_AGENT

# What runs in the agent is as asked: so many tasks, such a window.
until_ok run "$CONTEND" run null "${quick[@]}" tasks=2 mode=thread --format json
is "$status" 0 'two threads'

# An agent that dies in the run is a run that crashed, with a reason.
cat >dying <<'END'
#!/bin/sh
read -r job
case $job in
*'"describe"'*) printf '%s\n' "$job" | "$REAL_AGENT" ;;
*) kill -SEGV $$ ;;
esac
END
chmod +x dying
CONTEND_AGENT=$TMPDIR/dying run "$CONTEND" run null
is "$status" 4 'an agent that dies: status'
like "$out" 'crashed' 'an agent that dies: the outcome'
like "$out" 'SIGSEGV' 'an agent that dies: the reason'

done_testing
