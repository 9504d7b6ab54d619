#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls fail in a comparison whose right verdict is known: one arm is ten times as slow. A fault may
# take the verdict away, and must never turn it round.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use fault;

my @words = qw(ab null window=2ms warmup=0 --pairs 6 --seed 1);
my @roles = qw(controller starter agent worker);
my @most = (most => 1, most_long => 30);

campaign(name => 'slower', words => [@words, '--b', 'delay=1000%'], normal => 1,
	statuses => [1, 3, 4], measured => 1, stores => 1, runs => 12, roles => \@roles,
	@most);
campaign(name => 'faster', words => [@words, '--a', 'delay=1000%'], normal => 0,
	statuses => [0, 3, 4], measured => 1, stores => 1, runs => 12, roles => \@roles,
	@most, lasts => 1);
finish();
