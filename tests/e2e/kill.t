#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 of the controller, the agent or a worker at random moments of an experiment, 30 times, all
# in one store: it opens, every run that had ended is there, no process is left.
#
# A log of the agent's starts tells which runs had ended: the first start describes the workloads,
# each other one is a run, and a run is stored before the next one starts. RANDOM decides the
# moments; its seed is printed, CONTEND_TEST_SEED repeats it.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

seed=${CONTEND_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed"

cat >agent <<'END'
#!/bin/sh
echo start >>"$CONTEND_TEST_LOG"
exec "$REAL_AGENT"
END
chmod +x agent
export REAL_AGENT=$CONTEND_AGENT CONTEND_AGENT=$TMPDIR/agent CONTEND_TEST_LOG=$TMPDIR/log

# child PID: the first agent or worker whose parent it is. What is on the way to become an agent does
# not count: it has not written its line into the log.
child() {
	local pid
	for pid in $(processes); do
		if [ "/proc/$pid/exe" -ef "$REAL_AGENT" ] &&
			[ "$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$pid/stat" 2>/dev/null)" = "$1" ]; then
			echo "$pid"
			return
		fi
	done
}

# victim KIND: one process, or nothing when there is none of the kind now.
victim() {
	local agent
	case $1 in
	controller) echo "$job" ;;
	agent) child "$job" ;;
	worker)
		agent=$(child "$job")
		[ -z "$agent" ] || child "$agent"
		;;
	esac
}

starts() {
	wc -l <log
}

is_alive() {
	kill -0 "$job" 2>/dev/null
}

# goes_on N: the agent was started more than N times, or never will be.
# shellcheck disable=SC2317
goes_on() {
	[ "$(starts)" -gt "$1" ] || ! is_alive
}

# gave_up: the experiment has ended, and windows that were too long had a part in it.
gave_up() {
	! is_alive && grep -qs 'was measured for' job.out
}

rounds=30
kinds=(controller agent worker)
total=0 again=0 killed=0 opened=0 whole=0 clean=0 went_on=0
for ((i = 0; i < rounds; i++)); do
	kind=${kinds[i % 3]}
	: >log
	start "$CONTEND" ab null "${quick[@]}" --pairs 5000
	# An experiment survives the death of any agent but the first, which describes the workloads.
	[ "$kind" = controller ] || eventually goes_on 1
	sleep "0.$(printf '%03d' $((RANDOM % 700)))"
	for ((try = 0; try < 500; try++)); do
		pid=$(victim "$kind")
		[ -n "$pid" ] && kill -9 "$pid" 2>/dev/null && break
	done
	went=1
	if [ $try -lt 500 ] && [ "$kind" != controller ]; then
		# The experiment goes on; it is ended when it has shown that it does.
		seen=$(starts)
		eventually goes_on $((seen + 2))
		[ "$(starts)" -gt "$seen" ] || went=0
	fi
	if { [ $try = 500 ] || [ $went = 0 ]; } && gave_up && [ $((again += 1)) -le $rounds ]; then
		# On a machine that stands still for long enough three runs in a row are invalid, and
		# that is the end of an experiment.
		wait "$job"
		note "round $i is made again: $(grep -h 'NOT POSSIBLE' job.out job.err)"
		total=$(runs_stored "$CONTEND_STORE")
		i=$((i - 1))
		continue
	fi
	[ $try -lt 500 ] && killed=$((killed + 1))
	if [ "$kind" != controller ]; then
		went_on=$((went_on + went))
		kill -TERM "$job" 2>/dev/null
	fi
	wait "$job" 2>/dev/null
	eventually are_gone && clean=$((clean + 1))

	# Runs whose agent was started. Where nobody was there to store it the last one is missing;
	# where the experiment was ended there may be one more, called off before its agent started.
	begun=$(($(starts) - 1))
	[ $begun -ge 0 ] || begun=0
	least=$begun most=$begun
	if [ "$kind" = controller ]; then
		[ $begun = 0 ] || least=$((begun - 1))
	else
		most=$((begun + 1))
	fi
	if [ $begun = 0 ] && [ ! -e "$CONTEND_STORE" ]; then
		# Killed before there was anything to store.
		opened=$((opened + 1))
		now=$total
	elif now=$(runs_stored "$CONTEND_STORE"); then
		opened=$((opened + 1))
	else
		now=$total
	fi
	have=$((now - total))
	if [ $have -ge $least ] && [ $have -le $most ]; then
		whole=$((whole + 1))
	else
		note "round $i, $kind: $begun runs begun, $have stored"
	fi
	total=$now
done
note "$total runs in all"
is $killed $rounds 'a process was killed in every round'
is $opened $rounds 'the store opened after every one'
is $whole $rounds 'and held every run that had ended'
is $clean $rounds 'and no process was left'
is $went_on $((rounds * 2 / 3)) 'the experiment survived its agents and workers'

# Each experiment can be shown, those without an end too.
bad=0
for id in $("$CONTEND" show --format json |
	perl -MJSON::PP -e 'local $/; print map { "$_->{id}\n" } @{decode_json(<STDIN>)}'); do
	"$CONTEND" show "$id" >/dev/null || bad=$((bad + 1))
done
is $bad 0 'every experiment can be shown'

if command -v sqlite3 >/dev/null; then
	is "$(sqlite3 "$CONTEND_STORE" 'PRAGMA integrity_check')" ok 'SQLite finds the file sound'
else
	skip 'SQLite finds the file sound' 'sqlite3 is not installed'
fi

done_testing
