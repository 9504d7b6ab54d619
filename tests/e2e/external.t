#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Test cases from shared objects, which tests/external has the sources of: what they get, and what
# becomes of those that misbehave. Each is built by the line that `contend list external` gives.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

if ! command -v gcc >/dev/null; then
	skip_all 'no gcc to build the test cases'
fi
export FOLDER=$TMPDIR
for name in behave nothing unresolved own other_abi; do
	gcc -O2 -shared -fPIC -I"$TOP/include" -o "$name.so" "$TOP/tests/external/$name.c" ||
		echo "# $name does not build"
done
gcc -O2 -shared -fPIC -I"$TOP/include" -o mlock.so "$TOP/examples/mlock.c" ||
	echo '# the example does not build'

# external FILE [KEY=VALUE...]: a short run, its report as JSON in out.
external() {
	local file=$1
	shift
	rm -f prepared cleaned daemon
	start "$CONTEND" run external file="./$file" window=50ms warmup=5ms "$@" --format json
	wait "$job"
	status=$?
	out=$(cat job.out)
	err=$(cat job.err)
}

# record FIELD: of the newest run that is stored.
record() {
	sqlite3 "$CONTEND_STORE" "SELECT json_extract(record, '\$.$1') FROM run ORDER BY id DESC LIMIT 1"
}

# ends OUTCOME REASON TITLE: what the last run came to, and nothing of it is left.
ends() {
	is "$(record outcome)" "$1" "$3: $1"
	like "$(record reason)" "$2" "$3: the reason"
	ok "$3: no process is left" eventually are_gone
}

# What a test case of will-it-scale gets.
for mode in process thread; do
	until_ok external behave.so mode=$mode tasks=2
	is "$status: $err" '0: ' "$mode: it runs"
	like "$(json runs.0.figures.0.value)" '^[1-9]' "$mode: it has a rate"
	is "$(record program.description)" 'Behaves as it is told' "$mode: the record says what it calls itself"
	is "$(record program.sha256)" "$(sha256sum behave.so | cut -d' ' -f1)" "$mode: which file it was"
	is "$(record program.file)" "$(realpath behave.so)" "$mode: and where"
	is "$(tail -n 1 prepared)" 2 "$mode: testcase_prepare() is called with the number of tasks"
	is "$(wc -l <prepared) $(wc -l <cleaned)" '1 1' "$mode: both hooks are called once"
	is "$(record 'slices[0].role')" task "$mode: it has slices"
	is "$(record 'series')" '[]' "$mode: nothing is timed"
	ok "$mode: two tasks" [ "$(record 'tasks[0].pid')" != "$(record 'tasks[1].pid')" ]
	ok "$mode: no process is left" eventually are_gone
	until_ok external behave.so mode=$mode tasks=2 record=no
	is "$status" 0 "$mode: record=no changes nothing"
done

# What one of your own gets.
for mode in process thread; do
	until_ok external mlock.so mode=$mode tasks=2
	is "$status: $err" '0: ' "own, $mode: it runs"
	like "$(json runs.0.figures.1.value)" '^[1-9]' "own, $mode: it is timed"
	is "$(record program.kind)" contend_work "own, $mode: the record says so"
	ok "own, $mode: its samples are its operations" \
		[ "$(record 'series[0].histogram.count')" = "$(($(record 'tasks[0].counters.operations') + $(record 'tasks[1].counters.operations')))" ]
	ok "own, $mode: no process is left" eventually are_gone
done
until_ok external mlock.so record=no
is "$(record 'series'):$status" '[]:0' 'own, record=no: nothing is timed'
until_ok external mlock.so delay=10% raw=3
is "$status:$(sqlite3 "$CONTEND_STORE" "SELECT json_array_length(record, '\$.series[0].raw[0]') FROM run ORDER BY id DESC LIMIT 1")" \
	0:3 'own: delay= and raw= work'

# Those that misbehave. BEHAVE is read in the test case.
misbehaves() {
	local behave=$1 mode=$2 outcome=$3 reason=$4
	BEHAVE=$behave external behave.so mode="$mode" tasks=2
	ends "$outcome" "$reason" "$behave, $mode"
}
for mode in process thread; do
	who='a task'
	[ $mode = thread ] || who='task [01]'
	one='a task'
	[ $mode = thread ] || one='task 1'
	misbehaves crash_prepare $mode crashed '^its prepare function: killed by SIGSEGV$'
	misbehaves exit_prepare $mode failed '^its prepare function: ended its process with exit status 3: no such device: /dev/fast$'
	misbehaves crash $mode crashed "^$one: killed by SIGSEGV\$"
	misbehaves assert $mode crashed "^$who: killed by SIGABRT: .*behave\.c:[0-9]+: begin: Assertion .* failed\.\$"
	misbehaves exit $mode failed "^$who: ended its process with exit status 0\$"
	misbehaves quick_exit $mode failed "^$who: ended its process with exit status 7\$"
	misbehaves return $mode failed '^task [01]: testcase\(\) returned'
	misbehaves idle $mode invalid '^task [01] completed no operation in its window'
	misbehaves count_back $mode invalid '^task [01] counted [0-9]+ iterations when its window began and [0-9]+ when it ended'
	misbehaves stray $mode invalid '^task [01] was pinned to CPU [0-9]+, but .* could run on [0-9]+ CPUs$'
done

# Those that do what is none of our business. They run.
behaves() {
	local behave=$1 mode=$2
	BEHAVE=$behave until_ok external behave.so mode="$mode" tasks=2
	is "$status: $err" '0: ' "$behave, $mode: it runs"
	ok "$behave, $mode: no process is left" eventually are_gone
}
for mode in process thread; do
	behaves print $mode
	behaves close $mode
	behaves close_prepare $mode
	behaves ignore_children $mode
	behaves helper $mode
	behaves daemon $mode
	like "$(cat daemon)" '^[0-9]+' "daemon, $mode: there was one"
	behaves malloc $mode
	is "$(wc -l <cleaned)" 1 "malloc, $mode: its cleanup is called"
	behaves endless_cleanup $mode
done

# One of your own that misbehaves.
own() {
	local behave=$1 outcome=$2 reason=$3 mode=$4
	BEHAVE=$behave external own.so tasks=2 mode="$mode"
	ends "$outcome" "$reason" "own $behave, $mode"
}
for mode in process thread; do
	own refuse unsupported '^there is no moon tonight$' $mode
	own refuse_silently unsupported '^contend_prepare\(\) refuses, and does not say why$' $mode
	own never_begin failed 'operations failed, the first one with EINVAL' $mode
	own begin_late failed 'operations failed, the first one with EINVAL' $mode
	own fail failed '^task [01]: [0-9]+ of [0-9]+ operations failed, the first one with ENODEV' $mode
	own leave failed '^task [01]: the loop ended before the window did$' $mode
	own crash crashed 'killed by SIGSEGV$' $mode
done

# Files that are none.
refused_file() {
	external "$1"
	is "$status" 4 "$1: status"
	ends unsupported "$2" "$1"
}
echo 'int main(void) { return 0; }' >text.c
gcc -c -o compiled.so text.c
cp behave.so foreign.so
# e_machine: SPARC.
printf '\002\000' | dd of=foreign.so bs=1 seek=18 conv=notrunc 2>/dev/null
head -c 100 behave.so >cut.so
mkfifo fifo.so
mkdir folder.so
refused_file missing.so 'file \./missing\.so: open: No such file or directory'
refused_file text.c 'file \./text\.c: not a shared object: it is no ELF file'
refused_file compiled.so 'object file of the compiler: link it with -shared'
refused_file foreign.so 'a file for another machine: ELF machine 2'
refused_file cut.so 'has no testcase\(\).* defines nothing'
refused_file fifo.so 'not a file'
refused_file folder.so 'not a file'
refused_file nothing.so 'has no testcase\(\).*: it defines (frobnicate, twiddle|twiddle, frobnicate)$'
refused_file unresolved.so 'undefined symbol: frobnicate_the_kernel'
refused_file other_abi.so 'of ABI 99, this contend-runner knows ABI 1'
refused 2 'external: file= must be given' 'no file' "$CONTEND" run external
refused 2 '--b: external: file= must be given|external: --b: file= must be given' 'a file for one arm' \
	"$CONTEND" ab external --a file=./behave.so --b tasks=2
for key in delay=5% raw=7; do
	external behave.so $key
	ends unsupported "^$key: testcase\(\) never looks up" "$key"
done

# The runner.
CONTEND_RUNNER=$TMPDIR/nowhere external behave.so
ends unsupported 'execute .*/nowhere: No such file' 'no runner'
printf '#!/bin/sh\necho "this is version 0.0.9, the agent has another" >&2\nexit 2\n' >old
chmod +x old
CONTEND_RUNNER=$TMPDIR/old external behave.so
ends failed '^contend-runner: ended its process with exit status 2: this is version 0\.0\.9' 'a runner of another version'

# Arms are files.
cp behave.so other.so
until_ok run "$CONTEND" ab external --a file=./behave.so --b file=./other.so --pairs 1 window=50ms warmup=5ms
like "$out" 'file=\./behave\.so' 'two files are compared'
gcc -O0 -shared -fPIC -I"$TOP/include" -o other.so "$TOP/tests/external/behave.c"
until_ok run "$CONTEND" ab external --a file=./behave.so --b file=./other.so --pairs 1 window=50ms warmup=5ms
like "$out" 'program[[:space:]]behave\.so,[[:space:]]' \
	'the report says that they are not the same'
# A file that becomes another one while it runs.
BEHAVE=daemon start "$CONTEND" run external file=./other.so window=5s warmup=5ms
eventually [ -e daemon ]
cp behave.so new.so
mv new.so other.so
wait "$job"
ends invalid "the program's file changed during the run" 'a file that changes'

# Killed, whoever it is; with test cases that have left their process group and session.
child_of() {
	local pid
	for pid in $(processes); do
		if [ "$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$pid/stat" 2>/dev/null)" = "$1" ]; then
			echo "$pid"
			return
		fi
	done
}
# Called by eventually.
# shellcheck disable=SC2317
two_daemons() {
	[ -e daemon ] && [ "$(wc -l <daemon)" = 2 ]
}
for mode in process thread; do
	for victim in agent keeper controller; do
		rm -f daemon
		BEHAVE=daemon start "$CONTEND" run external file=./behave.so mode=$mode tasks=2 window=1h
		eventually two_daemons
		agent=$(child_of "$job")
		case $victim in
		controller) pid=$job ;;
		agent) pid=$agent ;;
		keeper) pid=$(child_of "$agent") ;;
		esac
		kill -KILL "$pid"
		wait "$job" 2>/dev/null
		ok "kill -9 of the $victim, $mode: no process is left" eventually are_gone
	done
done

if [ -n "${CONTEND_LONG:-}" ]; then
	for mode in process thread; do
		misbehaves endless_prepare $mode timeout '^task 0 was not ready after 20 s: its prepare function has not returned$'
	done
fi

done_testing
