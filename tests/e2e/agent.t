#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The agent needs a kernel and nothing else: it works where there is no other file.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root may change the root folder'
chroot / true 2>/dev/null || skip_all 'the root folder cannot be changed here'

mkdir root
cp "$CONTEND_AGENT" root/contend-agent

# The agent stops when its input hangs up. This one never does: it is open for writing too.
mkfifo input
exec 3<>input

# ask JOB: one line of it, in a folder with the agent alone.
ask() {
	printf '%s\n' "$1" >&3
	chroot root /contend-agent <&3
}

# answer FILTER: of the answer in $out.
answer() {
	local lines=$out out

	# Not in the environment of json: a description is longer than that may be.
	out=$(grep '"type":"answer"' <<<"$lines")
	json "answer.$1"
}

run ask '{"contend":1,"job":"describe","id":"d"}'
is "$status" 0 'describe: status'
is "$err" '' 'describe: nothing on standard error'
like "$(tail -n 1 run.out)" '"type":"end"' 'describe: it came to the end'
ok 'describe: there are workloads' [ "$(answer workloads)" -gt 1 ]

is "$(answer cpus)" "$(nproc)" 'describe: the CPUs that tasks may use'

null_job() {
	run ask '{"contend":1,"job":"run","id":"n","workload":"null","params":{"window":"50ms"}}'
	its_status=$status
	# What contend would make of it.
	[ "$(answer outcome)" = ok ] || status=4
}

until_ok null_job
is "$its_status" 0 'a run: status'
is "$err" '' 'a run: nothing on standard error'
like "$(tail -n 1 run.out)" '"type":"end"' 'a run: it came to the end'
is "$(answer outcome): $(answer reason)" 'ok: ' 'a run: the outcome'
is "$(answer tasks.0.role)" task 'a run: its task was counted'
is "$(answer slices.0.role)" task 'a run: its window has slices'
is "$(ls root)" contend-agent 'nothing was left in the folder'

done_testing
