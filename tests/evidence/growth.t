#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fifty runs in one process leave no more behind than ten: no mapping, memory, page table, heap,
# descriptor or child in it, no file on the machine. Of each workload the first run of each mode= in its
# rows (rows.pm). `growth.t NAME...` looks at these alone and prints all.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use rows;

my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";
my ($runs, $step) = (50, 10);

# What may be more after the last run than after the first ten: a page a run would be 160 KiB. The heap
# keeps the room that the largest record took, and which run has that is chance.
my %slack = (mappings => 1, rss_kib => 144, page_tables_kib => 8, heap_bytes => 512, descriptors => 0,
	children => 0);

# Where files could be left.
my $scratch = tempdir(CLEANUP => 1);
$ENV{TMPDIR} = $scratch;
chdir $scratch or die $!;

sub listing {
	my @names = sort map { glob("$_/* $_/.[a-zA-Z]*") } $scratch, '/dev/shm';
	open my $file, '<', '/proc/sysvipc/shm';
	push @names, map { /^\s*(\d+\s+\d+)/ ? "System V shm $1" : () } $file ? <$file> : ();
	return join "\n", @names;
}

# Runs `repeat`: what it said of outcomes, {OUTCOME}{REASON} = how often, and of itself, {FACT}[...].
sub repeat_runs {
	my @words = map { split ' ' } @_;
	open my $out, '-|', "$build/tests/evidence/repeat", @words, '--', $runs, $step or die $!;
	my (%outcomes, %own, $outcome);
	while (<$out>) {
		$outcome = $1 if /^outcome (.*)/;
		$outcomes{$outcome}{$1}++ if /^reason (.*)/;
		push @{$own{$1}}, $2 if /^own (\w+) (-?\d+)$/;
	}
	close $out;
	diag(map { my $o = $_; map { "$outcomes{$o}{$_} times $o: $_\n" } keys %{$outcomes{$o}} }
		sort keys %outcomes) if @ARGV;
	diag(map { "$_: @{$own{$_}}\n" } sort keys %own) if @ARGV;
	return ($? == 0, \%outcomes, \%own);
}

sub grows {
	my ($fact, $values) = @_;
	return @{$values // []} != $runs / $step || $values->[-1] - $values->[0] > $slack{$fact};
}

sub look {
	my ($workload, $words) = @_;
	my $title = "$workload $words";
	my $before = listing();
	my ($ended, $outcomes, $own) = repeat_runs($workload, $words);
	SKIP: {
		skip("$title: " . (keys %{$outcomes->{unsupported}})[0], 1) if $outcomes->{unsupported};
		# Windows are short: in some there is no operation, others are too long.
		my @wrong = grep { !/^(?:ok|invalid)$/ } keys %$outcomes;
		ok($ended && !@wrong && %$outcomes, "$title: runs that end as they should")
			or diag(map { my $o = $_; map { "$o: $_\n" } keys %{$outcomes->{$o}} } @wrong);
		ok(!grows($_, $own->{$_}), "$title: $_") or diag("@{$own->{$_} // ['not told']}")
			for sort keys %slack;
		is(listing(), $before, "$title: files");
	}
}

# A process that leaks is found out.
my (undef, undef, $leaking) = repeat_runs('--leak', 'null', 'window=1ms', 'warmup=0');
ok(grows($_, $leaking->{$_}), "a leak is seen: $_") for grep { $_ ne 'children' } sort keys %slack;

my $machine = machine();
my %there = map { $_ => 1 } with_rows();
for my $workload (@ARGV ? @ARGV : workloads()) {
	my %done;
	ok($there{$workload}, "$workload has rows") or next;
	for my $run (rows($workload, $machine)) {
		my ($mode) = $run->{words} =~ /\bmode=(\w+)/;
		next if $done{$mode // 'process'}++;
		my @words = grep { !/^(?:window|warmup)=/ } split ' ', $run->{words};
		# A program's window is its own time.
		push @words, 'window=5ms', 'warmup=0' unless $workload eq 'command';
		look($workload, "@words");
	}
}
done_testing();
