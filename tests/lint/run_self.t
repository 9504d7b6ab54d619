#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/run on tests that pass, fail, skip, crash, lie and hang: its count must be right.
use strict;
use warnings;
use File::Copy qw(copy);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

my $tree = tempdir(CLEANUP => 1);
my $scratch = "$tree/scratch";

make_path("$tree/tests/e2e", "$tree/build/tests/unit", $scratch);
copy("$ENV{TOP}/tests/run", "$tree/tests/run") or die $!;

sub script {
	my ($path, $text) = @_;
	open(my $file, '>', "$tree/$path") or die "$path: $!";
	print $file "#!/bin/sh\n$text\n";
	close $file;
	chmod 0755, "$tree/$path";
}

# The arguments of a process, each followed by a zero byte.
sub command {
	open(my $file, '<', $_[0]) or return '';
	return scalar(<$file>) // '';
}

# Runs it on a set of tests; answers with its status and what it printed.
sub run_on {
	my ($tests, @arguments) = @_;
	unlink glob("$tree/tests/e2e/*.t");
	script("tests/e2e/$_.t", $tests->{$_}) for keys %$tests;
	local $ENV{TMPDIR} = $scratch;
	my $output = `exec perl '$tree/tests/run' @arguments 2>&1`;
	return ($? >> 8, $output);
}

# One set of tests, the closing line and status that it must have, and what else must be printed.
sub closes {
	my ($name, $tests, $count, $status, @patterns) = @_;
	my ($its_status, $output) = run_on($tests);
	my @lines = split /\n/, $output;
	is($lines[-1], $count, "$name: closing line") or diag($output);
	is($its_status, $status, "$name: status");
	like($output, $_, "$name: $_") for @patterns;
}

my $pass = "echo 1..2; echo ok 1 - one; echo ok 2 - two";

closes('all pass', {a => $pass, b => $pass}, '4 passed, 0 failed, 0 skipped', 0);
closes('plan at the end', {a => 'echo ok 1; echo 1..1'}, '1 passed, 0 failed, 0 skipped', 0);
closes('one fails', {a => $pass, b => 'echo 1..2; echo not ok 1 - thing; echo ok 2; echo why >&2'},
	'3 passed, 1 failed, 0 skipped', 1, qr/^FAIL e2e\/b: thing$/m, qr/^    why$/m);
closes('one fails, status too', {a => 'echo 1..1; echo not ok 1 - x; exit 1'},
	'0 passed, 1 failed, 0 skipped', 1);
closes('skips', {a => "$pass; echo", b => 'echo 1..2; echo ok 1; echo "ok 2 - kvm # SKIP no KVM"'},
	'3 passed, 0 failed, 1 skipped', 0, qr/^skip e2e\/b: kvm: no KVM$/m);
closes('a whole file skips', {a => $pass, b => 'echo "1..0 # SKIP no root"'},
	'2 passed, 0 failed, 1 skipped', 0, qr/^skip e2e\/b: no root$/m);
closes('a skip must say why', {a => 'echo 1..2; echo ok 1; echo "ok 2 # SKIP"'},
	'1 passed, 1 failed, 1 skipped', 1, qr/a skip without a reason/);
closes('a failed skip is a failure', {a => 'echo 1..1; echo "not ok 1 - x # SKIP y"'},
	'0 passed, 1 failed, 0 skipped', 1);
closes('only skips', {a => 'echo "1..0 # SKIP no root"'}, '0 passed, 0 failed, 1 skipped', 1,
	qr/^nothing ran$/m);
closes('no tests', {}, '0 passed, 0 failed, 0 skipped', 1, qr/^nothing ran$/m);
closes('a crash', {a => "$pass; kill -SEGV \$\$"}, '2 passed, 1 failed, 0 skipped', 1,
	qr/^FAIL e2e\/a: killed by signal 11$/m);
closes('a status without a failure', {a => "$pass; exit 3"}, '2 passed, 1 failed, 0 skipped', 1,
	qr/^FAIL e2e\/a: exit status 3$/m);
closes('too few', {a => 'echo 1..3; echo ok 1; echo ok 2'}, '2 passed, 1 failed, 0 skipped', 1,
	qr/3 planned, 2 run/);
closes('too many', {a => 'echo 1..1; echo ok 1; echo ok 2'}, '2 passed, 1 failed, 0 skipped', 1);
closes('no plan', {a => 'echo ok 1'}, '1 passed, 1 failed, 0 skipped', 1, qr/no plan/);
closes('two plans', {a => "$pass; echo 1..2"}, '2 passed, 1 failed, 0 skipped', 1);
closes('no output', {a => 'exit 0'}, '0 passed, 1 failed, 0 skipped', 1, qr/no output/);
closes('an empty plan', {a => 'echo 1..0'}, '0 passed, 1 failed, 0 skipped', 1);
closes('bail out', {a => "$pass; echo 'Bail out! no disk'"}, '2 passed, 1 failed, 0 skipped', 1,
	qr/no disk/);
closes('left behind', {a => "$pass; sleep 60 & exit 0"}, '2 passed, 1 failed, 0 skipped', 1,
	qr/^FAIL e2e\/a: processes left behind$/m);
closes('input is empty', {a => 'read x && exit 1; echo 1..1; echo ok 1'},
	'1 passed, 0 failed, 0 skipped', 0);
closes('a folder of its own',
	{a => 'test "$PWD" = "$TMPDIR" && test -z "$(ls)" && echo 1..1 && echo ok 1; touch left'},
	'1 passed, 0 failed, 0 skipped', 0);
# ls has the three and the folder that it reads.
closes('nothing is inherited',
	{a => 'echo 1..1; test "$(ls /proc/self/fd | wc -l)" = 4 && echo ok 1 || ls -l /proc/self/fd >&2'},
	'1 passed, 0 failed, 0 skipped', 0);

# The limit ends the whole group, with time to put things back. What is left of it is known by how long
# it sleeps, and nobody else on the machine sleeps as long.
{
	my ($long, $longer) = ("61.25$$", "62.25$$");
	my $hang = "trap 'echo put back >>$tree/trace; exit' TERM; echo 1..1; sleep $long & wait";
	my $begin = time;
	my ($status, $output) = run_on({a => $hang, b => $pass}, '--limit', '0.5');
	like($output, qr/^FAIL e2e\/a: not ended after 0\.5 s$/m, 'a hang is named');
	like($output, qr/^2 passed, 1 failed, 0 skipped\n\z/m, 'and the others run');
	is($status, 1, 'and it is a failure');
	cmp_ok(time - $begin, '<', 20, 'and it does not take long');
	ok(-s "$tree/trace", 'it could put things back');
	my $stubborn = "trap '' TERM; echo 1..1; sleep $longer; sleep $longer";
	(undef, $output) = run_on({a => $stubborn}, '--limit', '0.2');
	like($output, qr/not ended after/, 'one that does not end is ended');
	my @left = grep { m{^sleep\0(?:\Q$long\E|\Q$longer\E)\0} }
		map { command($_) } glob('/proc/[0-9]*/cmdline');
	is_deeply(\@left, [], 'nothing is left of either');
}

# Names select.
{
	my ($status, $output) = run_on({ab => $pass, abc => $pass, x => 'exit 1'}, 'e2e/ab');
	like($output, qr/^4 passed, 0 failed, 0 skipped\n\z/m, 'names select');
	($status, $output) = run_on({ab => $pass}, 'tests/e2e/ab.t');
	is($status, 0, 'a file name does too');
	($status, $output) = run_on({ab => $pass}, 'e2e/none');
	is($status, 1, 'a name that selects nothing fails');
	($status, $output) = run_on({ab => 'exit 1', c => $pass}, '--list');
	is("$status $output", "0 e2e/ab\ne2e/c\n", '--list runs nothing');
}

# cmocka's TAP: a skip is "not ok", and every group has a plan.
{
	open(my $list, '>', "$tree/build/tests/unit/list") or die $!;
	print $list "base/a base-a\n";
	close $list;
	script('build/tests/unit/base-a',
		'echo 1..2; echo ok 1 - x; echo "not ok 2 # SKIP y"; echo 1..1; echo ok 1 - z');
	my ($status, $output) = run_on({}, 'unit/base');
	like($output, qr/^skip unit\/base\/a: y: called skip\(\)$/m, 'skip() is a skip');
	like($output, qr/^2 passed, 0 failed, 1 skipped\n\z/m, 'groups add up');
	unlink "$tree/build/tests/unit/base-a";
	($status, $output) = run_on({}, 'unit/base');
	like($output, qr/^0 passed, 2 failed, 0 skipped\n\z/m, 'a program that is missing fails');
}

is_deeply([glob("$scratch/*")], [], 'nothing is left in the folder for temporary files');

done_testing();
