#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A memory cgroup that is smaller than the machine: what cannot fit is not tried, and the OOM killer
# is not taken for a crash of the kernel.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

limit=$((64 << 20))

# own_group: the folder of this process's memory cgroup.
own_group() {
	local line
	line=$(grep -E '^[0-9]+:([^:]*,)?memory(,[^:]*)?:' /proc/self/cgroup)
	if [ -n "$line" ]; then
		echo "/sys/fs/cgroup/memory${line#*:*:}"
	else
		line=$(grep '^0::' /proc/self/cgroup) && echo "/sys/fs/cgroup${line#0::}"
	fi
}

# left: what was taken is put back, whatever comes.
left() {
	local pid
	# shellcheck disable=SC2013
	for pid in $(cat "$group/cgroup.procs"); do
		kill -9 "$pid"
	done
	for ((try = 0; try < 100; try++)); do
		rmdir "$group" 2>/dev/null && break
		sleep 0.1
	done
	cd / && rm -rf "$TMPDIR"
}

base=$(own_group)
group=${base%/}/contend-test-$$
[ -d "$base" ] || skip_all "the memory cgroup of this process cannot be found"
mkdir "$group" 2>/dev/null || skip_all "no memory cgroup can be made in $base"
trap left EXIT
file=$group/memory.max
[ -e "$file" ] || file=$group/memory.limit_in_bytes
[ -e "$file" ] || skip_all "no memory controller in $group"
echo $limit >"$file" || skip_all "$file cannot be written"
(echo "$BASHPID" >"$group/cgroup.procs") 2>/dev/null ||
	skip_all "no process can be put into $group"

# within COMMAND...: in the group.
within() {
	bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' bash "$group" "$@"
}

# is_working: a worker of the last job is there.
# shellcheck disable=SC2317
is_working() {
	local pid
	for pid in $(processes); do
		grep -qsx task "/proc/$pid/comm" && return
	done
	return 1
}

run within "$CONTEND" run page_fault1 size=128M window=20ms --format json
is "$status" 4 'more than the group has: status'
is "$(json runs.0.outcome)" unsupported 'more than the group has: the outcome'
like "$(json runs.0.reason)" '[0-9.]+ MiB are available below the limit of the memory cgroup' \
	'more than the group has: the reason'

run within "$CONTEND" run exit_mmap size=128M window=20ms --format json
is "$(json runs.0.outcome)" unsupported 'children of more than the group has: the outcome'
like "$(json runs.0.reason)" 'children of exit_mmap would need .* below the limit of the memory cgroup' 'children of more than the group has: the reason'

run within "$CONTEND" ab page_fault1 --a size=8M --b size=128M window=20ms --pairs 3
is "$status" 4 'an arm that does not fit is no crash: status'

until_ok run within "$CONTEND" run page_fault1 size=8M window=20ms
is "$status" 0 'what fits is measured'

# Somebody else in the group takes what is left; a worker offers itself to the OOM killer before him.
filler='my @all; for (1 .. 56) { push @all, "x" x (1 << 20); } sleep 10'
if grep -q '^oom_kill ' /proc/vmstat; then
	start within "$CONTEND" run page_fault1 size=16M window=1h warmup=0 --format json
	eventually is_working
	within perl -e "$filler"
	# It has ended before; otherwise this ends it.
	kill "$job" 2>/dev/null
	wait "$job"
	is "$?" 4 'a worker that the OOM killer took: status'
	out=$(cat job.out)
	is "$(json runs.0.outcome)" failed 'a worker that the OOM killer took: the outcome'
	like "$(json runs.0.reason)" \
		"^task 0: killed by SIGKILL: out of memory, the kernel's OOM killer killed [0-9]+ (in this memory cgroup|on this machine) meanwhile$" \
		'a worker that the OOM killer took: the reason'
else
	skip 'a worker that the OOM killer took' 'the kernel does not count OOM kills'
fi

done_testing
