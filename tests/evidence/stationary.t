#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Workloads do not grow: what the tasks of the runs in tests/evidence/rows (rows.pm) have of mappings,
# memory, page tables, heap and descriptors, in the first, middle and last third of a window, is the same,
# at its least and at its most. `stationary.t NAME...` looks at these workloads alone and prints all.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use rows;

my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";
my $census = "$build/tests/evidence/census";

# What may differ between two parts of a window in which the fact has no range: a page that is touched
# once more, the page table for it, the files that other threads have open for their look. A leak is
# more, of something that is done thousands of times.
my %slack = (mappings => 2, rss_kib => 128, page_tables_kib => 8, heap_bytes => 4096,
	descriptors => 8);

# Looks in a third that are enough to see its range.
my $few = 3;

# Runs `census`: what it said, and of each task what it saw, {"ROLE TASK"}{FACT}[THIRD] = [LEAST, MOST].
sub take_census {
	my @words = map { split ' ' } @_;
	open my $out, '-|', $census, @words or die "$census: $!";
	my ($said, %seen) = ('');
	while (<$out>) {
		$said .= $_;
		$seen{$1}{$2}[$3] = [$4, $5 // $4] if /^(\w+ \d+) (\w+) (\d) (-?\d+)(?: (-?\d+))?$/;
	}
	return close $out ? ($said, \%seen) : ($said, {});
}

# How a fact moves, in words; undef: it does not. What grows has its least and its most grow, by twice
# as much from the first to the last third as within one. A look that falls on what is rare moves one of
# them; where looks fall in rounds moves both, by a part of what there is within a round.
sub moves {
	my ($fact, $thirds) = @_;
	my $range = 0;
	for (@$thirds) {
		$range = $_->[1] - $_->[0] if $_->[1] - $_->[0] > $range;
	}
	my $allowed = $slack{$fact} + $range / 4;
	for ([0, 1], [1, 2], [0, 2]) {
		my ($from, $to) = @$thirds[@$_];
		my ($least, $most) = map { $to->[$_] - $from->[$_] } 0, 1;
		return join ', ', map { "$_->[0] to $_->[1]" } @$thirds
			if $least > $allowed && $most > $allowed || -$least > $allowed && -$most > $allowed;
	}
	return undef;
}

# A third in which a task was hardly seen, or never: somebody else had its CPU.
sub is_scarce {
	my ($seen) = @_;
	return grep { grep { ($_->[0] // 0) < $few } @{$_->{looks}}[0 .. 2] } values %$seen;
}

sub look {
	my ($workload, $run) = @_;
	my $title = "$workload $run->{words}";
	return if %{$run->{unseen}};
	my ($said, $seen) = take_census($workload, $run->{words});
	for (my $try = 0; $try < 4 && is_scarce($seen); $try++) {
		($said, $seen) = take_census($workload, $run->{words} =~ s/window=\S+/window=2s/r);
	}
	my ($outcome) = $said =~ /^outcome (.*)/m;
	my ($reason) = $said =~ /^reason (.*)/m;
	SKIP: {
		skip("$title: $reason", 1) if ($outcome // '') eq 'unsupported';
		ok(scalar(keys %$seen), "$title: its tasks were seen") or return diag($said);
		diag($said) if @ARGV;
		skip("$title: its tasks did not get their CPUs for long enough to be looked at", 1)
			if is_scarce($seen);
		for my $task (sort keys %$seen) {
			my ($role) = $task =~ /^(\w+)/;
			for my $fact (sort keys %slack) {
				next if $run->{grows}{$role}{$fact};
				my $moves = moves($fact, $seen->{$task}{$fact});
				ok(!defined $moves, "$title: $task: $fact") or diag("by thirds: $moves");
			}
		}
	}
}

# A task that leaks is found out.
my (undef, $leaking) = take_census('--leak', 'null', 'window=200ms');
ok(defined moves($_, $leaking->{'task 0'}{$_}), "a leak is seen: $_") for sort keys %slack;

my $machine = machine();
my %there = map { $_ => 1 } with_rows();
for my $workload (@ARGV ? @ARGV : workloads()) {
	ok($there{$workload}, "$workload has rows") or next;
	look($workload, $_) for rows($workload, $machine);
}
done_testing();
