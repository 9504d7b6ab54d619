#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scripts: their language takes them, shellcheck finds nothing in them, and they can be executed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use lint;

chdir tree() or die $!;
my (@shell, @perl, @wrong);
for my $path (files(qr/./)) {
	my ($line) = slurp($path) =~ /\A#!\s*(.*)/ or next;
	if ($line =~ /\b(?:ba|da|)sh\b/) {
		my $shell = $line =~ /\bbash\b/ ? 'bash' : 'sh';
		push @shell, $path;
		my $output = `$shell -n '$path' 2>&1`;
		push @wrong, $output if $?;
	} elsif ($line =~ /\bperl\b/) {
		push @perl, $path;
		my $output = `perl -wc '$path' 2>&1`;
		push @wrong, $output if $? || $output !~ /\A\S+ syntax OK\n\z/;
		push @wrong, "$path: without strict and warnings"
			unless slurp($path) =~ /^use strict;\nuse warnings;$/m;
	}
	push @wrong, "$path: cannot be executed" unless -x $path;
}
my @sourced = grep { !-x } files(qr/\.sh$/);
ok(@shell && @perl, 'there are scripts');
clean('their languages take them', @wrong);
SKIP: {
	skip('shellcheck is not installed', 1) unless grep { -x "$_/shellcheck" } split /:/, $ENV{PATH};
	# Not what tests do on purpose: functions and variables used by way of a name or an eval,
	# functions with a default, `a && b || c`.
	my $not = 'SC2015,SC2016,SC2034,SC2119,SC2120,SC2317';
	my $output = `shellcheck -x -P SCRIPTDIR -S info -e $not @shell @sourced 2>&1`;
	clean('shellcheck finds nothing', $? ? $output : ());
}

done_testing();
