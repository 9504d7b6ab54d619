# SPDX-License-Identifier: GPL-2.0-or-later
#
# One call of libc after the other fails in contend and its agents (preload.c), and each time the
# command must end as documented: with a status that it may have, one line of reason or a whole
# report, a store that is sound and holds what was reported, and nothing left behind.
#
# A test calls campaign() for each command and finish() at the end. By default each kind of call is
# tried at a spread of moments, with CONTEND_LONG=1 at every one. CONTEND_TEST_ONLY=ROLE:KIND limits
# it, and CONTEND_TEST_KEEP=1 keeps what a bad case printed.
package fault;
use strict;
use warnings;
use Errno qw(:POSIX);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use POSIX qw(:sys_wait_h _exit);
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(campaign execute filled_store finish read_board);

my $top = $ENV{TOP} // dirname(dirname(dirname(__FILE__)));
my $build = $ENV{BUILD} // "$top/build";
my $contend = "$build/contend";
my $scratch = tempdir('fault-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $long = $ENV{CONTEND_LONG};
my $slots = `nproc` + 0;

# How long a command may take: more than the limits that agent and controller set themselves.
use constant LIMIT_SECONDS => 100;

# What a call may fail with. What is in `harmless` must not be noticed at all.
my %effects = (
	access => [EACCES], affinity => [EINVAL], alloc => [ENOMEM], dup => [EMFILE],
	epoll => [ENOMEM], eventfd => [EMFILE], exec => [ENOENT, ENOMEM], fcntl => [ENOLCK],
	flock => [ENOLCK], fork => [EAGAIN], fsync => [EIO], getrandom => [EAGAIN], mkdir => [ENOSPC],
	mknod => [ENOSPC], mmap => [ENOMEM], open => [EMFILE, EACCES], personality => [EPERM],
	pipe => [EMFILE], poll => [ENOMEM, EINTR], priority => [EACCES], read => [EIO, EINTR],
	readlink => [EIO], rlimit => [EPERM], rmdir => [EBUSY], signalfd => [EMFILE],
	madvise => [ENOMEM], memfd => [EMFILE], mprotect => [ENOMEM], rename => [ENOSPC],
	socket => [EMFILE], stat => [EIO], swap => [ENOMEM], syscall => [EMFILE], thread => [EAGAIN],
	truncate => [EIO], unlink => [EACCES], wait => [EINTR],
	write => [ENOSPC, EIO, EINTR, EAGAIN, 'short'],
);
my %harmless = (EINTR, 1, short => 1);

sub slurp {
	my ($path) = @_;
	open(my $file, '<', $path) or return '';
	local $/;
	return scalar(<$file>) // '';
}

# The rows of a board: {ROLE}{KIND} = {calls, faults}.
sub read_board {
	my @fields = unpack('(Z16 Z16 Q Q)*', slurp($_[0]));
	my %board;
	while (my ($role, $kind, $calls, $faults) = splice(@fields, 0, 4)) {
		$board{$role}{$kind} = {calls => $calls, faults => $faults};
	}
	return \%board;
}

# The processes that have the mark in their environment.
sub marked {
	my ($mark) = @_;
	my @found;
	for my $path (glob('/proc/[0-9]*/environ')) {
		push @found, $path =~ m{/(\d+)/} if index(slurp($path), $mark) >= 0;
	}
	return @found;
}

# Runs a command in a slot. Returns {status, signal, out, err, hung, left, seconds}.
sub execute {
	my ($slot, $words, %environment) = @_;
	my $mark = "CONTEND_TEST_MARK=$$-" . ($slot->{number}++) . "-$slot->{path}";
	my %result;
	my $begin = time;
	my $pid = fork() // die "fork: $!";
	if (!$pid) {
		%ENV = (%ENV, %environment, CONTEND_STORE => "$slot->{path}/store.db",
			CONTEND_TEST_MARK => $mark =~ s/^.*?=//r, TMPDIR => $slot->{path},
			HOME => $slot->{path});
		chdir($slot->{path})
			&& open(STDIN, '<', '/dev/null')
			&& open(STDOUT, '>', "$slot->{path}.out")
			&& open(STDERR, '>', "$slot->{path}.err")
			or _exit(126);
		{ no warnings 'exec'; exec { $words->[0] } @$words; }
		_exit(127);
	}
	my $in_time = eval {
		local $SIG{ALRM} = sub { die "limit\n" };
		alarm(LIMIT_SECONDS);
		waitpid($pid, 0);
		alarm(0);
		1;
	};
	if (!$in_time) {
		kill 'KILL', $pid;
		waitpid($pid, 0);
		$result{hung} = 1;
	}
	$result{signal} = WIFSIGNALED($?) ? WTERMSIG($?) : 0;
	$result{status} = WIFEXITED($?) ? WEXITSTATUS($?) : -1;
	# Where the controller did not end by itself its agent sees that, and ends.
	my @left = marked($mark);
	for (1 .. 200) {
		last unless @left;
		sleep 0.05;
		@left = marked($mark);
	}
	kill 'KILL', @left if @left;
	$result{left} = @left;
	$result{out} = slurp("$slot->{path}.out");
	$result{err} = slurp("$slot->{path}.err");
	$result{seconds} = time - $begin;
	return \%result;
}

sub fresh {
	my ($slot, $subject) = @_;
	remove_tree($slot->{path}, "$slot->{path}.board");
	make_path($slot->{path});
	return unless $subject->{store};
	system('cp', $subject->{store}, "$slot->{path}/store.db") and die 'cp';
}

sub faulted {
	my ($slot, $subject, $fault) = @_;
	fresh($slot, $subject);
	return execute($slot, [$contend, @{$subject->{words}}],
		LD_PRELOAD => "$build/tests/fault/preload.so",
		CONTEND_AGENT => "$build/tests/fault/contend-agent-dynamic",
		CONTEND_FAULT_BOARD => "$slot->{path}.board",
		CONTEND_FAULT => $fault);
}

# A window that a busy machine made too long is rightly invalid, and says nothing about a fault; nor
# does a machine that somebody else has set up for himself.
sub is_busy {
	my ($result, $normal) = @_;
	return $result->{status} != $normal && "$result->{out}$result->{err}" =~
		/\bwas\s+measured\s+for\b|\banother\s+(?:experiment|contend)\s+(?:has\s+this|changes)/;
}

# What is wrong with the store after a command, as a list of sentences. $kept: how many runs it must
# have at least, undef: nothing was said.
sub store_faults {
	my ($slot, $result, $kept) = @_;
	my $path = "$slot->{path}/store.db";
	return $kept ? 'no store' : () if !-s $path && !-s "$path-wal";
	# An integrity check of SQLite first: it is another program, and sees the file as it was left.
	my $sound = `sqlite3 '$path' 'PRAGMA integrity_check; SELECT count(*) FROM sqlite_schema' 2>&1`;
	return "the store is damaged: $sound" unless $sound =~ /\Aok\n(\d+)\n\z/;
	my $show = execute($slot, [$contend, 'show', '--format', 'json']);
	# It failed before there were tables.
	return () if !$1 && !$kept && $show->{err} =~ /nothing was ever stored/;
	return "show: status $show->{status}, $show->{err}" if $show->{status};
	my $runs = `sqlite3 '$path' 'SELECT count(*) FROM run'`;
	return "$kept runs were reported, the store has $runs" if defined $kept && $runs < $kept;
	return ();
}

# What is wrong with a result, as a list of sentences.
sub faults {
	my ($slot, $subject, $case, $result) = @_;
	my ($status, $out, $err) = @$result{qw(status out err)};
	my @wrong;
	my $show;

	if ($result->{hung} || $result->{signal}) {
		push @wrong, $subject->{after}->($slot, $result) if $subject->{after};
		return (@wrong, $result->{hung} ? 'hung' : "killed by signal $result->{signal}");
	}
	push @wrong, "$result->{left} processes were left" if $result->{left};
	push @wrong, "status $status" unless grep { $_ == $status } @{$subject->{statuses}};
	push @wrong, "status $status, which nothing was to change"
		if ($subject->{harmless} // \%harmless)->{$case->{effect}} && $status != $subject->{normal}
			&& !$subject->{measured} && !is_busy($result, $subject->{normal});
	push @wrong, 'not one line of reason: ' . $err
		if $err ne '' && $err !~ /\Acontend: [^\n]+\n\z/;
	push @wrong, "a crash: $1" if "$out$err" =~ /([^\n]*killed\s+by SIG[^\n]*)/;
	# Nothing but calls failed.
	push @wrong, "not the reason: $err" if $err =~ /damaged/;
	push @wrong, 'a reason with another status' if $err ne '' && $status != 4;
	push @wrong, 'neither a report nor a reason' if $err eq '' && $out eq '';

	# Nothing but a store is left in its folder.
	my @files = grep { !/\/store\.db(?:-wal|-shm|-journal)?$/ }
		glob("$slot->{path}/* $slot->{path}/.[!.]*");
	push @wrong, "files were left: @files" if @files;

	# What was said to be kept, what the report counts, or else what there always is.
	my $kept = $err =~ /, (\d+) runs kept/ ? $1 : $out =~ /random order, (\d+) runs/ ? $1
		: $err eq '' ? $subject->{runs} : undef;
	push @wrong, store_faults($slot, $result, $kept);

	if ($err eq '' && $subject->{stores}) {
		# It is the report that the store gives, whatever happened.
		my $show = execute($slot, [$contend, 'show', '1']);
		push @wrong, 'show prints another report' if $show->{out} ne $out;
	} elsif ($err eq '' && !$subject->{accepts}->($out, $subject->{output})) {
		push @wrong, "status $status, with another output";
	}
	# What a broken experiment leaves must not be in the way of the next one.
	if ($err ne '' && $subject->{stores}) {
		my $next = execute($slot, [$contend, qw(run null window=1ms warmup=0 --format json)]);
		push @wrong, "the store cannot be used again: $next->{err}"
			if $next->{status} && !is_busy($next, 0);
	}
	push @wrong, $subject->{after}->($slot, $result) if $subject->{after};
	for my $role (qw(controller agent)) {
		my ($now, $usual) = map { $_->{$role}{descriptors}{calls} } $result->{board},
			$subject->{board};
		push @wrong, "$role: $now descriptors open at the end, usually $usual"
			if $now > $usual;
	}
	return @wrong;
}

# ENOSPC, short
sub effect_word {
	my ($effect) = @_;
	return $effect if $effect eq 'short';
	local $! = $effect;
	return (sort grep { $!{$_} } keys %!)[0];
}

# As the library takes it.
sub fault_text {
	my ($case) = @_;
	return "$case->{role}:$case->{kind}:$case->{n}$case->{lasts}:$case->{effect}";
}

# One case: {bad, status, injected, seconds}.
sub try {
	my ($slot, $subject, $case) = @_;
	my $result;
	for (1 .. 10) {
		$result = faulted($slot, $subject, fault_text($case));
		last unless is_busy($result, $subject->{normal});
	}
	$result->{board} = read_board("$slot->{path}.board");
	my $hits = $result->{board}{$case->{role}}{$case->{kind}}{faults} // 0;
	my @bad = faults($slot, $subject, $case, $result);
	if (@bad && $ENV{CONTEND_TEST_KEEP}) {
		push @bad, "stdout: $result->{out}", "stderr: $result->{err}";
	}
	return {status => $result->{status}, injected => $hits, seconds => $result->{seconds},
		bad => join('; ', map { s/\n+/ | /gr } @bad)};
}

# At most so many of 1..$count (without a number: all), the first and the last one among them; of one,
# the one in the middle.
sub spread {
	my ($count, $most) = @_;
	return 1 .. $count if !defined $most || $count <= $most;
	return int(($count + 1) / 2) if $most == 1;
	my %chosen = map { (1 + int($_ * ($count - 1) / ($most - 1))) => 1 } 0 .. $most - 1;
	return sort { $a <=> $b } keys %chosen;
}

# Tries the cases, as many at once as there are CPUs; their results in the same order.
sub try_all {
	my ($subject, @cases) = @_;
	my @workers;
	my $slots = $subject->{slots} // $slots;
	for my $k (0 .. $slots - 1) {
		my $pid = open(my $pipe, '-|') // die "fork: $!";
		if (!$pid) {
			my $slot = {path => "$scratch/slot$k", number => 0};
			$| = 1;
			for (my $i = $k; $i < @cases; $i += $slots) {
				my $r = try($slot, $subject, $cases[$i]);
				print join("\t", $i, @$r{qw(status injected seconds bad)}), "\n";
			}
			# Not what Test::More does at the end of a program.
			_exit(0);
		}
		push @workers, $pipe;
	}
	my @results;
	for my $pipe (@workers) {
		while (<$pipe>) {
			chomp;
			my ($i, $status, $injected, $seconds, $bad) = split /\t/, $_, 5;
			$results[$i] = {status => $status, injected => $injected, seconds => $seconds,
				bad => $bad};
		}
	}
	# Who tried it did not come to an end: no result is no good one.
	$results[$_] //= {status => -1, injected => 1, seconds => 0, bad => 'was not tried to its end'}
		for 0 .. $#cases;
	return @results;
}

# The command as it is without a fault: sets board and output. Returns false when it does not work.
sub rehearse {
	my ($subject) = @_;
	my $slot = {path => "$scratch/slot0", number => 0};
	my $result;
	for (1 .. 20) {
		$result = faulted($slot, $subject, '');
		last unless is_busy($result, $subject->{normal});
	}
	$subject->{board} = read_board("$slot->{path}.board");
	$subject->{output} = $result->{out};
	my $right = $result->{status} == $subject->{normal} || is_busy($result, $subject->{normal})
		|| $subject->{measured} && grep { $_ == $result->{status} } @{$subject->{statuses}};
	return ok($right, "$subject->{name}: without a fault")
		|| diag("$result->{status}: $result->{err}");
}

# campaign(name, words, normal, statuses, ...): a command under every fault.
#
#   words     of the command         normal  its status without a fault
#   statuses  that it may end with   stores  it makes an experiment in a store
#   runs      how many of them       store   a store to begin with
#   accepts   whether an output without a reason is right, given it and the usual one
#   roles     whose calls fail       most    how many of a kind and effect in the short form
#   most_long how many in the long one, instead of all
#   lasts     all calls fail from one on, instead of that one
#   measured  its normal status is a verdict, which a busy machine may not allow
#   kinds     of calls, instead of all
#   harmless  effects that must not be noticed, instead of the usual ones
#   slots     how many at once, instead of one on each CPU
#   after     given slot and result: what else is wrong, a list of sentences
sub campaign {
	my (%subject) = @_;
	my ($calls, $tried, $slow) = (0, 0, 0);
	my ($bad, $never, $missed) = ([], [], 0);

	$subject{accepts} //= sub { $_[0] eq $_[1] };
	rehearse(\%subject) or return;
	for my $role (@{$subject{roles}}) {
		my $rows = $subject{board}{$role};
		for my $kind (sort grep { $rows->{$_}{calls} } keys %$rows) {
			# Who waits in vain for ever is given up after a limit of time: not one that fails a test.
			next if $kind eq 'descriptors' || ($subject{lasts} && $kind =~ /^(?:fcntl|poll|wait)$/);
			next if $subject{kinds} && !grep { $_ eq $kind } @{$subject{kinds}};
			next if $ENV{CONTEND_TEST_ONLY} && $ENV{CONTEND_TEST_ONLY} ne "$role:$kind";
			my $most = $long ? $subject{most_long} : $subject{most};
			$most *= 4 if defined $most && $kind eq 'alloc';
			for my $effect (@{$effects{$kind}}) {
				# Who is told to try again for ever does.
				next if $subject{lasts} && ($harmless{$effect} || ($effect eq EAGAIN && $kind eq 'write'));
				my @cases = map {
					{role => $role, kind => $kind, n => $_, effect => $effect,
						lasts => $subject{lasts} ? '+' : ''}
				} spread($rows->{$kind}{calls}, $most);
				my @results = try_all(\%subject, @cases);
				my $injected = grep { $_->{injected} } @results;
				my %statuses;
				$statuses{$_->{status}}++ for grep { $_->{injected} } @results;
				note(sprintf('%s: %s %s %s: %d calls, %d tried, %d hit: %s', $subject{name},
					$role, $kind, effect_word($effect), $rows->{$kind}{calls},
					scalar(@cases), $injected,
					join(', ', map { "$statuses{$_} status $_" } sort keys %statuses)));
				push @$never, "$role $kind" if !$injected;
				$calls += $rows->{$kind}{calls};
				$tried += $injected;
				$missed += @cases - $injected;
				for my $i (0 .. $#cases) {
					my ($c, $r) = ($cases[$i], $results[$i]);
					if ($r->{seconds} > 5) {
						$slow++;
						note(sprintf('  %.0f s: %s', $r->{seconds}, fault_text($c)));
					}
					next if $r->{bad} eq '';
					push @$bad, fault_text($c) . ": $r->{bad}";
				}
			}
		}
	}
	note("$subject{name}: $tried faults hit, $missed came too late, $slow took over 5 s");
	ok($tried, "$subject{name}: faults were injected");
	is("@$never", '', "$subject{name}: of every kind that is called");
	is(scalar(@$bad), 0, "$subject{name}: each has an outcome, and leaves nothing behind")
		or diag(map { substr($_, 0, 2000) . "\n" } @$bad[0 .. ($#$bad < 60 ? $#$bad : 60)]);
}

# A store of one experiment with four runs.
sub filled_store {
	my $slot = {path => "$scratch/filled", number => 0};
	for (1 .. 20) {
		fresh($slot, {});
		my $result = execute($slot, [$contend, qw(ab null window=1ms warmup=0 --pairs 2)]);
		last unless is_busy($result, 3);
	}
	return "$slot->{path}/store.db";
}

sub finish {
	done_testing();
}

1;
