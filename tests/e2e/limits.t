#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Little of everything: stack, memory, descriptors, processes, size of files. It works, or it is said
# what was missing.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

tiny=(window=5ms warmup=0 --pairs 2)

# limited LIMIT COMMAND...: with a limit of bash's ulimit; `run` of the result. What the shell that
# started this left open counts against a limit, too, and is closed before.
limited() {
	local limit=$1
	shift
	run bash -c 'for open in /proc/self/fd/*; do
			[ "${open##*/}" -le 2 ] || eval "exec ${open##*/}>&-"
		done
		ulimit $1 && shift && exec "$@"' bash "$limit" "$@"
}

# works TITLE LIMIT: a comparison gets through, with all its runs.
works() {
	until_ok limited "$2" "$CONTEND" ab null "${tiny[@]}"
	is "$status: $err" '3: ' "$1"
	unlike "$out" 'failed|crashed|timeout' "$1: no run failed"
}

# ---- stack ----

works 'a stack of 64 KiB' '-s 64'
works 'a stack of 32 KiB' '-s 32'

# ---- memory: the dynamic loader needs some before it is anybody's turn ----

# Each ends with what was missing, or works; the least of them are too little.
said=0 worked=0 wrong=''
for kib in 5000 6000 7000 8000 12000 16000 32000; do
	limited "-v $kib" "$CONTEND" ab null "${tiny[@]}" --store "memory.$kib.db"
	case $status in
	3) worked=$((worked + 1)) ;;
	4 | 127) if [ "$(wc -l <run.err)" = 1 ] || [ -s run.out ]; then said=$((said + 1)); else wrong+=" $kib:$status"; fi ;;
	*) wrong+=" $kib:$status:$err" ;;
	esac
done
is "$wrong" '' 'little memory: each run of the program has an outcome'
ok 'little memory: it works with enough' [ "$worked" -ge 1 ]
ok 'little memory: it says so where there is not' [ "$said" -ge 1 ]

# A store that cannot be read for want of memory is not a damaged one.
"$CONTEND" ab null window=5ms warmup=0 raw=20000 --pairs 4 --store large.db >/dev/null
unsound=0 short=0
for kib in 300 400 500 600 700 800 1000 1200 1500 2000; do
	limited "-d $kib" "$CONTEND" run null window=5ms --store large.db
	[ "$status" = 4 ] && short=$((short + 1))
	! [[ $err =~ damaged ]] || unsound=$((unsound + 1))
done
is "$unsound" 0 'little memory: no store is called damaged'
ok 'little memory: for some of them it was too little' [ "$short" -ge 1 ]

# ---- descriptors ----

limited '-n 4' "$CONTEND" ab null "${tiny[@]}"
is "$status" 4 '4 descriptors: status'
is "$err" 'contend: heed interrupts: pipe: Too many open files' '4 descriptors: the reason'
for count in 6 8; do
	limited "-n $count" "$CONTEND" ab null "${tiny[@]}"
	is "$status" 4 "$count descriptors: status"
	is "$err" 'contend: ask the agent what it has: start the agent: pipe: Too many open files' \
		"$count descriptors: the reason"
done
limited '-n 14' "$CONTEND" run null window=5ms
is "$status" 4 '14 descriptors: status'
like "$out" 'Too many open files' '14 descriptors: the reason'
limited '-n 16' "$CONTEND" run null window=5ms
is "$status" 4 '16 descriptors: status'
like "$(tr -s ' \n' ' ' <run.out)" ' 1 process needs 17 open files: the limit is 16' '16 descriptors: the reason'
works '24 descriptors' '-n 24'
works '100 descriptors' '-n 100'
limited '-n 200' "$CONTEND" run null tasks=300 window=5ms
is "$status" 4 'a descriptor for each of 300 processes: status'
like "$(tr -s ' \n' ' ' <run.out)" '300 processes need [0-9]+ open files: the limit is 200' \
	'a descriptor for each of 300 processes: the reason'

# ---- processes: the limit does not hold for root ----

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir nobody
	chmod 755 "$TMPDIR"
	chmod 777 nobody
	cp "$CONTEND" "$CONTEND_AGENT" nobody
	# An id that nobody else's processes have.
	as=(setpriv --reuid 64999 --regid 64999 --clear-groups)
	if "${as[@]}" test -x "$TMPDIR/nobody/contend"; then
		CONTEND_AGENT=$TMPDIR/nobody/contend-agent CONTEND_STORE=$TMPDIR/nobody/store.db
		limited '-u 1' "${as[@]}" nobody/contend ab null "${tiny[@]}"
		is "$status" 4 'no other process: status'
		is "$err" 'contend: ask the agent what it has: start the agent: fork: Resource temporarily unavailable' \
			'no other process: the reason'
		limited '-u 2' "${as[@]}" nobody/contend run null window=5ms
		is "$status" 4 'no process for the worker: status'
		like "$(tr -s ' \n' ' ' <run.out)" 'task 0: fork: Resource temporarily unavailable' \
			'no process for the worker: the reason'
		limited '-u 4' "${as[@]}" nobody/contend run null mode=thread tasks=8 window=5ms
		is "$status" 4 'not enough threads: status'
		like "$(tr -s ' \n' ' ' <run.out)" 'start 8 threads: Resource temporarily unavailable' \
			'not enough threads: the reason'
		CONTEND_AGENT=$BUILD/contend-agent CONTEND_STORE=$TMPDIR/store.db
	else
		skip 'a limit of processes' "others may not enter $TMPDIR"
	fi
else
	skip 'a limit of processes' 'it does not hold for this user, and setpriv is needed to be another'
fi

# ---- size of files: store.t has what happens in the middle of an experiment ----

for kib in 1 8 16; do
	limited "-f $kib" "$CONTEND" ab null "${tiny[@]}" --store size.db
	is "$status" 4 "files of $kib KiB: status"
	like "$err" '^contend: store size\.db: .*File too large$' "files of $kib KiB: the reason"
done
run "$CONTEND" ab null "${tiny[@]}" --store size.db
like "$status" '^[34]$' 'and the store can be used without the limit'
ok 'and the runs are in it' [ "$(runs_stored size.db)" = 4 ]

done_testing
