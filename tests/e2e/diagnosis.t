#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Experiments in which something is amiss: the report says what, in a line, and the verdict is what it
# would be.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

export CONTEND_AGENT=$TOP/tests/e2e/fake_agent

# diagnose ARGUMENTS: of 24 pairs; in $lines the lines of the report that have a word in capitals.
diagnose() {
	run "$CONTEND" ab made cost=100000 --seed 3 --pairs 24 "$@"
	lines=$(sed 's/^  */ /' run.out | tr -d '\n' | sed 's/  */ /g' |
		grep -oE '(DRIFT|ORDER|BIMODAL|WARM-UP|TREND|AUTOCORRELATION|UNLIKE)[A-Z -]*: ' | tr -d '\n')
}

# flat: the report as one line.
flat() {
	tr '\n' ' ' <run.out | tr -s ' '
}

diagnose noise=100
is "$lines" '' 'nothing is amiss: no line'
run "$CONTEND" show 1 --format json
is "$(json subjects.0.diagnostics.0.kind)" drift 'the JSON report has what was asked all the same'

diagnose amiss=drift
is "$lines" 'DRIFT: ' 'a drift'
like "$(flat)" 'DRIFT: cost of the arms together rose by [12][0-9]\.[0-9] % from the first third of the pairs to the last \(Mann-Kendall, p [0-9.e-]+ by Holm\)' 'how much'
is "$status" 0 'pairs keep it out of the change'

diagnose amiss=leaning
like "$lines" 'DRIFT OF THE DIFFERENCE: ' 'a difference that drifts'
like "$(flat)" 'cost of B against A was \+[0-9.]+ % in the first third of the pairs and \+[12][0-9.]+ % in the last' 'from what to what'

diagnose amiss=order
is "$lines" 'ORDER: ' 'the order matters'
like "$(flat)" 'in a pair of A and B the second run is [5678]\.[0-9] % above the first, in cost' 'how much'

diagnose amiss=kinds
is "$lines" 'BIMODAL: ' 'two groups'
like "$(flat)" 'the runs of A have two modes, cost around 10[01][0-9.]* us \([0-9]+ runs\) and around 12[01][0-9.]* us' 'where'

diagnose amiss=cold warmup=100ms
is "$lines" 'WARM-UP: ' 'the warm-up is too short'
like "$(flat)" 'in the first 100.* ms of the windows the rate of task operations is [0-9.]+ % lower than in the rest \(A -[0-9.]+ %, B -[0-9.]+ %; sign-flip, p [0-9.e-]+ by Holm\): warmup=100ms is too short' 'by how much, and which it was'

diagnose amiss=falling
is "$lines" 'TREND: ' 'no steady state'
like "$(flat)" 'the rate of task operations falls by [0-9.]+ %' 'how it falls'

diagnose amiss=swaying
is "$lines" 'AUTOCORRELATION: ' 'slices that depend on each other'

diagnose --b warmup=1s,window=2s --a window=2000ms,warmup=500ms
is "$lines" 'UNLIKE: ' 'arms that are not measured alike'
like "$(flat)" 'UNLIKE: warmup=500ms \(A\), warmup=1s \(B\)' 'in what; 2000ms is 2s'

run "$CONTEND" run made amiss=kinds cost=100000 --runs 40
like "$(flat)" 'BIMODAL: the runs have two modes, cost around 10' 'one arm has two groups, too'
run "$CONTEND" run made amiss=cold cost=100000 --runs 12
like "$(flat)" 'WARM-UP: .* \(sign-flip, p [0-9.e-]+ by Holm\): warmup=0 is too short' 'and windows that begin cold'

done_testing
