#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ctrl-C keeps what was measured and prints the verdict so far.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

# signalled SIGNAL: an experiment that gets it after a while.
signalled() {
	local stored
	stored=$(runs_stored "$CONTEND_STORE" 2>/dev/null)
	start "$CONTEND" ab null "${quick[@]}" --pairs 5000
	eventually are_stored $((${stored:-0} + 4))
	kill -"$1" "$job"
	wait "$job"
	status=$?
	out=$(cat job.out)
	err=$(cat job.err)
}

for signal in INT TERM HUP; do
	until_ok signalled $signal
	is "$status" 5 "SIG$signal: status"
	is "$err" '' "SIG$signal: nothing on standard error"
	like "$out" '^null: ' "SIG$signal: the report of what there is"
	is "$(last end)" interrupted "SIG$signal: the store knows"
	is "$("$CONTEND" show "$(last id)")" "$out" "SIG$signal: show prints the same"
	ok "SIG$signal: no process is left" eventually are_gone
done
stored=$(runs_stored "$CONTEND_STORE")

# Where looks are taken the verdict so far is that of the last look.
start "$CONTEND" ab null "${quick[@]}" --margin 0% --budget 1h
ok 'with a budget: the experiment runs' eventually are_stored $((stored + 4))
kill -INT "$job"
wait "$job"
is $? 5 'with a budget: status'
like "$(cat job.out)" 'interrupted' 'with a budget: the report says so'

# A long window is cut, not waited for: an hour would be noticed.
start "$CONTEND" run null window=1h
ok 'a long run is under way' eventually are_processes 3
kill -INT "$job"
wait "$job"
is $? 5 'a long run: status'
like "$(cat job.out)" 'interrupted' 'a long run: the report says so'
ok 'a long run: no process is left' eventually are_gone

# Of several runs those that ended are described. These are never invalid, however busy it is here.
stored=$(runs_stored "$CONTEND_STORE")
CONTEND_AGENT=$TOP/tests/e2e/fake_agent start "$CONTEND" run made --runs 5000
ok 'several runs are under way' eventually are_stored $((stored + 3))
kill -INT "$job"
wait "$job"
is $? 5 'several runs: status'
like "$(cat job.out)" 'ended: interrupted: [0-9]+ of 5000 planned runs' 'several runs: the report says so'
is "$(last end)" interrupted 'several runs: the store knows'
is "$("$CONTEND" show "$(last id)")" "$(cat job.out)" 'several runs: show prints the same'
ok 'several runs: no process is left' eventually are_gone

# timeout(1) sends a signal to the process and to its group: that is one wish.
start timeout -s TERM 1h "$CONTEND" run null window=1h
ok 'timeout: a run is under way' eventually are_processes 4
kill -TERM "$job"
wait "$job"
is $? 5 'timeout: status'
ok 'timeout: no process is left' eventually are_gone

# An agent that does not hear that it is to leave is not waited for when the user insists.
cat >deaf <<'END'
#!/bin/bash
read -r job
case $job in
*'"describe"'*) printf '%s\n' "$job" | "$REAL_AGENT" ;;
*)
	echo >deaf.begun
	while kill -0 "$PPID"; do
		sleep 0.1
	done
	;;
esac
END
chmod +x deaf
export REAL_AGENT=$CONTEND_AGENT
CONTEND_AGENT=$TMPDIR/deaf start "$CONTEND" run null
ok 'a deaf agent is under way' eventually test -e deaf.begun
kill -INT "$job"
sleep 0.5
kill -INT "$job"
wait "$job"
is $? 130 'twice: killed by the signal'
ok 'twice: no process is left' eventually are_gone

# nohup: an ignored hang-up stays ignored.
hung_up() {
	local stored
	stored=$(runs_stored "$CONTEND_STORE")
	start sh -c 'trap "" HUP; exec "$@"' sh "$CONTEND" ab null "${quick[@]}" --pairs 20
	eventually are_stored $((stored + 1))
	kill -HUP "$job"
	wait "$job"
	status=$?
	out=$(cat job.out)
	err=$(cat job.err)
}
until_ok hung_up
like "$status" '^[013]$' 'an ignored SIGHUP: the experiment goes on'

done_testing
