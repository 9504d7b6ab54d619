#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A primary metric that the runs cannot have: said after three pairs, not after all of them.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

run "$CONTEND" ab null record=no window=5ms warmup=1ms --primary latency_p50 --pairs 40
is "$status" 4 'status'
like "$out" 'NOT POSSIBLE: no figure for latency_p50' 'the reason'
unlike "$out" 'nan' 'no figure that is none'
is "$([ "$(last runs)" -lt 20 ] && echo few)" few 'most of the 40 pairs are left out'

run "$CONTEND" ab null window=5ms warmup=1ms --primary task_fairness --budget 20s --format json
is "$status" 4 'fairness of one task: status'
is "$(json judgement.impossible)" 1 'and JSON says so'

done_testing
