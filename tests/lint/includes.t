#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every #include goes down the floors; only the programs' own files print or exit.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use lint;

my (%uses, %library, @wrong);
for (grep { /\S/ } map { s/#.*//r } split /\n/, slurp('tests/lint/floors')) {
	my ($first, @rest) = split ' ';
	if ($first =~ /^<(.*)>$/) {
		$library{$1} = {folder => $rest[0], most => $rest[1] // 1e9, files => []};
		next;
	}
	push @wrong, map { "$first uses $_, which is not above it" } grep { !$uses{$_} } @rest;
	$uses{$first} = {map { $_ => 1 } @rest};
}
clean('the floors have no loop', @wrong);

my (%offences, @form, @libraries, @printing);
my @sources = files(qr/\.[ch]$/, 'src');
for my $path (@sources) {
	my ($folder) = $path =~ m{^src/([^/]+)/};
	if (!defined $folder || !$uses{$folder}) {
		push @form, "$path: its folder is not in tests/lint/floors";
		next;
	}
	$offences{$folder} //= [];
	my $number = 0;
	for (split /\n/, without_comments(slurp($path))) {
		$number++;
		/^\s*#\s*include\s*([<"])([^>"]*)[>"]/ or next;
		my ($mark, $name) = ($1, $2);
		my $other = $name =~ m{^([^/]+)/} ? $1 : undef;
		my $where = "$path:$number: $mark$name" . ($mark eq '<' ? '>' : '"');
		if (my $library = $library{$name}) {
			push @{$library->{files}}, $path;
			push @libraries, "$where belongs to $library->{folder}" if $folder ne $library->{folder};
		} elsif ($mark eq '<') {
			push @form, "$where: a header of ours, in quotes please" if defined $other && $uses{$other};
		} elsif (!defined $other || !$uses{$other}) {
			push @form, "$where: not by the name of its folder";
		} elsif ($other ne $folder && !$uses{$folder}{$other}) {
			push @{$offences{$folder}}, "$where: $folder may not use $other";
		}
	}
	next if $path =~ m{^src/cli/} || $path =~ m{^src/(agent|runner)/main\.c$};
	$number = 0;
	for (code($path)) {
		$number++;
		push @printing, "$path:$number: $1"
			if /\b((?:v?printf|puts|putchar|perror|exit|quick_exit)\s*\(|stdout\b|stderr\b)/;
	}
}
for my $name (sort keys %library) {
	my $library = $library{$name};
	my $count = @{$library->{files}};
	push @libraries, "<$name> is included by $count files: @{$library->{files}}"
		if $count > $library->{most};
}
ok(scalar(@sources), 'there are sources');
clean('headers are named by folder', @form);
clean("$_ includes downward only", @{$offences{$_}}) for sort keys %offences;
clean('libraries stay behind their doors', @libraries);
clean('only cli/ and the main.c of agent and runner print or exit', @printing);

done_testing();
