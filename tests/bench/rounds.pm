# SPDX-License-Identifier: GPL-2.0-or-later
#
# What measured tables are made of: medians over rounds, their intervals, and the way into a file.
package rounds;
use strict;
use warnings;
use Exporter qw(import);
use List::Util qw(max min);
use POSIX qw(floor);

our @EXPORT = qw(median enclosing interval number table put_tables);

sub median {
	my @sorted = sort { $a <=> $b } @_;
	return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

# The order statistics that enclose the median of whatever the values are drawn from, whatever its
# shape, with a probability of at least 95 %: from the k-th smallest to the k-th largest, where k - 1
# or fewer of n fair coins show heads with a probability of at most 2.5 %. Returns k and the
# probability.
sub enclosing {
	my ($n) = @_;
	my ($k, $tail, $term) = (0, 0, 1 / 2**$n);
	for (my $i = 0; $tail + $term <= 0.025; $i++) {
		$tail += $term;
		$term *= ($n - $i) / ($i + 1);
		$k++;
	}
	return $k, 1 - 2 * $tail;
}

sub interval {
	my @sorted = sort { $a <=> $b } @_;
	my ($k) = enclosing(scalar @sorted);
	return @sorted[$k - 1, $#sorted - $k + 1];
}

sub number {
	my ($value) = @_;
	return '0' unless $value;
	my $digits = 3 - floor(log(abs $value) / log(10));
	return sprintf '%.*f', max(0, min(3, $digits)), $value;
}

sub table {
	my ($head, @rows) = @_;
	return join '', map { '| ' . join(' | ', @$_) . " |\n" } $head, [map { '---' } @$head], @rows;
}

# Puts tables into a file, each between its pair of markers; the text around them stays.
sub put_tables {
	my ($file, %tables) = @_;
	open(my $in, '<', $file) or die "$file: $!\n";
	my $text = do { local $/; <$in> };
	close $in;
	for my $name (sort keys %tables) {
		$text =~ s/(<!-- table: \Q$name\E -->\n).*?(<!-- end -->)/$1$tables{$name}$2/s
			or die "$file: no marker for '$name'\n";
	}
	open(my $out, '>', $file) or die "$file: $!\n";
	print {$out} $text;
	close $out or die "$file: $!\n";
}

1;
