# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests that change the machine: what it is like, and what nobody may be left with. Sourced after
# tap.sh.

# machine: its settings of memory management, a line each: what can be written below /sys/kernel/mm
# and /proc/sys/vm, swap areas, zram devices, and control groups and journals of contend.
machine() {
	local file
	find /sys/kernel/mm /proc/sys/vm /sys/module/zswap/parameters -type f -perm -u+rw 2>/dev/null |
		sort | while read -r file; do
		printf '%s: %s\n' "$file" "$(tr '\n' ' ' <"$file" 2>/dev/null)"
	done
	cat /proc/swaps
	for file in /sys/block/zram*/{disksize,comp_algorithm}; do
		[ ! -e "$file" ] || printf '%s: %s\n' "$file" "$(cat "$file")"
	done
	find /sys/fs/cgroup /run/contend -name 'contend-[0-9]*' -o -name journal 2>/dev/null
	ls /dev/zram* 2>/dev/null
}

# as_it_was TITLE: against what machine_before has. Left for whoever reads a failure: the difference.
as_it_was() {
	local now
	now=$(machine)
	[ "$now" = "$machine_before" ]
	say $? "$1" || note "$(diff <(printf '%s\n' "$machine_before") <(printf '%s\n' "$now"))"
}

# can SETUP: this machine can; else why holds the reason.
can() {
	why=$("$CONTEND" doctor --format json | perl -MJSON::PP -e '
		local $/;
		my ($its) = grep { $_->{name} eq $ARGV[0] } @{decode_json(<STDIN>)->{setups}};
		print $its ? $its->{supported} ? "" : $its->{why} : "no such setup";' "$1")
	[ -z "$why" ]
}

# free_machine: no other contend has the machine set up for itself; waits for one that does.
free_machine() {
	local try
	for ((try = 0; try < 300; try++)); do
		"$CONTEND" undo >/dev/null 2>&1 && return
		sleep 1
	done
}

machine_before=$(machine)

# alone COMMAND...: until_ok, and again while another contend has the machine.
alone() {
	local try
	for ((try = 0; try < 100; try++)); do
		until_ok "$@"
		# shellcheck disable=SC2154
		[[ $out$err =~ has[[:space:]]+this[[:space:]]+machine ]] || return 0
		sleep 1
	done
}
