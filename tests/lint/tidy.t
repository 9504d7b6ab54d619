#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clang-tidy with the checks of .clang-tidy over everything that is compiled of src/. It reads the
# flags of the build with clang, which it understands.
use strict;
use warnings;
use File::Temp;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP qw(decode_json);
use Test::More;
use lint;

my $tree = tree();
my $build = "$tree/build-clang";
my %sources;
for (@{decode_json(slurp('build-clang/compile_commands.json'))}) {
	my $path = $_->{file} =~ m{^/} ? $_->{file} : "$_->{directory}/$_->{file}";
	$path =~ s{/[^/]+/\.\./}{/} while $path =~ m{/[^/]+/\.\./};
	$sources{$path} = 1 if $path =~ m{^\Q$tree\E/src/};
}
my @sources = sort keys %sources;
ok(scalar(@sources), 'there are sources');

my $list = File::Temp->new;
print $list map { "$_\n" } @sources;
close $list;
my $output = `xargs -a $list -P \$(nproc) -n 1 clang-tidy --quiet -p '$build' 2>&1`;
my $status = $?;
$output =~ s/^\d+ warnings?(?: and \d+ errors?)? generated\.\n//mg;
$output =~ s/^Suppressed .*\n|^Use -header-filter.*\n|^\d+ warnings? treated as errors?\n//mg;
clean('clang-tidy finds nothing', $status ? split(/\n/, $output) : ());

done_testing();
