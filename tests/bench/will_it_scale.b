#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workloads that will-it-scale has as well, beside it: WILL_IT_SCALE=DIR names its tree, built or
# not. With FILE the tables go into that file (docs/measured.md). PAIRS (10), WINDOW (1, in s) and
# WARMUP (1) may be set.
#
# In a round each test is run three times in random order: will-it-scale's program, the workload
# with record=no, and with record=yes. Both of ours are compared with theirs of the same round.
#
# Its program prints a rate that is per sleep(1), however long that was. So it is measured from
# outside, in the way in which a task of ours measures itself: after the warm-up and a window later
# the counter of each task, the clock, and the CPU time of the task (its clock, of which a kernel
# keeps account to the ns) are read together, and what the task did is divided by the time between
# its own readings. The counters are in a file that it has open and mapped: reading them costs the
# tasks nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use List::Util qw(max min shuffle sum);
use POSIX qw(strftime WNOHANG);
use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime sleep time);
use rounds;

my ($file) = @ARGV;
my $pairs = $ENV{PAIRS} // 10;
my $window = $ENV{WINDOW} // 1;
my $warmup = $ENV{WARMUP} // 1;
my $contend = $ENV{CONTEND} // "$FindBin::Bin/../../build/contend";
my $scratch = $ENV{TMPDIR} // '/tmp';
my @tests = qw(brk1 mmap1 page_fault1);
my @cases = map {
	my $test = $_;
	map { {test => $test, mode => $_->[0], tasks => $_->[1]} } ['process', 1], ['process', 2],
		['thread', 1];
} @tests;

sub skip {
	print "skipped: $_[0]\n";
	exit 0;
}

# ---- its programs ----

# The folder that has them all: the one named, or a copy that is built here.
sub built {
	my ($from) = @_;
	my @programs = map { ("${_}_processes", "${_}_threads") } @tests;
	return $from unless grep { !-x "$from/$_" } @programs;
	skip("$from has neither the programs of will-it-scale nor its sources")
		unless -f "$from/main.c" && -f "$from/Makefile";
	my $to = "$scratch/will-it-scale";
	system('cp', '-r', $from, $to) == 0 or die "cannot copy $from\n";
	my $said = `make -C '$to' @programs 2>&1`;
	return $to if !$?;
	skip("will-it-scale needs hwloc (Debian: libhwloc-dev)") if $said =~ /hwloc/;
	die "will-it-scale cannot be built:\n$said";
}

# ---- theirs ----

# The CPU time of a process in s, by the clock that clock_getcpuclockid() gives: ~PID << 3 | 2.
sub cpu_time {
	my ($pid) = @_;
	my $time = clock_gettime(-8 * ($pid + 1) + 2);
	die "the CPU clock of process $pid: $!\n" if $time < 0;
	return $time;
}

# Time, CPU time of a process and the count of a task, read while nothing came in between.
sub stamp {
	my ($counters, $task, $pid) = @_;
	for (1 .. 1000) {
		my $begin = clock_gettime(CLOCK_MONOTONIC);
		sysseek($counters, 256 * $task, 0) // die "counters: $!\n";
		sysread($counters, my $bytes, 8) == 8 or die "counters: $!\n";
		my $cpu = cpu_time($pid);
		my $end = clock_gettime(CLOCK_MONOTONIC);
		return {time => ($begin + $end) / 2, cpu => $cpu, count => unpack('Q', $bytes)}
			if $end - $begin < 50e-6;
	}
	die "never the CPU for 50 us\n";
}

sub children {
	my ($pid) = @_;
	my @found;
	for my $path (glob '/proc/[0-9]*/stat') {
		open(my $in, '<', $path) or next;
		push @found, $1 if (<$in> // '') =~ /^(\d+) \(.*\) \S $pid /;
	}
	return sort { $a <=> $b } @found;
}

sub counters {
	my ($pid) = @_;
	for my $fd (glob "/proc/$pid/fd/*") {
		next unless (readlink($fd) // '') =~ m{/shared_area_\w+ \(deleted\)$};
		open(my $in, '<', $fd) or die "$fd: $!\n";
		return $in;
	}
	return;
}

# Its processes (or the one that has the threads) and its counters, when all tasks count.
sub find {
	my ($pid, $case) = @_;
	for (1 .. 2000) {
		sleep 0.01;
		waitpid($pid, WNOHANG) == 0 or die "$case->{test} of will-it-scale has ended\n";
		my $in = counters($pid) or next;
		my @tasks = $case->{mode} eq 'thread' ? ($pid) : children($pid);
		next unless @tasks == ($case->{mode} eq 'thread' ? 1 : $case->{tasks});
		return $in, @tasks
			unless grep { !stamp($in, $_, $tasks[0])->{count} } 0 .. $case->{tasks} - 1;
	}
	die "$case->{test} of will-it-scale does not count\n";
}

# One run; nothing where a task did nothing, which of ours would not be ok either.
sub attempt {
	my ($from, $case) = @_;
	my $program = "$from/$case->{test}_" . ($case->{mode} eq 'thread' ? 'threads' : 'processes');
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		setpgrp;
		open(STDOUT, '>', '/dev/null');
		exec $program, '-t', $case->{tasks} or die "$program: $!\n";
	}
	my ($in, @tasks) = eval { find($pid, $case) };
	my $failure = $@;
	my (@begin, @end);
	if (!$failure) {
		my @of = map { $tasks[$_] // $tasks[0] } 0 .. $case->{tasks} - 1;
		sleep $warmup;
		push @begin, stamp($in, $_, $of[$_]) for 0 .. $#of;
		sleep $window;
		push @end, stamp($in, $_, $of[$_]) for 0 .. $#of;
	}
	kill 'KILL', -$pid, $pid;
	waitpid($pid, 0);
	die $failure if $failure;
	my @counts = map { $end[$_]{count} - $begin[$_]{count} } 0 .. $#begin;
	return if grep { !$_ } @counts;
	my @cpu = map { $end[$_]{cpu} - $begin[$_]{cpu} } 0 .. $#begin;
	my @rates = map { $counts[$_] / ($end[$_]{time} - $begin[$_]{time}) } 0 .. $#begin;
	return {operations => sum(@rates), cpu => 1e9 * sum(@cpu) / sum(@counts)};
}

my $again = 0;

sub theirs {
	my ($from, $case) = @_;
	for (1 .. 10) {
		my $figures = attempt($from, $case);
		return $figures if $figures;
		$again++;
	}
	die "$case->{test} of will-it-scale: ten runs in which a task did nothing\n";
}

# ---- ours ----

my ($host, $version, @load, %thp);

sub ours {
	my ($case, $record) = @_;
	for (1 .. 10) {
		open(my $pipe, '-|', $contend, 'run', $case->{test}, "tasks=$case->{tasks}",
			"mode=$case->{mode}", "record=$record", "window=${window}s", "warmup=${warmup}s",
			'--format', 'json', '--quiet', '--store', "$scratch/store.db")
			or die "$contend: $!\n";
		my $report = decode_json(do { local $/; <$pipe> });
		close $pipe;
		my $run = $report->{runs}[0];
		$host //= $report->{machine}{host};
		$version //= $report->{version};
		push @load, $report->{machine}{host}{load1} // ();
		$thp{$report->{machine}{host}{thp} // 'not known'}++;
		return {map { $_->{metric} => $_->{value} } @{$run->{figures}}} if $run->{outcome} eq 'ok';
		$again++;
	}
	die "$case->{test}: ten runs were not ok\n";
}

# ---- the table ----

sub ratio {
	my ($of, $to, $metric) = @_;
	my @ratios = map { $of->[$_]{$metric} / $to->[$_]{$metric} } 0 .. $#$of;
	return sprintf '**%.3f** %.3f .. %.3f', median(@ratios), interval(@ratios);
}

sub both {
	my ($runs, $metric) = @_;
	return number(median(map { $_->{$metric} } @$runs));
}

skip('WILL_IT_SCALE=DIR is not given') unless length($ENV{WILL_IT_SCALE} // '');
my $from = built($ENV{WILL_IT_SCALE});
my $begin = time;
my %runs;
for my $round (1 .. $pairs) {
	printf STDERR "%5d s  round %d of %d\n", time - $begin, $round, $pairs;
	for my $i (shuffle 0 .. $#cases) {
		for my $what (shuffle qw(theirs no yes)) {
			push @{$runs{$i}{$what}},
				$what eq 'theirs' ? theirs($from, $cases[$i]) : ours($cases[$i], $what);
		}
	}
}
my %tables = ('will-it-scale' => table(
	['workload', '`mode=`', '`tasks=`', 'its operations/s', 'ns of CPU an operation',
		'operations/s, `record=no`', '`record=yes`', 'CPU an operation, `record=no`',
		'`record=yes`'],
	map {
		my ($case, $r) = ($cases[$_], $runs{$_});
		["`$case->{test}`", $case->{mode}, $case->{tasks}, both($r->{theirs}, 'operations'),
			both($r->{theirs}, 'cpu'), ratio($r->{no}, $r->{theirs}, 'operations'),
			ratio($r->{yes}, $r->{theirs}, 'operations'), ratio($r->{no}, $r->{theirs}, 'cpu'),
			ratio($r->{yes}, $r->{theirs}, 'cpu')];
	} 0 .. $#cases));
my ($k, $covered) = enclosing($pairs);
$tables{'will-it-scale machine'} = join '', map { "- $_\n" }
	"$host->{cpu_model}, CPUs $host->{cpus_online}, hypervisor $host->{hypervisor}, Linux "
		. "$host->{kernel}, THP " . join(' and ', sort keys %thp) . ", clock $host->{clocksource}",
	sprintf('load average when runs began: %.2f .. %.2f; %d runs were not ok and were made again',
		min(@load), max(@load), $again),
	'measured ' . strftime('%Y-%m-%d', gmtime) . ", contend $version, $pairs pairs, windows of "
		. "$window s after $warmup s",
	sprintf('from the %s smallest to the %s largest of %d ratios encloses the median with %.1f %%',
		$k == 1 ? '' : "$k.", $k == 1 ? '' : "$k.", $pairs, 100 * $covered) =~ s/the  /the /gr;
if (defined $file) {
	put_tables($file, %tables);
} else {
	print $tables{'will-it-scale machine'}, "\n", $tables{'will-it-scale'};
}
