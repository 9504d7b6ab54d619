#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workload exit_mmap: its children come and go, and nothing of them stays.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

# ---- what it measures ----

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
measured 'three at once' size=1M at_once=3
is "$(($(counted round) * 3))" "$(counted child)" 'three at once: whole rounds'
measured 'three at once, killed' size=1M at_once=3 end=kill
measured 'files of two parents' size=1M files=10 tasks=2 at_once=2
measured 'no huge pages' size=8M hugepage=never

run "$CONTEND" run exit_mmap size=32T --format json
is "$(json runs.0.outcome)" unsupported 'more than there is: the outcome'
like "$(json runs.0.reason)" 'the children of exit_mmap would need 32[.].* at once' 'more than there is: the reason'

# ---- a thousand children leave nothing ----

# zombies: children of this workload, whoever their parent is, that nobody has reaped.
zombies() {
	grep -l '^[0-9]* (parent) Z ' /proc/[0-9]*/stat 2>/dev/null | wc -l
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
	eventually find_worker parent || break
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

# ---- the same files for all ----

# inodes: of the files without a name that processes of the job have mapped.
inodes() {
	local pid
	for pid in $(processes); do
		sed -n 's|^[^ ]* [^ ]* [^ ]* \([^ ]*\) \([0-9]*\) *.*/#[0-9]* (deleted)$|\1 \2|p' \
			"/proc/$pid/maps" 2>/dev/null
	done
}

# are_mapped N: at least so many mappings, in the processes at hand.
are_mapped() {
	mapped=$(inodes)
	[ "$(printf '%s' "$mapped" | grep -c .)" -ge "$1" ]
}

start "$CONTEND" run exit_mmap size=0 vmas=0 files=4 file_size=1M tasks=2 at_once=2 window=1h dir=/tmp
if eventually are_mapped 9; then
	is "$(printf '%s\n' "$mapped" | sort -u | wc -l)" 4 'children of two parents map the same four files'
else
	skip 'children of two parents map the same four files' 'no moment at which enough of them were there'
fi
kill -INT "$job"
wait "$job"

# ---- whoever is killed, no child stays ----

# shellcheck disable=SC2154
nobody_stays parent exit_mmap size=32M vmas=100 threads=3 -- end=exit end=kill 'at_once=4 files=3'

done_testing
