#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each workload reaches the path that it names, by what the kernel counts of it: the rows of
# tests/evidence/rows/WORKLOAD, which rows.pm explains. A workload without a file there is a failure.
# `paths.t NAME...` looks at these alone and prints all counts.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use rows;

my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";
my $count = "$build/tests/evidence/count";
# A word with + in front, where one can begin: what all processes of the run came to.
my $counter = qr/(?:(?<![\w)]\s)\+)?[a-z_]\w*/;
my @short = qw(lock_write lock_read faults exit_mmap new_task exec exit);

# The events that an expression names.
sub events {
	my ($text) = @_;
	my %short = map { $_ => 1 } @short;
	my @found = $text =~ /($event)/g;
	$text =~ s/$event//g;
	return (@found, grep { $short{s/^\+//r} } $text =~ /($counter)/g);
}

# What an expression comes to. undef: it names what is not there.
sub value {
	my ($text, $counts) = @_;
	my $missing;
	$text =~ s/($event|$counter)/$counts->{$1} \/\/ do { $missing = $1; 0 }/ge;
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
	my @warmup = $run->{words} =~ /\bwindow=/ ? ('warmup=0') : ();
	open my $out, '-|', $count, $workload, @warmup, split(' ', $run->{words}), '--',
		sort keys %events or die "$count: $!";
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
		skip("$title: $reason", 1) if $outcome eq 'unsupported';
		ok($status == 0 && was_counted($outcome, $reason), "$title: it is run")
			or return diag("status $status: $said" =~ s/^machine .*\n//mgr);
		diag($said =~ s/^machine .*\n//mgr) if @ARGV;
		for my $check (@{$run->{checks}}) {
			my $role = $counts->{$check->{role}};
			my $words = '';
			my $good = $role && eval { agrees($check, $role, \$words) };
			ok($good, "$title: $check->{text}")
				or diag($role ? $@ || $words : 'no such role in the run');
		}
	}
}

my %rows = map { $_ => 1 } with_rows();
my @all = workloads();
my $machine = machine();
my %all = map { $_ => 1 } @all;

ok($all{$_}, "rows/$_: there is such a workload") for sort keys %rows;
for my $workload (@ARGV ? @ARGV : @all) {
	ok($rows{$workload}, "$workload has rows") or next;
	my @runs = rows($workload, $machine);
	ok(scalar(grep({ @{$_->{checks}} } @runs)), "$workload: there is something to see");
	look($workload, $_) for @runs;
}
done_testing();
