#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A run of each workload that has one role: it is ok, and what its tasks counted fits together.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

# counts EXPRESSION: what a Perl expression over a task (%c its counters, %t its other fields) says of
# each task of the run in $out, in order.
counts() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		for my $task (@{decode_json(<STDIN>)->{runs}[0]{tasks}}) {
			my %t = %$task;
			my %c = %{$t{counters}};
			print eval $ARGV[0] ? "yes " : "no ";
			die $@ if $@;
		}' "$1"
}

# measured TITLE WORKLOAD WORD...: the run is ok, or this machine cannot and says why.
measured() {
	local title=$1
	shift
	until_ok run "$CONTEND" run "$@" --format json
	if [ "$(json runs.0.outcome)" = unsupported ]; then
		skip "$title" "$(json runs.0.reason)"
		return 1
	fi
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	is "$status" 0 "$title: status"
}

for mode in process thread; do
	for record in yes no; do
		common=("mode=$mode" "record=$record" tasks=2 window=300ms)
		what="$mode, record=$record"
		if measured "brk1, $what" brk1 "${common[@]}"; then
			is "$(counts '$c{operations} == $c{grow} + $c{shrink} + $c{noop}')" 'yes yes ' \
				"brk1, $what: calls"
		fi
		if measured "mmap1, $what" mmap1 "${common[@]}"; then
			is "$(counts '$c{mmap} == $c{munmap} && $c{operations} == $c{munmap}')" \
				'yes yes ' "mmap1, $what: every mapping is unmapped"
		fi
		if measured "page_fault1, $what" page_fault1 "${common[@]}" size=1M hugepage=never; then
			is "$(counts '$t{minor_faults} >= $c{write} && $c{write} > 0')" \
				'yes yes ' "page_fault1, $what: every write faults"
			is "$(counts 'abs($c{mmap} - $c{munmap}) <= 1')" 'yes yes ' \
				"page_fault1, $what: mappings"
		fi
		if measured "munmap, $what" munmap "${common[@]}" size=1M; then
			is "$(counts '$c{munmap} > 0 && $c{operations} == $c{munmap} && !$c{failures}')" \
				'yes yes ' "munmap, $what: calls"
		fi
		if measured "mprotect, $what" mprotect "${common[@]}" part=middle; then
			is "$(counts '$c{read_only} > 0 && $c{read_only} == $c{writable} && !$c{failures}')" \
				'yes yes ' "mprotect, $what: there and back"
		fi
		if measured "mremap, $what" mremap "${common[@]}"; then
			is "$(counts '$c{move} > 0 && $c{move} % 2 == 0 && !$c{failures}')" \
				'yes yes ' "mremap, $what: there and back"
		fi
		if measured "mremap how=grow, $what" mremap how=grow "${common[@]}"; then
			is "$(counts '$c{grow} > 0 && $c{grow} == $c{shrink} && !$c{failures}')" \
				'yes yes ' "mremap how=grow, $what: there and back"
		fi
		if measured "mlock, $what" mlock size=64k "${common[@]}"; then
			is "$(counts '$c{mlock} > 0 && $c{mlock} == $c{munlock} && !$c{failures}')" \
				'yes yes ' "mlock, $what: pairs"
		fi
		if measured "fork, $what" fork "${common[@]}" size=1M; then
			is "$(counts '$c{fork} > 0 && $c{operations} == $c{child} && $c{write} == $c{child}')" \
				'yes yes ' "fork, $what: children"
		fi
		if measured "thread_churn, $what" thread_churn "${common[@]}"; then
			is "$(counts '$c{thread} > 0 && $c{map} == $c{thread} && $c{unmap} == $c{thread}')" \
				'yes yes ' "thread_churn, $what: threads and their stacks"
		fi
		# The workload and its words, and what holds of a task's counts.
		while IFS='|' read -r words holds; do
			read -ra arguments <<<"$words"
			if measured "$words, $what" "${arguments[@]}" "${common[@]}"; then
				is "$(counts "\$c{operations} > 0 && !\$c{failures} && $holds")" 'yes yes ' \
					"$words, $what: counts"
			fi
		done <<-'END'
			brk2|$c{operations} == $c{grow} + $c{shrink} + $c{noop}
			mmap2|$c{mmap} == $c{munmap}
			malloc1|$c{malloc} == $c{free} && $t{minor_faults} > 0
			page_fault2 size=1M|$t{minor_faults} >= $c{write}
			page_fault3 size=1M|$t{minor_faults} > 0
			tlb_flush1 size=1M warmup=50ms|$t{minor_faults} >= 2 * $c{page} - 2
			tlb_flush2 hugepage=never warmup=50ms|$t{minor_faults} >= 2 * $c{page} - 2
			tlb_flush3 size=1M warmup=50ms|$c{madvise} == $c{page}
		END
		if measured "spawn, $what" spawn "${common[@]}"; then
			is "$(counts '$c{child} > 0 && $c{call} == $c{child} && $c{child_cpu_ns} > 0')" \
				'yes yes ' "spawn, $what: children"
		fi
	done
done

# Each advice is followed, in each call, or this kernel cannot.
for advice in dontneed free pageout cold collapse populate_write; do
	for mode in process thread; do
		what="madvise advice=$advice, $mode"
		if measured "$what" madvise "advice=$advice" "mode=$mode" tasks=2 window=300ms; then
			is "$(counts '$c{call} > 0 && $c{failures} <= $c{eagain} + $c{ebusy} + $c{enomem}')" \
				'yes yes ' "$what: calls"
		fi
	done
done

# What a machine cannot give is said before anything is touched.
run "$CONTEND" run page_fault1 size=1T tasks=64 window=20ms
is "$status" 4 'too much memory: status'
like "$out$err" 'would need 64\.00 TiB of memory' 'too much memory: the reason'

run "$CONTEND" run madvise advice=cold touch=50% window=20ms
is "$status" 4 'a share that makes no sense: status'
like "$out$err" 'all pages are made active before' 'a share that makes no sense: the reason'

done_testing
