#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each workload reaches the path that it names, by what the kernel counts of it: the rows of
# tests/evidence/rows/WORKLOAD. A workload without a file there is a failure. `paths.t NAME...` looks
# at these alone and prints all counts.
#
# A file of rows:
#
#	run size=1M mode=process tasks=2
#		task: lock_write = mmap + munmap
#		task: faults ~ write
#		task: lock_read <= 0.01 * faults  if CONFIG_PER_VMA_LOCK
#		task: vmscan:mm_vmscan_reclaim_pages >= 1
#
# `run` and the parameters of a run; warmup=0 is added, window=200ms where there is none. Then lines
# of ROLE: A RELATION B, each side arithmetic with numbers, events, and what the record of a task has
# (its counters, operations, tasks, minor_faults ...), all summed over the tasks of the role. The role
# vmstat has what the machine counted meanwhile. An event is a short name of tracepoint.c, or
# SYSTEM:EVENT{FILTER}, with @ in front where the exit of processes
# is to be seen, too (tracepoint.h). Relations:
#
#	=	the same, but for two a task: what is cut by the ends of the window
#	~	within 3 % of it, or two a task
#	<= >=	as they say
#
# `if CONFIG_X`, `if kernel >= 6.17`: only on such kernels. `run ... if CONFIG_X` likewise.
use strict;
use warnings;
use FindBin;
use Test::More;

my $top = $ENV{TOP} // "$FindBin::Bin/../..";
my $build = $ENV{BUILD} // "$top/build";
my $count = "$build/tests/evidence/count";
my @short = qw(lock_write lock_read faults exit_mmap new_task exec exit);
my $event = qr/\@?[a-z0-9_]+:[a-z0-9_]+(?:\{[^}]*\})?/;

sub slurp {
	open my $file, '<', $_[0] or die "$_[0]: $!";
	local $/;
	return scalar <$file>;
}

# The events that an expression names.
sub events {
	my ($text) = @_;
	my %short = map { $_ => 1 } @short;
	my @found = $text =~ /($event)/g;
	$text =~ s/$event//g;
	return (@found, grep { $short{$_} } $text =~ /([a-z_]\w*)/g);
}

# The runs of a file: {words, condition, checks: [{role, left, relation, right, condition, text}]}.
sub rows {
	my ($path) = @_;
	my @runs;
	for (split /\n/, slurp($path)) {
		s/\s*(?:^|\s)#.*//;
		next unless /\S/;
		my ($text, $condition) = /^\s*(.*?)\s*(?:\bif\s+(.*?)\s*)?$/;
		if ($text =~ /^run\b\s*(.*)/) {
			push @runs, {words => $1, condition => $condition, checks => []};
		} elsif (@runs && $text =~ /^(\w+):\s+(.*?)\s+(=|~|<=|>=)\s+(\S.*)/) {
			push @{$runs[-1]{checks}}, {role => $1, left => $2, relation => $3, right => $4,
				condition => $condition, text => $text};
		} else {
			die "$path: $_: neither a run nor a check\n";
		}
	}
	return @runs;
}

# Whether a condition holds on the machine that `count` described.
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

# What an expression comes to. undef: it names what is not there.
sub value {
	my ($text, $counts) = @_;
	my $missing;
	$text =~ s/($event|[a-z_]\w*)/$counts->{$1} \/\/ do { $missing = $1; 0 }/ge;
	die "$missing: no such counter or event\n" if defined $missing;
	die "'$text' is no arithmetic\n" unless $text =~ m{^[0-9.eE+*/() -]+$};
	my $value = eval $text;
	die "$text: $@" if $@;
	return $value;
}

sub agrees {
	my ($check, $counts, $ret_words) = @_;
	my ($a, $b) = map { value($check->{$_}, $counts) } qw(left right);
	my $slack = 2 * ($counts->{tasks} // 1);
	$$ret_words = "$a $check->{relation} $b";
	return $a >= $b if $check->{relation} eq '>=';
	return $a <= $b if $check->{relation} eq '<=';
	$slack = 0.03 * $b if $check->{relation} eq '~' && 0.03 * $b > $slack;
	return abs($a - $b) <= $slack;
}

# Runs `count`: its status, what it said, and the counts of each role.
sub count_events {
	my ($workload, $run) = @_;
	my %events;
	for my $check (@{$run->{checks}}) {
		my @named = map { events($check->{$_}) } qw(left right);
		if ($check->{role} eq 'vmstat') {
			@named = map { "vmstat:$_" } map { /([a-z_]\w*)/g } @$check{qw(left right)};
		}
		$events{$_} = 1 for @named;
	}
	my @words = split ' ', $run->{words};
	unshift @words, 'window=200ms' unless grep { /^window=/ } @words;
	my $pid = open my $out, '-|', $count, $workload, 'warmup=0', @words, '--', sort keys %events;
	die "$count: $!" unless $pid;
	my ($said, %counts) = ('');
	while (<$out>) {
		$said .= $_;
		my ($role, $name, $value) = /^(\w+) (.*) (\S+)$/ or next;
		$name =~ s/^vmstat:// if $role eq 'vmstat';
		$counts{$role}{$name} = $value;
	}
	close $out;
	my ($outcome) = $said =~ /^outcome (.*)/m;
	my ($reason) = $said =~ /^reason (.*)/m;
	return ($? >> 8, $said, $outcome // '', $reason // '', \%counts);
}

# A window that a busy machine has made too long is rightly invalid, and was counted all the same.
sub was_counted {
	my ($outcome, $reason) = @_;
	return $outcome eq 'ok' || $outcome eq 'invalid' && $reason =~ / was measured for /;
}

sub look {
	my ($workload, $run) = @_;
	my $title = "$workload $run->{words}";
	my ($status, $said, $outcome, $reason, $counts) = count_events($workload, $run);
	SKIP: {
		skip("$title: " . $said =~ s/\n.*//sr, 1) if $status == 77;
		return if !holds($run->{condition}, $counts->{machine});
		skip("$title: $reason", 1) if $outcome eq 'unsupported';
		ok($status == 0 && was_counted($outcome, $reason), "$title: it is run")
			or return diag("status $status: $said" =~ s/^machine .*\n//mgr);
		diag($said =~ s/^machine .*\n//mgr) if @ARGV;
		for my $check (@{$run->{checks}}) {
			next unless holds($check->{condition}, $counts->{machine});
			my $role = $counts->{$check->{role}};
			my $words = '';
			my $good = $role && eval { agrees($check, $role, \$words) };
			ok($good, "$title: $check->{text}")
				or diag($role ? $@ || $words : 'no such role in the run');
		}
	}
}

my @there = map { s{.*/}{}r } glob("$FindBin::Bin/rows/*");
my @all = split ' ', `'$count'`;
die "$count lists no workloads\n" unless @all;
my %all = map { $_ => 1 } @all;
my %rows = map { $_ => 1 } @there;

ok($all{$_}, "rows/$_: there is such a workload") for @there;
for my $workload (@ARGV ? @ARGV : @all) {
	ok($rows{$workload}, "$workload has rows") or next;
	my @runs = rows("$FindBin::Bin/rows/$workload");
	ok(scalar(grep({ @{$_->{checks}} } @runs)), "$workload: there is something to see");
	look($workload, $_) for @runs;
}
done_testing();
