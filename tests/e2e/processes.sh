# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests that look at the processes of an experiment: they are found by a mark in their
# environment, which children inherit. Sourced after tap.sh.

# Jobs get process groups of their own, and keep SIGINT.
set -m

# start COMMAND...: in the background; job is its process, job.out and job.err what it prints.
start() {
	mark=$$-$RANDOM-$RANDOM
	CONTEND_TEST_MARK=$mark "$@" >job.out 2>job.err </dev/null &
	# shellcheck disable=SC2034
	job=$!
}

# processes: those of the last job that are there, a line each.
processes() {
	grep -lazsx "CONTEND_TEST_MARK=$mark" /proc/[0-9]*/environ 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/.*|\1|'
}

# are_processes N: there are at least N. No more than that can be said of a moment.
are_processes() {
	[ "$(processes | wc -l)" -ge "$1" ]
}

are_gone() {
	! are_processes 1
}

# are_stored N: at least N runs are in the store.
are_stored() {
	[ "$(runs_stored "$CONTEND_STORE" 2>/dev/null || echo 0)" -ge "$1" ]
}

# eventually COMMAND...: it succeeds within a minute or two.
eventually() {
	local try
	for ((try = 0; try < 1200; try++)); do
		"$@" && return
		sleep 0.05
	done
	return 1
}

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

# find_worker ROLE: into $worker the process of that role that forks children; a trial child of it has
# gone already.
find_worker() {
	local pid
	for pid in $(processes); do
		[ "$(comm_of "$pid")" = "$1" ] &&
			[ "$(comm_of "$(stat_of "$pid" 2)")" = contend-agent ] &&
			[ "$(stat_of "$pid" 9)" -gt 0 ] || continue
		worker=$pid
		return
	done
	return 1
}

# victim KIND: the pid of controller, agent or $worker.
victim() {
	case $1 in
	controller) echo "$job" ;;
	agent) stat_of "$worker" 2 ;;
	worker) echo "$worker" ;;
	esac
}

# nobody_stays ROLE WORKLOAD WORD... -- WORDS...: kill -9 of worker, agent or controller, at any moment of a
# run with these words and each of the last in turn, leaves no process. Orphans are reaped by init, when
# it likes.
nobody_stays() {
	local role=$1 doomed=(worker agent controller) words=() round gone=0
	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	for ((round = 0; round < 12; round++)); do
		local ways=("$@") kind=${doomed[round % 3]}
		# shellcheck disable=SC2086
		start "$CONTEND" run "${words[@]}" ${ways[round % $#]} window=1h
		eventually find_worker "$role" || break
		sleep "0.$((RANDOM % 90 + 10))"
		kill -9 "$(victim "$kind")"
		wait "$job" 2>/dev/null
		eventually are_gone && gone=$((gone + 1))
	done
	is $gone 12 'kill -9 of worker, agent or controller leaves no process'
}
