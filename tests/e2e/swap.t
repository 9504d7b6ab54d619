#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workload swap, in a memory cgroup and with a zram device of its own: pages go out and come in, the
# counts of tasks and machine fit together, two sizes of pages are compared, and the machine is put back.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=machine.sh
. "$TOP/tests/e2e/machine.sh"

for setup in memcg zram; do
	can "$setup" || {
		skip 'swap' "$why"
		done_testing
		exit
	}
done
free_machine
machine_before=$(machine)

# figure_of METRIC: of the run in $out; null: it has none.
figure_of() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		my ($its) = grep { $_->{metric} eq $ARGV[0] } @{decode_json(<STDIN>)->{runs}[0]{figures}};
		print $its->{value} // "null";' "$1"
}

# more A B TITLE: A is at least B, which may have a fraction.
more() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "null" && a + 0 >= b + 0) }'
	say $? "$3" || note "$1 is less than $2"
}

# swapped TITLE WINDOW WORD...: a run that is ok. In a cgroup as small as these a kernel may give up while
# others hold its pages for a moment, though there is swap: such a run has failed, and says so.
swapped() {
	local title=$1 window=$2 try
	shift 2
	for ((try = 0; try < 10; try++)); do
		alone run "$CONTEND" run swap warmup=0 "window=$window" "$@" --format json
		[[ $out =~ OOM[[:space:]]killer[[:space:]]killed ]] || break
	done
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	more "$(figure_of swapped_out)" 0.1 "$title: pages went out"
	as_it_was "$title: the machine is as it was"
}

# ---- what usemem does ----

swapped 'write' 500ms memcg=16M zram=256M size=32M mthp=none
# Each page of a cycle that is longer than what there is room for has gone when it is its turn again.
more "$(figure_of major_faults)" 0.9 'write: each access brings a page in'
more "$(figure_of pswpout)" 1 'write: it went to the device'
more "$(figure_of pswpin)" 1 'write: it came from the device'
is "$(counted free)" 1 'write: the region was unmapped at the end'
more "$(figure_of free)" 1 'write: which took time'
# Half of each page is random: no less than half remains, and a little.
more "$(figure_of zram_ratio)" 1.5 'write: half of each page compresses'
more 2.1 "$(figure_of zram_ratio)" 'write: the other half does not'

swapped 'read' 500ms memcg=16M zram=256M size=32M mthp=none access=read random=0%
more "$(figure_of major_faults)" 0.9 'read: each access brings a page in'
more "$(figure_of zram_ratio)" 10 'read: what is not random compresses'

swapped 'at random' 500ms memcg=16M zram=256M size=32M mthp=none pattern=random
more 0.95 "$(figure_of major_faults)" 'at random: not each access brings a page in'

swapped 'two threads' 500ms memcg=16M zram=256M size=16M mthp=none tasks=2 mode=thread
is "$(counted free)" 2 'two threads: both regions were unmapped'

swapped 'new regions' 2s memcg=8M zram=256M size=16M mthp=none prefault=no
more 0.9 "$(figure_of major_faults)" 'new regions: what is new is not brought in'

if [ -e /sys/kernel/mm/transparent_hugepage/hugepages-64kB/stats/swpout ]; then
	swapped 'large folios' 500ms memcg=16M zram=256M size=32M mthp=64k
	more "$(figure_of mthp_swpout)" 1 'large folios: they went out whole'
	more "$(figure_of mthp_swpout_success)" 0.01 'large folios: there is a rate of success'
else
	skip 'large folios' 'this kernel does not count them'
fi

# ---- zero pages ----

# No device has seen them since Linux 6.12; before that zram did, and kept none.
swapped 'zeros' 2s zram=256M size=8M mthp=none pattern=zero_sequential
for metric in page_out page_in region_out region_in; do
	more "$(figure_of "$metric")" 1 "zeros: $metric"
done
is "$(figure_of latency_p50)" null 'zeros: no single access is timed'
if grep -q '^swpout_zero' /proc/vmstat; then
	# The machine's own pages may go there meanwhile.
	ok 'zeros: they did not go to the device' perl -e 'exit !($ARGV[0] <= $ARGV[1] / 100)' \
		"$(figure_of pswpout)" "$(figure_of swapped_out)"
fi

# ---- nothing goes out ----

alone run "$CONTEND" run swap memcg=256M zram=64M size=1M window=50ms warmup=0
like "$(tr -s '\n ' ' ' <<<"$out")" 'no page was swapped out in the window: .*memcg=64M and size=256M' \
	'more room than is used: invalid, with what to do'
is "$status" 4 'more room than is used: status'
if [ "$(wc -l </proc/swaps)" = 1 ]; then
	alone run "$CONTEND" run swap memcg=64M size=1M window=50ms
	like "$(tr -s '\n ' ' ' <<<"$out$err")" 'no swap is on.*zram=1G' 'no swap: unsupported, with what to do'
fi
as_it_was 'refused: the machine is as it was'

# ---- two arms ----

alone run "$CONTEND" ab swap memcg=16M size=32M window=200ms --a zram=256M,mthp=none \
	--b zram=256M,mthp=none,swappiness=60 --pairs 3 --format json
is "$(json runs.0.outcome) $(json runs.5.outcome)" 'ok ok' 'two arms: all runs are ok'
is "$(printf '%s' "$out" | perl -MJSON::PP -MList::Util=min -e '
	local $/;
	my @runs = @{decode_json(<STDIN>)->{runs}};
	print min(map { map { $_->{value} > 0 ? 1 : 0 } grep { $_->{metric} eq "pswpout" }
		@{$_->{figures}} } @runs), " of ", scalar @runs')" '1 of 6' 'two arms: pages went out in each run'
as_it_was 'two arms: the machine is as it was'

done_testing
