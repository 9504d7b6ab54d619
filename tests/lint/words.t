#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What must not be in the tree: paths of somebody's machine, hosts of package registries, large
# files, sources without a licence.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use lint;

my (@paths, @hosts, @large, @licence, @blanks);
for my $path (files(qr/./)) {
	push @large, sprintf('%s: %d bytes', $path, -s _) if -s tree() . "/$path" > 1 << 20;
	my $text = slurp($path);
	next if $text =~ /\0/;
	my $number = 0;
	for (split /\n/, $text) {
		$number++;
		my $where = "$path:$number: $_";
		push @paths, $where if m{(?<![\w.\-/])/(?:work|root)/};
		push @hosts, $where
			if m{\b(?:(?:deb|ftp|security|snapshot)\.debian|archive\.ubuntu|registry\.npmjs|pypi)\.\w}
			|| m{\b(?:files\.pythonhosted|crates|proxy\.golang)\.\w}i;
		push @blanks, $where if /[ \t]$/ && $path =~ m{^(?:src|docs)/|\.(?:build|t|pm|sh)$};
	}
	my $source = $path =~ /\.[chs]$|\.pm$|\.sh$/ || $text =~ /\A#!/ || $path eq 'Makefile';
	push @licence, "$path: no SPDX line"
		if $source && $text !~
			m{\A(?:#!.*\n)?(?:/\*|//|#) SPDX-License-Identifier: GPL-2\.0-or-later\b};
}
clean('no path of a machine', @paths);
clean('no host of a package registry', @hosts);
clean('no file over 1 MiB', @large);
clean('every source has its SPDX line', @licence);
clean('no blanks at the end of a line', @blanks);

done_testing();
