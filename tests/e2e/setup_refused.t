#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Machines on which a setup cannot be had, made by mounts that nobody else sees: each is refused with its
# reason and status 4, and nothing has changed. And a machine that has swap areas of its own.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=machine.sh
. "$TOP/tests/e2e/machine.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root may change this machine'
unshare -m true 2>/dev/null || skip_all 'there are no mount namespaces here'

# elsewhere MOUNTS COMMAND...: the command where what MOUNTS, a line of shell, mounts is seen.
elsewhere() {
	local mounts=$1
	shift
	unshare -m sh -c "mount --make-rprivate / && $mounts || exit 99; exec \"\$@\"" sh "$@"
}

# refused_there MOUNTS PATTERN TITLE WORD...: a run with these words, there.
refused_there() {
	local mounts=$1 pattern=$2 title=$3
	shift 3
	free_machine
	run elsewhere "$mounts" "$CONTEND" run null "${quick[@]}" "$@"
	is "$status" 4 "$title: status"
	like "$(tr -s '\n ' ' ' <<<"$out$err")" "$pattern" "$title: the reason"
	as_it_was "$title: the machine is as it was"
}

# doctor_there MOUNTS SETUP PATTERN TITLE: what doctor says of it.
doctor_there() {
	run elsewhere "$1" "$CONTEND" doctor
	like "$(tr -s '\n ' ' ' <<<"$out")" " $2 no: $3" "$4: doctor"
}

free_machine
machine_before=$(machine)

# ---- /sys that cannot be written to ----

read_only='mount --bind /sys /sys && mount -o remount,bind,ro /sys'
for words in thp=always mthp=64k ksm=yes zswap=yes zram=64M; do
	can "$(sed 's/=.*//; s/^mthp/thp/' <<<"$words")" || {
		skip "read-only /sys: $words" "$why"
		continue
	}
	refused_there "$read_only" 'Read-only file system' "read-only /sys: $words" "$words"
	doctor_there "$read_only" "$(sed 's/=.*//; s/^mthp/thp/' <<<"$words")" '/sys/.*: Read-only' \
		"read-only /sys: $words"
done

# ---- no memory controller ----

none='mount -t tmpfs none /sys/fs/cgroup'
refused_there "$none" 'unsupported: set up memcg: no memory controller: ' 'no memory controller' memcg=64M
doctor_there "$none" memcg 'no memory controller: ' 'no memory controller'

# ---- no zram ----

none='mount -t tmpfs none /sys/block && mkdir -p /sys/block && (! test -d /sys/class/zram-control ||
	mount -t tmpfs none /sys/class/zram-control)'
refused_there "$none" 'unsupported: set up zram: .*/hot_add is not there: .*modprobe zram' 'no zram' zram=64M
doctor_there "$none" zram '.*modprobe zram' 'no zram'

# ---- no place for the journal ----

refused_there 'mount -t tmpfs -o size=4k none /run' '/run/contend/journal: write: No space left' \
	'room for the holder alone in /run' swappiness=99
refused_there 'mount -t tmpfs -o size=4k none /run && mkdir -m 700 /run/contend &&
	head -c 4096 /dev/zero >/run/contend/full' 'contend: /run/contend/holder: write: No space left' \
	'no room in /run' swappiness=99
refused_there 'mount -t tmpfs none /run && mount -o remount,ro /run' \
	'contend: create /run/contend: Read-only file system' 'read-only /run' swappiness=99

# ---- who is not root ----

if command -v setpriv >/dev/null; then
	chmod 711 "$TMPDIR"
	mkdir -m 777 nobody
	for words in thp=always zram=64M memcg=64M swap=off swappiness=99 min_free_kbytes=20000; do
		setpriv --reuid 65534 --clear-groups test -x "$CONTEND_AGENT" || {
			skip "not root: $words" 'nobody may not execute the programs'
			continue
		}
		run setpriv --reuid 65534 --clear-groups "$CONTEND" run null "${quick[@]}" "$words" \
			--store nobody/store.db
		is "$status" 4 "not root: $words: status"
		is "$(wc -l <run.err)" 1 "not root: $words: one line of reason"
		like "$err" 'only root may change this machine' "not root: $words: the reason"
	done
	as_it_was 'not root: the machine is as it was'
fi

# ---- swap areas of the user ----

# swaps: their paths, sizes and priorities.
swaps() {
	awk '{ print $1, $3, $5 }' /proc/swaps
}

areas=()

# swap_off: those that are left, and the scratch folder.
swap_off() {
	local area
	for area in "${areas[@]}"; do
		swapoff "$area" 2>/dev/null
	done
	cd / && rm -rf "$TMPDIR"
}
trap swap_off EXIT

# swap_area NAME OPTION...: a file of 16 MiB that is swapped on.
swap_area() {
	local file=$TMPDIR/$1
	shift
	dd if=/dev/zero of="$file" bs=1M count=16 status=none && chmod 600 "$file" &&
		mkswap "$file" >/dev/null 2>&1 && swapon "$@" "$file" 2>/dev/null && areas+=("$file")
}

if ! command -v mkswap >/dev/null || ! command -v swapon >/dev/null; then
	skip 'swap areas of the user' 'there is no mkswap or swapon'
elif ! swap_area first || ! swap_area 'the second' || ! swap_area third -p 5; then
	skip 'swap areas of the user' "no file of $TMPDIR can be swapped to"
else
	free_machine
	machine_before=$(machine)
	swaps_before=$(swaps)

	start "$CONTEND" run null window=1h swap=off
	eventually test "$(wc -l </proc/swaps)" != 4
	eventually sh -c '[ "$(wc -l </proc/swaps)" = 1 ]'
	is "$(swaps | tail -n +2)" '' 'swap=off: none'
	kill -INT "$job"
	wait "$job"
	is "$(swaps)" "$swaps_before" 'swap=off: all are back, with their priorities'
	as_it_was 'swap=off: the machine is as it was'

	start "$CONTEND" run null window=1h swap=off
	eventually sh -c '[ "$(wc -l </proc/swaps)" = 1 ]'
	mapfile -t doomed < <(processes)
	kill -9 "$job" "${doomed[@]}"
	wait "$job" 2>/dev/null
	eventually are_gone
	[ ! -e /run/contend/journal ] || run "$CONTEND" undo
	is "$(swaps)" "$swaps_before" 'swap=off, killed: all are back'

	if can zram; then
		until_ok run "$CONTEND" run null "${quick[@]}" zram=64M
		is "$status" 0 'zram= beside them: status'
		is "$(swaps)" "$swaps_before" 'zram= leaves them alone'
		until_ok run "$CONTEND" run null "${quick[@]}" zram=64M swap=off
		is "$status" 0 'zram= instead of them: status'
		is "$(swaps)" "$swaps_before" 'zram= instead of them: all are back'
	else
		skip 'zram= leaves them alone' "$why"
	fi
	as_it_was 'swap areas of the user: the machine is as it was'
fi

done_testing
