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
