#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every header can be included alone and twice, and its guard is named after its path.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp qw(tempdir);
use Test::More;
use lint;

my $tree = tree();
my $build = $ENV{BUILD} // "$tree/build";
my $scratch = tempdir(CLEANUP => 1);
my $cc = "gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I$tree/src -I$tree/include -I$build/src";
my @headers = files(qr/\.h$/, 'src', 'include');
my (@alone, @guards);

ok(scalar(@headers), 'there are headers');
for my $path (@headers) {
	my $name = $path =~ s{^(src|include)/}{}r;
	open(my $file, '>', "$scratch/one.c") or die $!;
	print $file qq(#include "$name"\n#include "$name"\n);
	close $file;
	my $output = `$cc $scratch/one.c 2>&1`;
	push @alone, "$path:\n$output" if $?;

	my $guard = 'CONTEND_' . uc($name =~ s{[/.-]}{_}gr);
	push @guards, "$path: not guarded by $guard"
		unless slurp($path) =~ /^#ifndef $guard\n#define $guard\n/m;
}
clean('each compiles alone', @alone);
clean('each is guarded by its path', @guards);

done_testing();
