#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 of the agent, of the controller, or of both at random moments of a run with setups. Then
# the agent has put everything back, or the next start says that it was left and `contend undo` puts
# it back. RANDOM decides the moments; its seed is printed, CONTEND_TEST_SEED repeats it.
# CONTEND_LONG=1: 200 times.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=machine.sh
. "$TOP/tests/e2e/machine.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root may change this machine'
for setup in memcg zram thp; do
	can "$setup" || skip_all "$setup: $why"
done

seed=${CONTEND_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed"
times=20
[ -z "${CONTEND_LONG:-}" ] || times=200

words=(page_fault1 memcg=16M memcg.swap=128M zram=256M mthp=64k thp=always swappiness=150 overcommit=1
	size=32M window=100ms warmup=0)

# agents: those of the last job.
agents() {
	local pid
	for pid in $(processes); do
		[ ! "/proc/$pid/exe" -ef "$CONTEND_AGENT" ] || echo "$pid"
	done
}

free_machine
machine_before=$(machine)
left=0
for ((i = 0; i < times; i++)); do
	start "$CONTEND" run "${words[@]}" --runs 3
	sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
	case $((RANDOM % 3)) in
	0) kill -9 "$job" 2>/dev/null ;;
	# The agent and all that it forked.
	1) for pid in $(agents); do kill -9 "$pid" 2>/dev/null; done ;;
	2) for pid in "$job" $(agents); do kill -9 "$pid" 2>/dev/null; done ;;
	esac
	wait "$job" 2>/dev/null
	# An agent whose controller died puts things back, and ends.
	eventually are_gone
	if [ -e /run/contend/journal ]; then
		left=$((left + 1))
		run "$CONTEND" run null swappiness=99 window=20ms
		[[ $(tr -s '\n ' ' ' <<<"$out$err") =~ contend\ undo ]]
		say $? "kill $i: the next run says what to do" || note "$out$err"
		run "$CONTEND" undo
		is "$status" 0 "kill $i: undo"
	fi
	as_it_was "kill $i: the machine is as it was" || break
done
ok "a journal was left at least once ($left of $times)" [ "$left" -gt 0 ]
run "$CONTEND" undo
is "$status" 0 'undo once more is harmless'
like "$out" 'nothing to undo' 'undo once more has nothing to do'

done_testing
