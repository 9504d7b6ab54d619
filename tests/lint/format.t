#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The C files are laid out as `make format` does it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use lint;

my $output = `$FindBin::Bin/format --check 2>&1`;
ok(!$?, 'laid out by make format') or diag($output);

done_testing();
