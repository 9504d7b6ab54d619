#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workload oom_kill, and process_mrelease in a memory cgroup: victims go, their memory comes back,
# each way of knowing when; what must not be is refused.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=machine.sh
. "$TOP/tests/e2e/machine.sh"

run "$CONTEND" run oom_kill
like "$(tr -s '\n ' ' ' <<<"$out$err")" 'oom_kill needs a memory cgroup of its own.*memcg=32M' \
	'without a memory cgroup: what to do'
is "$status" 4 'without a memory cgroup: status'

can memcg || {
	skip 'oom_kill' "$why"
	done_testing
	exit
}
free_machine
machine_before=$(machine)
group=memcg=8M
[ "$(wc -l </proc/swaps)" = 1 ] || group='memcg=8M memcg.swap=0'
read -r -a group <<<"$group"

# measured TITLE WORKLOAD WORD...: the run is ok, or this machine cannot and says why.
measured() {
	local title=$1
	shift
	alone run "$CONTEND" run "$@" --format json
	if [ "$(json runs.0.outcome)" = unsupported ]; then
		skip "$title" "$(json runs.0.reason)"
		return 1
	fi
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	is "$(counted failures)" 0 "$title: no failure"
	as_it_was "$title: the machine is as it was"
}

killed() {
	awk '$1 == "oom_kill" { print $2 }' /proc/vmstat
}

for words in 'source=mark_victim' 'source=event' 'source=mark_victim victim_cpu=same'; do
	before=$(killed)
	# shellcheck disable=SC2086
	if measured "$words" oom_kill "${group[@]}" window=500ms $words; then
		[ "$(counted victim)" -gt 0 ]
		ok "$words: there were victims" [ $? = 0 ]
		is "$(counted fill)" "$(counted victim)" "$words: each was filled before"
		is "$(counted back)" "$(counted victim)" "$words: the memory of each came back"
		# Those of the warm-up, and at its end, are not counted.
		[ $(($(killed) - before)) -ge "$(counted victim)" ]
		ok "$words: the kernel has killed as many" [ $? = 0 ]
	fi
done

alone run "$CONTEND" run oom_kill memcg=1M
like "$(tr -s '\n ' ' ' <<<"$out$err")" 'could not be told from what CPUs keep' 'a group that is too small'
if can zram; then
	alone run "$CONTEND" run oom_kill memcg=8M zram=64M
	like "$(tr -s '\n ' ' ' <<<"$out")" 'in a memory cgroup that swaps: memcg\.swap=0' 'a group that swaps'
	is "$status" 4 'a group that swaps: status'
	measured 'a group that may not swap' oom_kill memcg=8M memcg.swap=0 zram=64M window=300ms source=event
fi

# ---- process_mrelease ----

for words in 'reap=yes' 'reap=no victim_cpu=same'; do
	# shellcheck disable=SC2086
	if measured "process_mrelease $words" process_mrelease memcg=64M size=8M window=500ms $words; then
		is "$(counted back)" "$(counted victim)" "process_mrelease $words: the memory of each came back"
	fi
done
if measured 'process_mrelease, a small victim' process_mrelease memcg=64M size=1M window=300ms; then
	is "$(counted back)" 0 'process_mrelease, a small victim: its memory is not told from others'
fi
if measured 'process_mrelease, two killers' process_mrelease memcg=64M size=8M tasks=2 window=500ms victim_cpu=same reap=no; then
	is "$(counted back)" 0 "process_mrelease, two killers: neither waits for the memory of the other's victims"
fi

done_testing
