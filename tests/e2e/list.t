#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `contend list`: what the agent says it has.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

run "$CONTEND" list
is "$status" 0 'list: status'
is "$err" '' 'list: nothing on standard error'
for name in brk1 command exit_mmap fork mmap1 null page_fault1 proc_maps process_mrelease spawn thread_churn mail json; do
	like "$out" $'\n'"  ${name}[[:space:]]+[^ ]" "list: $name"
done
[ "$(printf '%s\n' "$out" | longest_line)" -le 78 ]
ok 'list: 78 columns at most' [ $? = 0 ]

for topic in workloads setups probes reports; do
	run "$CONTEND" list $topic
	is "$status" 0 "list $topic: status"
done

run "$CONTEND" list workloads
names=$(printf '%s\n' "$out" | sed -n 's/^  \([a-z][a-z0-9_]*\).*/\1/p')
for name in $names; do
	run "$CONTEND" list "$name"
	is "$status" 0 "list $name: status"
	is "$(printf '%s\n' "$out" | tr '\n' ' ' | grep -o 'primary' | wc -l)" 1 \
		"list $name: one primary metric"
	like "$out" '  (window|timeout)=[0-9]+' "list $name: how long it takes"
	[ "$(printf '%s\n' "$out" | longest_line)" -le 78 ]
	ok "list $name: 78 columns at most" [ $? = 0 ]
done

run "$CONTEND" list proc_maps
like "$out" 'file=[a-z_]+' 'list proc_maps: a parameter with its default'
like "$out" 'smaps_rollup' 'list proc_maps: its choices'
like "$out" $'\nroles\n' 'list proc_maps: roles'
like "$out" 'lower is better' 'list proc_maps: a direction'
like "$out" 'needs[[:space:]]+record=yes' 'list proc_maps: what a parameter needs'

refused 2 "no list or workload 'nul'; did you mean 'null'" 'a mistyped name' "$CONTEND" list nul
refused 2 'one list at a time' 'two names' "$CONTEND" list null brk1
CONTEND_AGENT=$TMPDIR/nobody refused 4 'ask the agent .*nobody' 'no agent' "$CONTEND" list
CONTEND_AGENT=/bin/true refused 4 'ask the agent' 'an agent that says nothing' "$CONTEND" list
CONTEND_AGENT=/bin/cat refused 4 'ask the agent' 'an agent that talks nonsense' "$CONTEND" list

done_testing
