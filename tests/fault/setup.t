#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A run with setups, in which one call of its agents fails, or all from one on: while the machine is
# set up, while it runs, or while it is put back. The machine is as before afterwards, or the run has
# failed, says so, and `contend undo` does the rest.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use fault;
use Errno qw(:POSIX);
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(sleep);

my $top = $ENV{TOP} // "$FindBin::Bin/../..";
my $build = $ENV{BUILD} // "$top/build";
my $contend = $ENV{CONTEND} // "$build/contend";
my $journal = '/run/contend/journal';

# As tests/e2e/machine.sh has it.
sub machine {
	return scalar(`bash -c '. "$top/tests/e2e/machine.sh"; printf "%s" "\$machine_before"'`);
}

# What this machine cannot, of a list of setups.
sub lacks {
	my $doctor = `'$contend' doctor --format json 2>/dev/null`;
	return grep { $doctor !~ /"name":\s*"$_",\s*"supported":\s*true/ } @_;
}

plan skip_all => 'only root may change this machine' if $>;
my @lacks = lacks(qw(memcg zram thp));
plan skip_all => "this machine cannot: @lacks" if @lacks;

my $before;

# Once nobody else has the machine.
sub undo {
	my ($slot) = @_;
	my $result;
	for (1 .. 200) {
		$result = execute($slot, [$contend, 'undo']);
		last unless $result->{err} =~ /another (?:experiment|contend)/;
		sleep 0.3;
	}
	return $result;
}

# What a run left behind, and whether that can be put back.
sub after {
	my ($slot, $result) = @_;
	my @wrong;
	my $now;
	if (-e $journal) {
		my $undo = undo($slot);
		# One in which everything is undone is in nobody's way.
		push @wrong, "a journal is left, and nothing says so: $undo->{out}"
			if $undo->{out} =~ /^  \S/m && $result->{status} != 4;
		push @wrong, "undo: status $undo->{status}, $undo->{out}$undo->{err}" if $undo->{status};
		push @wrong, 'undo left the journal' if -e $journal;
	}
	# Somebody else may have changed it, and puts it back.
	for (1 .. 5) {
		$now = machine();
		last if $now eq $before;
		sleep 0.3;
	}
	if ($now ne $before) {
		my %was = map { $_ => 1 } split /\n/, $before;
		push @wrong, 'the machine is not as it was: ' .
			join(', ', grep { !$was{$_} } split /\n/, $now);
	}
	return @wrong;
}

system("'$contend' undo >/dev/null 2>&1");
$before = machine();

# What is not theirs is what the run itself does, which has its own tests.
my @common = (
	words => [qw(run page_fault1 memcg=16M zram=64M zram.algorithm=lzo mthp=64k thp=always
		swappiness=150 overcommit=1 aslr=off size=1M window=1ms warmup=0 tasks=1)],
	normal => 0, statuses => [0, 4], stores => 1, runs => 1, roles => ['agent'], slots => 1,
	# Half of a value is another value.
	harmless => {EINTR, 1},
	most_long => 300,
	after => \&after,
);

campaign(name => 'setups', @common, most => 3,
	kinds => [qw(exec flock fsync memfd mkdir mknod open personality rmdir stat swap truncate unlink
		write)]);
campaign(name => 'setups, from one on', @common, most => 2, lasts => 1,
	kinds => [qw(fsync open swap truncate unlink write), $ENV{CONTEND_LONG} ? 'rmdir' : ()]);

# To swap off takes longer than an agent that has nothing to put back may take to leave. The signal must
# not come before there is something.
my $slot = {path => tempdir(CLEANUP => 1) . "/slow", number => 0};
my $result;
for my $seconds (2, 8, 32) {
	mkdir $slot->{path};
	$result = execute($slot,
		['timeout', '--preserve-status', '-s', 'INT', $seconds, $contend,
			qw(run null zram=64M swappiness=150 window=1h)],
		LD_PRELOAD => "$build/tests/fault/preload.so",
		CONTEND_AGENT => "$build/tests/fault/contend-agent-dynamic",
		CONTEND_FAULT_BOARD => "$slot->{path}/board", CONTEND_FAULT => 'agent:swap:2:slow');
	last if read_board("$slot->{path}/board")->{agent}{swap}{faults};
}
ok(read_board("$slot->{path}/board")->{agent}{swap}{faults}, 'a slow swapoff: there was one');
is($result->{status}, 5, 'a slow swapoff: interrupted') or diag("$result->{out}$result->{err}");
ok(!-e $journal, 'a slow swapoff: it was waited for');
is(join('; ', after($slot, $result)), '', 'a slow swapoff: the machine is as it was');
finish();
