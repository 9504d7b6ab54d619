# SPDX-License-Identifier: GPL-2.0-or-later
#
# The runs in which the workloads are watched, and what is said of them: tests/evidence/rows/WORKLOAD.
#
#	run size=1M mode=process tasks=2
#		task: lock_write = mmap + munmap
#		task: faults ~ write
#		task: lock_read <= 0.01 * faults  if CONFIG_PER_VMA_LOCK
#		task: vmscan:mm_vmscan_reclaim_pages >= 1
#		task: grows rss_kib  because it walks a region once
#
# `run` and the parameters of a run; window=200ms where there is none, but for a program that is executed
# (argv=, in which \t is a blank), which has none. Then checks, for paths.t: ROLE: A
# RELATION B, each side arithmetic with numbers, events, and what the record of a task has (its
# counters, operations, tasks, minor_faults ...), all summed over the tasks of the role. The role vmstat
# has what the machine counted meanwhile. An event is a short name of tracepoint.c, or
# SYSTEM:EVENT{FILTER}, with @ in front where the exit of processes is to be seen, too (tracepoint.h),
# and with + in front what all processes of the run did, making ready included.
# Relations:
#
#	=	the same, but for two a task: what is cut by the ends of the window
#	~	within 3 % of it, or two a task
#	<= >=	as they say
#
# `if CONFIG_X`, `if kernel >= 6.17`, `if kernel < 6.4`: only on such kernels, a check or a whole run.
#
# ROLE: grows FACT... because WHY, for stationary.t: what of census.c is not to stay as it is. ROLE: unseen
# because WHY: its loop is not in a process of the crew. BUILD in the words of a run is the build folder.
package rows;
use strict;
use warnings;
use Exporter qw(import);
use FindBin;

our @EXPORT = qw($event machine workloads rows with_rows);

my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";
# Chunks that malloc() keeps at hand count as given out; without that the heap is exact.
$ENV{GLIBC_TUNABLES} = 'glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0';

$ENV{CONTEND_RUNNER} = "$build/contend-runner";

our $event = qr/[@+]?[a-z0-9_]+:[a-z0-9_]+(?:\{[^}]*\})?/;

# What the kernel is and was configured with, {kernel => '6.18.1', CONFIG_X => 'y'}.
sub machine {
	open my $out, '-|', "$build/tests/evidence/count", qw(null window=1ms warmup=0) or die $!;
	return {map { /^machine (\S+) (\S+)$/ ? ($1 => $2) : () } <$out>};
}

# Whether a condition holds on such a machine.
sub holds {
	my ($condition, $machine) = @_;
	return 1 unless defined $condition;
	if ($condition =~ /^kernel\s*(>=|<)\s*(\d+)\.(\d+)$/) {
		my ($relation, @wanted) = ($1, $2, $3);
		my @is = ($machine->{kernel} // '') =~ /^(\d+)\.(\d+)/ or return 0;
		my $reaches = ($is[0] <=> $wanted[0] || $is[1] <=> $wanted[1]) >= 0;
		return $relation eq '>=' ? $reaches : !$reaches;
	}
	return ($machine->{$condition} // '') eq 'y' if $condition =~ /^CONFIG_\w+$/;
	die "'if $condition' is no condition\n";
}

# The names of all workloads of the build.
sub workloads {
	my @all = split ' ', `'$build/tests/evidence/count'`;
	die "$build/tests/evidence/count lists no workloads\n" unless @all;
	return @all;
}

# The names that have a file of rows.
sub with_rows {
	return map { s{.*/}{}r } glob("$FindBin::Bin/rows/*");
}

# The runs of a workload that are for such a machine, with their checks for it: {words, grows: {ROLE:
# {FACT}}, unseen: {ROLE}, checks: [{role, left, relation, right, text}]}.
sub rows {
	my ($workload, $machine) = @_;
	my $path = "$FindBin::Bin/rows/$workload";
	my (@runs, @others);
	my $into = \@others;
	open my $file, '<', $path or die "$path: $!";
	while (<$file>) {
		s/\s*(?:^|\s)#.*//;
		next unless /\S/;
		my ($text, $condition) = /^\s*(.*?)\s*(?:\bif\s+(.*?)\s*)?$/;
		my $here = holds($condition, $machine);
		if ($text =~ /^run\b\s*(.*)/) {
			my $words = $1;
			$words = "window=200ms $words" unless $words =~ /\b(?:window|argv)=/;
			$into = $here ? \@runs : \@others;
			push @$into, {words => $words =~ s/ $//r =~ s/\bBUILD\b/$build/r, grows => {}, unseen => {},
				checks => []};
		} elsif (@$into && $text =~ /^(\w+):\s+grows\s+(\w[\w ]*?)\s+because\s+\S/) {
			$into->[-1]{grows}{$1}{$_} = 1 for split ' ', $2;
		} elsif (@$into && $text =~ /^(\w+):\s+unseen\s+because\s+\S/) {
			$into->[-1]{unseen}{$1} = 1;
		} elsif (@$into && $text =~ /^(\w+):\s+(.*?)\s+(=|~|<=|>=)\s+(\S.*)/) {
			push @{$into->[-1]{checks}},
				{role => $1, left => $2, relation => $3, right => $4, text => $text} if $here;
		} else {
			die "$path:$.: neither a run nor a check: $_";
		}
	}
	return @runs;
}

1;
