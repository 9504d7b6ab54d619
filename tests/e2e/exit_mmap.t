#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workload exit_mmap: its children come and go, and nothing of them stays.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

# ---- what it measures ----

# counted COUNTER: of all tasks of the run in $out.
counted() {
	printf '%s' "$out" | perl -MJSON::PP -MList::Util=sum0 -e '
		local $/;
		print sum0(map { $_->{counters}{$ARGV[0]} } @{decode_json(<STDIN>)->{runs}[0]{tasks}})' \
		"$1"
}

# measured TITLE WORD...: a run with these words is ok, and all children ended as they should.
measured() {
	local title=$1
	shift
	until_ok run "$CONTEND" run exit_mmap window=500ms "$@" --format json
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	is "$status" 0 "$title: status"
	is "$(counted failures)" 0 "$title: no failure"
	[ "$(counted child)" -gt 0 ]
	ok "$title: there were children" [ $? = 0 ]
}

measured 'the floor' size=0 vmas=0
measured 'killed, the floor' size=0 vmas=0 end=kill
measured 'one mapping' size=4M
measured 'a thousand mappings' size=4M vmas=1000
measured 'four threads' size=1M threads=4
measured 'four threads, killed' size=1M threads=4 end=kill
measured 'two parents' size=1M tasks=2
measured 'half of it touched' size=4M touch=50%

run "$CONTEND" run exit_mmap size=32T --format json
is "$(json runs.0.outcome)" unsupported 'more than there is: the outcome'
like "$(json runs.0.reason)" 'the children of exit_mmap would need 32[.].* at once' 'more than there is: the reason'

# ---- a thousand children leave nothing ----

# stat_of PID FIELD: of /proc/PID/stat, counted from the state, which is 1.
stat_of() {
	local line fields
	read -r line 2>/dev/null <"/proc/$1/stat" || return
	read -ra fields <<<"${line##*) }"
	echo "${fields[$2 - 1]}"
}

comm_of() {
	cat "/proc/$1/comm" 2>/dev/null
}

# zombies: children of this workload, whoever their parent is, that nobody has reaped.
zombies() {
	grep -l '^[0-9]* (parent) Z ' /proc/[0-9]*/stat 2>/dev/null | wc -l
}

# find_worker: into $worker the process that forks them; a trial child of it has gone already.
# shellcheck disable=SC2317
find_worker() {
	local pid
	for pid in $(processes); do
		[ "$(comm_of "$pid")" = parent ] &&
			[ "$(comm_of "$(stat_of "$pid" 2)")" = contend-agent ] &&
			[ "$(stat_of "$pid" 9)" -gt 0 ] || continue
		worker=$pid
		return
	done
	return 1
}

# watched: samples of the worker while the job lasts, a line each: its descriptors, VmSize, children.
watched() {
	local files size
	while kill -0 "$job" 2>/dev/null; do
		files=$(find "/proc/$worker/fd" -mindepth 1 2>/dev/null | wc -l)
		size=$(sed -n 's/^VmSize:[[:space:]]*//p' "/proc/$worker/status" 2>/dev/null)
		[ -z "$size" ] || [ "$files" = 0 ] || echo "$files ${size% kB}"
	done
}

before=$(zombies)
children=0
for window in 1s 4s 16s 64s; do
	start "$CONTEND" run exit_mmap size=64k vmas=4 window=$window --format json
	eventually find_worker || break
	watched >samples
	wait "$job"
	out=$(cat job.out)
	children=$(counted child)
	[ "$children" -lt 1000 ] || break
done
note "$children children, $(wc -l <samples) samples of their parent"
[ "$children" -ge 1000 ]
ok 'there were a thousand children' [ $? = 0 ]
is "$(counted failures)" 0 'none of them failed'
is "$(cut -d' ' -f2 samples | sort -u | wc -l)" 1 'the parent did not grow'
# Of a child it has a pidfd, or it has none.
is "$(cut -d' ' -f1 samples | sort -nu | awk 'NR == 1 { first = $1 } END { print $1 - first <= 1 }')" 1 \
	'and kept no descriptor'
is "$(zombies)" "$before" 'no zombie is left'
ok 'no process is left' eventually are_gone

# ---- whoever is killed, no child stays ----

# victim KIND: its pid.
victim() {
	case $1 in
	controller) echo "$job" ;;
	agent) stat_of "$worker" 2 ;;
	worker) echo "$worker" ;;
	esac
}

gone=0
for ((round = 0; round < 12; round++)); do
	kinds=(worker agent controller)
	kind=${kinds[round % 3]}
	ends=(exit kill)
	start "$CONTEND" run exit_mmap size=32M vmas=100 threads=3 window=1h end="${ends[round % 2]}"
	eventually find_worker || break
	sleep "0.$((RANDOM % 90 + 10))"
	kill -9 "$(victim "$kind")"
	wait "$job" 2>/dev/null
	eventually are_gone && gone=$((gone + 1))
done
# Orphans are reaped by init, when it likes.
is $gone 12 'kill -9 of worker, agent or controller leaves no process'

done_testing
