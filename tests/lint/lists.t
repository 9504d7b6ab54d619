#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the meson.build files name is what is there: meson does not look for files itself.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use lint;

# The words of an array in a meson.build, undef where it has none of that name.
sub words {
	my ($text, $name) = @_;
	$text =~ s/^\s*#.*//mg;
	my ($inside) = $text =~ /^\Q$name\E\s*=\s*\[(.*?)\]/ms or return;
	return [$inside =~ /'([^']*)'/g];
}

# The differences of two lists, for reading.
sub differences {
	my ($where, $named, $there) = @_;
	my %named = map { $_ => 1 } @$named;
	my %there = map { $_ => 1 } @$there;
	return (map({ "$where: $_ is there but not named in meson.build" } grep { !$named{$_} } @$there),
		map({ "$where: $_ is named in meson.build but not there" } grep { !$there{$_} } @$named),
		@$named > keys %named ? "$where: something is named twice in meson.build" : ());
}

sub c_files {
	my ($folder) = @_;
	return map { s{^\Q$folder\E/}{}r } files(qr/\.c$/, $folder);
}

my %folders = map { m{^src/([^/]+)/} ? ($1 => 1) : () } files(qr/\.c$|^meson\.build$/, 'src');
my $src = slurp('src/meson.build');
clean('src/meson.build names every folder',
	map { "src/$_ is not named in src/meson.build" } grep { $src !~ /'$_'/ } sort keys %folders);

for my $folder (sort keys %folders) {
	my @there = c_files("src/$folder");
	my $text = -e tree() . "/src/$folder/meson.build" ? slurp("src/$folder/meson.build") : '';
	my $names = words($text, 'names');
	my @wrong;
	if ($names) {
		my $frame = words($text, 'frame') // [];
		my ($kind) = $text =~ /^kind\s*=\s*'(\w+)'/m;
		push @wrong, "src/$folder/meson.build sets no kind" unless defined $kind;
		$kind //= '?';
		# And main.c, which is in neither.
		my @named = ((map { "$_.c" } @$names, @$frame), $text =~ /^\w+ = files\('(main\.c)'\)/m);
		push @wrong, differences("src/$folder", \@named, \@there);
		for my $name (grep { -e tree() . "/src/$folder/$_.c" } @$names) {
			push @wrong, "src/$folder/$name.c does not define `const struct $kind ${kind}_$name`"
				unless grep { /^const struct $kind ${kind}_$name\b/ } code("src/$folder/$name.c");
		}
		for my $name (grep { -e tree() . "/src/$folder/$_.c" } @$frame) {
			push @wrong, "src/$folder/$name.c defines a $kind but is not among the names"
				if grep { /^const struct $kind ${kind}_\w+\s*=/ } code("src/$folder/$name.c");
		}
	} else {
		$text =~ s/^\s*#.*//mg;
		push @wrong, differences("src/$folder", [$text =~ /'([^']+\.c)'/g], \@there);
	}
	clean("src/$folder", @wrong);
}

my %units = map { m{^tests/unit/([^/]+)/} ? ($1 => 1) : () } files(qr/\.c$/, 'tests/unit');
my $unit = slurp('tests/unit/meson.build');
for my $folder (sort keys %units) {
	my $path = "tests/unit/$folder/meson.build";
	my $names = -e tree() . "/$path" ? words(slurp($path), 'names') : [];
	my @named = map { "$_.c" } @{$names // []};
	clean("tests/unit/$folder", differences("tests/unit/$folder", \@named, [c_files("tests/unit/$folder")]),
		$unit =~ /'$folder'/ ? () : "tests/unit/meson.build does not name $folder");
}

done_testing();
