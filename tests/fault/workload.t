#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls of workers fail, in and around what is measured. What fails there is a failed operation, or
# the run has failed; it is no figure.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use fault;

my @common = (normal => 3, statuses => [3, 4], stores => 1, runs => 4, roles => ['worker'],
	most => 2, most_long => 50);

for my $lasts (0, 1) {
	my $suffix = $lasts ? ', from one on' : '';
	campaign(name => "brk1, processes$suffix", words => [qw(ab brk1 window=2ms warmup=0 --pairs 2)],
		@common, lasts => $lasts);
	campaign(name => "brk1, threads$suffix",
		words => [qw(ab brk1 window=2ms warmup=0 mode=thread tasks=2 --pairs 2)],
		@common, lasts => $lasts);
	campaign(name => "page_fault3$suffix",
		words => [qw(ab page_fault3 size=64k window=2ms warmup=0 --pairs 2)], @common,
		lasts => $lasts);
	campaign(name => "exit_mmap$suffix",
		words => [qw(ab exit_mmap size=1M window=5ms warmup=0 --pairs 2)], @common,
		lasts => $lasts);
	campaign(name => "spawn$suffix", words => [qw(ab spawn window=5ms warmup=0 --pairs 2)],
		@common, lasts => $lasts);
	campaign(name => "proc_maps$suffix", words => [qw(ab proc_maps window=5ms warmup=0 --pairs 2)],
		@common, lasts => $lasts) if `nproc` > 1;
}
finish();
