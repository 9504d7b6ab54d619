#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A comparison of two pairs, in which one call of the controller or of an agent fails. Two pairs give
# no verdict: whatever fails, it must not become one.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use fault;

campaign(
	name => 'ab',
	words => [qw(ab null window=1ms warmup=0 --pairs 2 --seed 1)],
	normal => 3,
	statuses => [3, 4],
	stores => 1,
	runs => 4,
	roles => [qw(controller starter agent worker)],
	most => 10,
);
finish();
