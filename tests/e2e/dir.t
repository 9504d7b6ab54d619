#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Workloads with files, dir=: the file system is recorded and shown, what cannot be is said before
# anything is measured, and no file is left, however a run ends.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

with_files=(mmap2 page_fault2 page_fault3 tlb_flush1 tlb_flush3)
short=(size=1M window=20ms warmup=1ms)
mkdir files

# cannot PATTERN TITLE WORKLOAD WORD...: the run is unsupported for a reason, and leaves no file.
cannot() {
	local pattern=$1 title=$2
	shift 2
	run "$CONTEND" run "$@" "${short[@]}" --format json
	is "$status: $(json runs.0.outcome)" '4: unsupported' "$title: the outcome"
	like "$(json runs.0.reason)" "$pattern" "$title: the reason"
}

# ---- where ----

for workload in "${with_files[@]}"; do
	until_ok run "$CONTEND" run "$workload" "${short[@]}" dir=files --format json
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$workload: the outcome"
	is "$(json machine.host.dir_filesystem)" \
		"$(findmnt -no FSTYPE -T files) at $(findmnt -no TARGET -T files)" \
		"$workload: its file system is recorded"
done
until_ok run "$CONTEND" run mmap2 "${short[@]}"
like "${out//$'\n'/ }" "files on( )+$(findmnt -no FSTYPE -T "$TMPDIR") at " 'TMPDIR is the default'
run env -u TMPDIR "$CONTEND" run mmap2 "${short[@]}" --format json
is "$(json machine.host.dir_filesystem)" \
	"$(findmnt -no FSTYPE -T /tmp) at $(findmnt -no TARGET -T /tmp)" 'otherwise it is /tmp'
run "$CONTEND" run mmap1 "${short[@]}" --format json
is "$(json machine.host.dir_filesystem)" null 'no file system where there are no files'
if [ "$(stat -fc %T /dev/shm 2>/dev/null)" = tmpfs ] && [ "$(stat -fc %T files)" != tmpfs ]; then
	until_ok run "$CONTEND" ab mmap2 "${short[@]}" --a dir=files --b dir=/dev/shm --pairs 2
	like "${out//$'\n'/ }" 'DIFFERS between the arms:.* tmpfs at( )+/dev/shm' \
		'arms on different file systems: said'
else
	skip 'arms on different file systems: said' 'no tmpfs at /dev/shm beside another one'
fi

# ---- what cannot be ----

touch plain
for workload in "${with_files[@]}"; do
	cannot 'dir=/no/such.*: cannot make a file: No such file or directory' \
		"$workload, no such folder" "$workload" dir=/no/such
done
cannot 'dir=plain .*: cannot make a file: Not a directory' 'a file' page_fault3 dir=plain
cannot 'dir=/proc \(proc at /proc\): cannot make a file: ' '/proc' page_fault3 dir=/proc
run "$CONTEND" run page_fault2 size=4097 dir=files "${short[@]:1}" --format json
like "$(json runs.0.reason)" 'size=4097: not whole pages' 'not whole pages'
run env TMPDIR=/no/such "$CONTEND" run mmap2 "${short[@]}" --format json
like "$(json runs.0.reason)" '^TMPDIR=/no/such: cannot make a file: ' 'TMPDIR that is not there'
echo '{"contend":1,"job":"run","id":"1","workload":"page_fault3","params":{"dir":"files"}}' >job
like "$(ulimit -f 10 && "$CONTEND_AGENT" <job)" 'limit of file sizes \(ulimit -f\)' \
	'the limit of file sizes'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$TMPDIR" files
	cp "$CONTEND_AGENT" agent
	like "$(setpriv --reuid=65534 --clear-groups ./agent <job)" \
		'dir=files .*: cannot make a file: Permission denied' 'a folder of somebody else'
else
	skip 'a folder of somebody else' 'needs root'
fi

# ---- with mounts of our own ----

# mounted TYPE OPTIONS PATTERN TITLE WORKLOAD WORD...: as cannot, on a new file system.
mounted() {
	local type=$1 options=$2 pattern=$3 title=$4 left
	shift 4
	run unshare -m bash -c '
		mount -t "$1" -o "$2" none files || exit 77
		shift 2
		"$@" || result=$?
		ls -A files >left
		exit "${result:-0}"' - "$type" "$options" \
		"$CONTEND" run "$@" dir=files window=20ms warmup=1ms --format json
	if [ "$status" = 77 ]; then
		skip "$title: the outcome" "no $type can be mounted"
		return
	fi
	is "$status: $(json runs.0.outcome)" '4: unsupported' "$title: the outcome"
	like "$(json runs.0.reason)" "$pattern" "$title: the reason"
	left=$(cat left)
	is "$left" '' "$title: no file is left"
}

if unshare -m true 2>/dev/null; then
	full='dir=files \(tmpfs at .*/files\): the file system is full: it has room for 64\.00 KiB'
	for workload in page_fault2 page_fault3 tlb_flush1 tlb_flush3; do
		mounted tmpfs size=64k "$full" "$workload, full" "$workload" size=1M
	done
	mounted tmpfs size=1536k 'the files of all tasks need 2\.0' 'full with the second task' \
		page_fault3 size=1M tasks=2
	mounted tmpfs ro 'Read-only file system' 'read-only' page_fault3 size=1M
	mounted mqueue rw 'cannot map its files shared: .*No such device' 'without mmap' \
		page_fault3 size=1M
	mounted mqueue rw 'cannot map its files privately: .*No such device' 'without mmap' mmap2 \
		size=1M
	# What is never touched needs no room.
	run unshare -m bash -c 'mount -t tmpfs -o size=64k none files && exec "$@"' - \
		"$CONTEND" run mmap2 size=1M dir=files "${short[@]:1}" --format json
	is "$(json runs.0.reason)" '' 'mmap2 in a full file system'
	# It has no fallocate().
	until_ok run unshare -m bash -c 'mount -t ramfs none files && exec "$@"' - \
		"$CONTEND" run page_fault3 dir=files "${short[@]}" --format json
	is "$(json runs.0.reason)" '' 'a file system without fallocate()'
else
	skip 'with mounts of our own' 'needs root'
fi

# ---- nothing is left ----

"$CONTEND" run page_fault3 size=1M dir=files window=60s --quiet >/dev/null 2>&1 &
controller=$!
worker=
while kill -0 "$controller" 2>/dev/null && [ -z "$worker" ]; do
	worker=$(find /proc/[0-9]*/fd -lname "$PWD/files/*deleted*" 2>/dev/null | head -n 1)
	sleep 0.05
done
like "$worker" '/proc/[0-9]+/fd/' 'while it runs there is a file'
is "$(ls -A files)" '' 'and it has no name'
agent=$(pgrep -P "$controller")
kill -KILL "$agent" "$controller"
wait "$controller" 2>/dev/null
is "$(ls -A files)" '' 'killed: nothing is left'

done_testing
