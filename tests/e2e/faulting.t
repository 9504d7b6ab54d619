#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workloads in which threads fault beside a writer of mappings of the same mm: mmap_fault and
# reader_writer_fault.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

# tasks EXPRESSION: what a Perl expression says of each task of the run in $out (%t its fields, %c its
# counters), with its role, in order.
tasks() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		print join " ", map {
			my %t = %$_;
			my %c = %{$t{counters}};
			"$t{role}:" . (eval $ARGV[0] ? "yes" : die "$@" || "no");
		} @{decode_json(<STDIN>)->{runs}[0]{tasks}}' "$1"
}

# measured TITLE TASKS WORD...: the run is ok and has these tasks, each with operations and no failure.
measured() {
	local title=$1 tasks=$2
	shift 2
	until_ok run "$CONTEND" run "$@" window=100ms --format json
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	is "$status" 0 "$title: status"
	is "$(tasks '$c{operations} > 0 && !$c{failures} &&
		($t{role} ne "faulter" || $t{minor_faults} >= $c{write})')" \
		"$tasks" "$title: each task did its work"
}

for where in same_vma other_vma; do
	for writer in mprotect mmap; do
		measured "mmap_fault, $where, $writer" 'faulter:yes writer:yes' \
			mmap_fault where=$where writer=$writer size=32M
	done
done
measured 'mmap_fault, two faulters' 'faulter:yes faulter:yes writer:yes' mmap_fault tasks=2 size=32M
for where in fresh_vma other_vma; do
	measured "reader_writer_fault, $where" 'faulter:yes writer:yes reader:yes' \
		reader_writer_fault where=$where reader_rate=0
done
measured 'reader_writer_fault, no reader' 'faulter:yes writer:yes' reader_writer_fault file=none
measured 'reader_writer_fault, a spinner' 'faulter:yes writer:yes reader:yes spinner:yes' \
	reader_writer_fault busy_ms=2 reader_rate=0

# One CPU for all: allowed, and said. The readers' must be another one than the faulters'.
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
until_ok run taskset -c "$cpu" "$CONTEND" run mmap_fault window=100ms size=32M
is "$status" 0 'one CPU: status'
like "$(tr -s ' \n' ' ' <run.out)" 'faulter and writer share a CPU, there are too few' 'one CPU: it is said'

# What cannot be is said before anything is touched, with what would do.
run "$CONTEND" run mmap_fault window=10s size=1M
is "$status" 4 'mmap_fault, too small: status'
like "$(tr -s ' \n' ' ' <run.out)" 'size=1M is too little for fault_rate=10000 .* size=[0-9]+k would do' \
	'mmap_fault, too small: the reason'
run "$CONTEND" run mmap_fault fault_rate=0 size=64k
is "$status" 4 'mmap_fault, used up: status'
like "$(tr -s ' \n' ' ' <run.out)" 'invalid: faulter 0: the pages .* used up' 'mmap_fault, used up: the reason'

# An agent whose file a user may execute and not read is not dumpable, nor is what it forks; and root
# may read everything.
mkdir user && cp "$CONTEND" "$CONTEND_AGENT" user/ && chmod 111 user/contend-agent
as_user=()
if [ "$(id -u)" = 0 ]; then
	chown 65534 user && chmod 711 "$TMPDIR"
	as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
denied='permission denied: this user may not read it of another process'
for workload in reader_writer_fault proc_maps; do
	run env CONTEND_AGENT="$PWD/user/contend-agent" "${as_user[@]}" user/contend run "$workload" \
		file=smaps window=20ms --store user/store.db
	if [[ $out =~ needs\ a\ second\ CPU ]]; then
		skip "$workload, may not read" 'there is one CPU'
		continue
	fi
	is "$status" 4 "$workload, may not read: status"
	like "$(tr -s ' \n' ' ' <run.out)" "unsupported: reader 0: /proc/[0-9]+/smaps: $denied" \
		"$workload, may not read: the reason"
done

done_testing
