#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `contend run`: one run of one arm.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

until_ok run "$CONTEND" run null "${quick[@]}"
is "$status" 0 'status'
is "$err" '' 'nothing on standard error'
like "$out" 'null' 'the report names the workload'
like "$out" 'contend run null window=20ms warmup=1ms --seed [0-9]+' 'and the command to repeat it'
is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 '78 columns at most'
first=$out

is "$(last runs)" 1 'the run is stored'

run "$CONTEND" show "$(last id)"
is "$status" 0 'show: status'
is "$out" "$first" 'show prints the same from the store'

until_ok run "$CONTEND" run null "${quick[@]}" --format json --seed 7
is "$status" 0 'json: status'
is "$(json status.code)" 0 'json: valid, and it has the status'
first=$out
run "$CONTEND" show "$(last id)" --format json
is "$out" "$first" 'json: show prints the same from the store'

until_ok run "$CONTEND" run null "${quick[@]}" record=no
is "$status" 0 'without recording'

stored=$(runs_stored "$CONTEND_STORE")
refused 2 'which workload\? As in: contend run' 'no workload' "$CONTEND" run
refused 2 'which one of these workloads\?' 'two workloads' "$CONTEND" run null brk1
is "$(runs_stored "$CONTEND_STORE")" "$stored" 'what was refused is not stored'

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
export REAL_AGENT=$CONTEND_AGENT
CONTEND_AGENT=$TMPDIR/dying run "$CONTEND" run null
is "$status" 4 'an agent that dies: status'
like "$out" 'crashed' 'an agent that dies: the outcome'
like "$out" 'SIGSEGV' 'an agent that dies: the reason'

done_testing
