# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the lints share. A lint looks at the tree that it lies in, so that lints_self.t can let it
# look at a copy with a fault.
package lint;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Find qw(find);
use Test::More;

our @EXPORT = qw(tree files slurp code without_comments clean);

my $tree = abs_path(dirname(__FILE__) . '/../..');
sub tree { return $tree }

# The files under these folders of the tree (without any: all of it but the build folders) whose
# name matches, sorted, relative to the tree.
sub files {
	my ($pattern, @folders) = @_;
	my @roots = @folders ? grep({ -e } map { "$tree/$_" } @folders) : $tree;
	my @found;
	return unless @roots;
	find({
		no_chdir => 1,
		preprocess => sub {
			return grep { !/^(?:\.git|build|build-.*)$/ || $File::Find::dir ne $tree } @_;
		},
		wanted => sub {
			push @found, s{^\Q$tree\E/}{}r if -f && !-l && m{/([^/]+)$} && $1 =~ $pattern;
		},
	}, @roots);
	return sort @found;
}

sub slurp {
	my ($path) = @_;
	open(my $file, '<', "$tree/$path") or die "$path: $!";
	local $/;
	return scalar(<$file>) // '';
}

# C without its comments, the lines kept.
sub without_comments {
	my ($text) = @_;
	my $string = qr/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/s;
	$text =~ s{(/\*.*?\*/|//[^\n]*)|($string)}{defined $2 ? $2 : $1 =~ tr/\n//cdr}gse;
	return $text;
}

# The lines of a C file without comments and strings.
sub code {
	my ($path) = @_;
	my $text = without_comments(slurp($path));
	$text =~ s/"(?:\\.|[^"\\\n])*"/""/g;
	return split /\n/, $text;
}

# One test: no offences.
sub clean {
	my ($name, @offences) = @_;
	my $more = @offences - 100;
	splice(@offences, 100, $more, "and $more more") if $more > 0;
	ok(!@offences, $name) or diag(map { substr($_, 0, 2000) . "\n" } @offences);
}

1;
