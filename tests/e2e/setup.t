#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Setups on the real machine: they do what they say, everything is put back, and what a machine or a
# user cannot have is refused before anything is changed.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=machine.sh
. "$TOP/tests/e2e/machine.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

# ---- what there is ----

run "$CONTEND" list setups
is "$status" 0 'list setups: status'
for setup in memcg zram thp swappiness; do
	like "$out" "(^|[[:cntrl:]])  $setup " "list setups has $setup"
done
like "$out" 'memcg\.swap' 'list setups has the parameters'
run "$CONTEND" list page_fault1
unlike "$out" 'zram\.algorithm' 'a workload does not list the parameters of setups'

refused 2 "setup memcg has no parameter 'memcg\.swp'" 'a parameter that no setup has' \
	"$CONTEND" run null memcg.swp=1M
refused 2 'memcg=lots: ' 'a value that is none' "$CONTEND" run null memcg=lots

# ---- what is of the run's processes alone ----

# a_worker: into $worker the process of the task; it has begun.
a_worker() {
	for worker in $(processes); do
		[ "$(comm_of "$worker")" != task ] || return 0
	done
	return 1
}

# addresses WORD...: into $addresses where the task of a run has its memory, and what the run says of it.
addresses() {
	start "$CONTEND" run null window=1h "$@"
	eventually a_worker
	addresses=$(cut -d ' ' -f 1 "/proc/$worker/maps")
	personality=$(cat "/proc/$worker/personality")
	agent_comm=$(comm_of "$(stat_of "$worker" 2)")
	kill -INT "$job"
	wait "$job"
	eventually are_gone
}

if [ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ]; then
	addresses
	before=$addresses
	addresses
	ok 'as it is: other addresses in each run' [ "$addresses" != "$before" ]
	addresses aslr=off
	before=$addresses
	is "$personality" 00040000 'aslr=off: the personality of a task'
	is "$agent_comm" contend-agent 'aslr=off: the name of the agent'
	addresses aslr=off
	is "$addresses" "$before" 'aslr=off: the same addresses in each run'
	run cat /proc/self/personality
	is "$out" 00000000 'aslr=off: nobody else'
else
	skip 'aslr=off' 'kernel.randomize_va_space is 0'
fi
until_ok run "$CONTEND" run null "${quick[@]}" aslr=off --format json
is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' 'aslr=off: the outcome'
is "$(json machine.host.personality)" 00040000 'aslr=off: the machine of the report'

# ---- who is not root ----

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 711 "$TMPDIR"
	mkdir -m 777 nobody
	if setpriv --reuid 65534 --clear-groups test -x "$CONTEND_AGENT"; then
		run setpriv --reuid 65534 --clear-groups "$CONTEND" run null "${quick[@]}" memcg=64M \
			--store nobody/store.db
		is "$status" 4 'not root: status'
		like "$out$err" 'only root may change this' 'not root: the reason'
		until_ok run setpriv --reuid 65534 --clear-groups "$CONTEND" run null "${quick[@]}" \
			cpus=0 aslr=off --store nobody/store.db
		is "$status" 0 "not root: what is of the run's processes alone"
	else
		skip 'not root' 'nobody may not execute the programs'
	fi
fi

[ "$(id -u)" = 0 ] || {
	skip 'setups' 'only root may change this machine'
	done_testing
}
free_machine
machine_before=$(machine)

# setup_run TITLE WORD...: a run that is ok.
setup_run() {
	local title=$1
	shift
	until_ok run "$CONTEND" run "$@" --format json
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	as_it_was "$title: the machine is as it was"
}

# ---- one after the other ----

if can memcg; then
	setup_run 'memcg' page_fault1 memcg=64M size=1M "${quick[@]}"
	run "$CONTEND" run page_fault1 memcg=8M memcg.swap=0 size=64M window=300ms warmup=0
	like "$(tr -s '\n ' ' ' <<<"$out")" 'out of memory, the kernel.s OOM killer killed [0-9]+ in this memory cgroup' \
		'a limit below what the run needs: said as such'
	is "$status" 4 'a limit below what the run needs: status'
	as_it_was 'out of memory: the machine is as it was'
	run "$CONTEND" run null memcg.swap=64M "${quick[@]}"
	like "$out$err" 'need memcg=' 'memcg.swap= alone'
	if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
		run "$CONTEND" run null memcg=64M memcg.high=32M "${quick[@]}"
		like "$out" 'cgroup v1 has no such limit' 'memcg.high= on v1'
		is "$status" 4 'memcg.high= on v1: status'
	fi
	as_it_was 'refused: the machine is as it was'
else
	skip 'memcg' "$why"
fi

if can thp; then
	setup_run 'huge pages' page_fault1 thp=always mthp=64k khugepaged=no size=8M "${quick[@]}"
	run "$CONTEND" run null mthp=48k "${quick[@]}"
	like "$(tr -s '\n ' ' ' <<<"$out")" "'48k' is no size of this kernel, which offers " 'a size that there is not'
	as_it_was 'a size that there is not: the machine is as it was'
else
	skip 'huge pages' "$why"
fi

setup_run 'values' null swappiness=150 overcommit=1 min_free_kbytes=20000 cpus=0 "${quick[@]}"
run "$CONTEND" run null cpus=0,4095 "${quick[@]}"
like "$(tr -s '\n ' ' ' <<<"$out$err")" 'cpus=0,4095: ' 'a CPU that there is not'

if can zram && can memcg; then
	setup_run 'zram' page_fault1 memcg=16M zram=256M size=32M window=300ms warmup=0
	run "$CONTEND" run null zram=64M zram.algorithm=squash "${quick[@]}"
	like "$(tr -s '\n ' ' ' <<<"$out")" 'zram\.algorithm=squash: this kernel offers .*lz' \
		'an algorithm that there is not: what there is'
	as_it_was 'an algorithm that there is not: the machine is as it was'
	run "$CONTEND" ab null "${quick[@]}" --a zram=64M --b zram=64M,zram.priority=7 --pairs 2 --format json
	is "$(json subjects.0.params.b.zram.priority)" null 'arms may differ in a setup'
	as_it_was 'two arms: the machine is as it was'
	more=$(awk '/^MemTotal:/ { printf "%dM", $2 / 1000 }' /proc/meminfo)
	setup_run 'more than there is memory' null "zram=$more" "${quick[@]}"
	like "$out" 'more than the memory of this machine' 'more than there is memory: said'
else
	skip 'zram' "$why"
fi

# ---- what the machine is said to be ----

until_ok run "$CONTEND" ab null "${quick[@]}" --a swappiness=150 --b swappiness=50 --pairs 4
like "$(tr -s '\n ' ' ' <<<"$out")" 'DIFFERS between the arms: swappiness 150 \(A\), 50 \(B\)' \
	'the machine is what the runs had'
unlike "$out" 'CHANGED' 'what setups change is no change between the runs'
# With setups the machine that they were applied to is the same.
until_ok run "$CONTEND" ab null "${quick[@]}" swappiness=150 aslr=off cpus=0 --pairs 8 --store plan.db
run "$CONTEND" plan null "${quick[@]}" swappiness=150 aslr=off cpus=0 --store plan.db
unlike "$out$err" 'another[[:space:]]+state' 'what setups change is no other state of the machine'

# ---- two at once ----

start "$CONTEND" run null swappiness=99 window=20s
eventually grep -qx 99 /proc/sys/vm/swappiness
before=$(last command)
run "$CONTEND" run null swappiness=98 "${quick[@]}"
like "$(tr -s '\n ' ' ' <<<"$out$err")" \
	'another experiment has this machine for its setups: its agent is process [0-9]+' \
	'the second one is told who holds the machine'
is "$status" 4 'the second one: status'
is "$(last command)" "$before" 'the second one is not in the store'
refused 4 'another experiment has this machine' 'nothing is undone below a run' "$CONTEND" undo
kill -INT "$job"
wait "$job"
is $? 5 'the first one, interrupted: status'
as_it_was 'interrupted: the machine is as it was'

done_testing
