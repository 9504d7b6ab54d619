#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every test of will-it-scale, whose source is in the folder WILL_IT_SCALE (outside of this tree):
# built as it is, and run with one task and two, as processes and as threads.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

[ -n "${WILL_IT_SCALE:-}" ] || skip_all 'WILL_IT_SCALE= names no folder with its source'
[ -d "$WILL_IT_SCALE/tests" ] || skip_all "no folder $WILL_IT_SCALE/tests"

external() {
	start "$CONTEND" run external file="./$1" mode="$2" tasks="$3" window="$window" warmup=20ms
	wait "$job"
	status=$?
	out=$(cat job.out)
	err=$(cat job.err)
}

# runs TEST MODE TASKS: it does; with the time that a slow file system or a full machine asks for.
runs() {
	for window in 100ms 1s 10s; do
		until_ok external "$@"
		[ "$status" != 0 ] && [[ $out =~ completed[[:space:]]+no[[:space:]]+operation ]] || break
	done
	is "$status" 0 "$1, mode=$2 tasks=$3" || note "$out$err"
	eventually are_gone || ok "$1, mode=$2 tasks=$3: no process is left" false
}

count=0
for source in "$WILL_IT_SCALE"/tests/*.c; do
	name=$(basename "$source" .c)
	count=$((count + 1))
	if ! gcc -O2 -shared -fPIC -o "$name.so" "$source" 2>build.log; then
		ok "$name builds" false
		note "$(cat build.log)"
		continue
	fi
	for mode in process thread; do
		for tasks in 1 2; do
			runs "$name.so" $mode $tasks
		done
	done
done
ok 'there are tests' [ $count -gt 0 ]

done_testing
