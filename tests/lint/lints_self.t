#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every lint can fail: a small tree without a fault passes all of them, and with one fault planted
# the lint that is there for it names it.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $top = abs_path("$FindBin::Bin/../..");
my $tree = tempdir(CLEANUP => 1);
my $spdx = 'SPDX-License-Identifier: GPL-2.0-or-later';

sub put {
	my ($path, $text) = @_;
	make_path(dirname("$tree/$path"));
	open(my $file, '>', "$tree/$path") or die "$path: $!";
	print $file $text;
	close $file;
}

# A C file, a header with its guard, a script; with their first lines.
sub c { return put($_[0], "// $spdx\n$_[1]") }
sub script { put($_[0], $_[1]); return chmod 0755, "$tree/$_[0]" }

sub h {
	my ($path, $text) = @_;
	my $guard = 'CONTEND_' . uc($path =~ s{^src/}{}r =~ s{[/.]}{_}gr);
	return put($path, "/* $spdx */\n#ifndef $guard\n#define $guard\n\n$text\n#endif\n");
}

sub get {
	my ($path) = @_;
	open(my $file, '<', "$tree/$path") or die "$path: $!";
	local $/;
	return scalar <$file>;
}

my $thing = <<'C';
#include "base/thing.h"

#include <stdlib.h>
#include <unistd.h>

/* printf("this is not code"); exit(1) */
static const struct thing things[] = {
	{"a row", 1},
	{"a line", 2},
	{"of a", 3},
	{"table", 4},
	{"is not", 5},
	{"packed", 6},
};

static const struct {
	struct thing first;
} nested = {
	.first = {
		.name = "a member's brace stays on its line",
		.number = 7,
	},
};

const char *thing_name(unsigned int i)
{
	if (i >= sizeof(things) / sizeof(things[0]))
		_exit(127);
	if (i == 7)
		return nested.first.name;
	return things[i].name ? things[i].name : "printf(\"nor is this\"), stderr";
}
C
my $leaf = qq(#include "setup/setup.h"\n\nconst struct setup setup_thp = {.name = "thp"};\n);

h('src/base/thing.h', <<'C');
#include <stdbool.h>

struct thing {
	const char *name;
	int number;
};

#define THING_NONE {.name = "none", .number = 0}

const char *thing_name(unsigned int i);
C
c('src/base/thing.c', $thing);
put('src/base/meson.build', "base_lib = static_library('base', files('thing.c'))\n");
h('src/model/noun.h', qq(#include "base/thing.h"\n\nbool noun_is(const struct thing *t);\n));
c('src/model/noun.c', <<'C');
#include "model/noun.h"

bool noun_is(const struct thing *t)
{
	return t->number > 0;
}
C
put('src/model/meson.build', "model_lib = static_library('model', files('noun.c'))\n");
c('src/stats/number.c', "#include <Rmath.h>\n");
put('src/stats/meson.build', "stats_lib = static_library('stats', files('number.c'))\n");
h('src/setup/setup.h', "struct setup {\n\tconst char *name;\n};\n");
c('src/setup/thp.c', $leaf);
c('src/setup/all.c', qq(#include "setup/list.h"\n#include "setup/setup.h"\n));
put('src/setup/meson.build', "kind = 'setup'\nnames = [\n  'thp',\n]\nframe = ['all']\n");
h('src/probe/probe.h', qq(#include "model/noun.h"\n));
c('src/cli/main.c', "#include <stdio.h>\n\nint main(void)\n{\n\tprintf(\"\\n\");\n\treturn 0;\n}\n");
put('src/cli/meson.build', "cli_main = files('main.c')\n");
put('src/meson.build', "foreach folder : ['base', 'model', 'stats', 'setup', 'cli']\n");
put('tests/unit/meson.build', "foreach folder : ['base']\n");
put('tests/unit/base/meson.build', "names = ['thing']\ndeps = [base_dep]\n");
c('tests/unit/base/thing.c', qq(#include "base/thing.h"\n));
script('tests/hello', "#!/usr/bin/env bash\n# $spdx\necho \"\${1-}\"\n");
put('build-clang/compile_commands.json', qq([{"directory": "$tree/build-clang",
 "command": "clang -I../src -c ../src/base/thing.c", "file": "../src/base/thing.c"}]));
for my $path (glob("$top/tests/lint/*"), map { "$top/$_" } qw(.clang-format .clang-tidy tests/e2e/tap.sh)) {
	my $to = $path =~ s{^\Q$top\E}{$tree}r;
	make_path(dirname($to));
	next if $path =~ /_self\.t$/;
	copy($path, $to) or die "$path: $!";
	chmod((stat $path)[2] & 0777, $to);
}

# What a lint says of the tree: its status and what it printed.
sub lint_says {
	my ($lint) = @_;
	local $ENV{BUILD} = "$tree/build";
	my $output = `'$tree/tests/lint/$lint.t' 2>&1`;
	return ($?, $output);
}

my @lints = qw(format headers includes lists shell tidy words);
for my $lint (@lints) {
	my ($status, $output) = lint_says($lint);
	is($status, 0, "$lint passes a tree without a fault") or diag($output);
}

# Plants a fault, a new text of a file (undef: its removal), and takes it out again.
sub catches {
	my ($lint, $what, $path, $text, $pattern) = @_;
	my $old = -e "$tree/$path" ? get($path) : undef;
	my $mode = defined $old ? (stat "$tree/$path")[2] & 0777 : 0644;
	defined $text ? put($path, $text) : unlink "$tree/$path";
	my ($status, $output) = lint_says($lint);
	ok($status && $output =~ $pattern, "$lint catches $what") or diag("status $status\n$output");
	defined $old ? put($path, $old) : unlink "$tree/$path";
	chmod $mode, "$tree/$path";
}

# The same with text behind what is there, or with something in it replaced.
sub catches_more {
	my ($lint, $what, $path, $text, $pattern) = @_;
	return catches($lint, $what, $path, get($path) . $text, $pattern);
}

sub catches_instead {
	my ($lint, $what, $path, $old, $new, $pattern) = @_;
	my $text = get($path);
	$text =~ s/\Q$old\E/$new/ or die "no $old in $path";
	return catches($lint, $what, $path, $text, $pattern);
}

my $h = 'src/base/thing.h';
catches_instead('includes', 'an upward include', $h, '<stdbool.h>', '"model/noun.h"',
	qr/thing\.h:5: "model\/noun\.h": base may not use model/);
catches_instead('includes', 'a neighbour on the floor', 'src/setup/thp.c', 'setup/setup.h',
	'probe/probe.h', qr/setup may not use probe/);
catches_instead('includes', 'cli at the measuring side', 'src/cli/main.c', '<stdio.h>',
	'"setup/setup.h"', qr/cli may not use setup/);
catches_instead('includes', 'a header without its folder', 'src/base/thing.c', 'base/thing.h',
	'thing.h', qr/"thing\.h": not by the name of its folder/);
catches_instead('includes', 'a header of ours in angles', 'src/model/noun.c', '"model/noun.h"',
	'<model/noun.h>', qr/<model\/noun\.h>: a header of ours/);
catches('includes', 'a folder that no floor knows', 'src/utils/x.c', "// $spdx\n", qr/src\/utils\/x\.c/);
rmdir "$tree/src/utils";
catches_more('includes', 'a library outside its folder', 'src/model/noun.c',
	"#include <sqlite3.h>\n", qr/<sqlite3\.h> belongs to store/);
catches('includes', 'a second file with Rmath.h', 'src/stats/more.c', "#include <Rmath.h>\n",
	qr/<Rmath\.h> is included by 2 files/);
catches_more('includes', 'a loop in the floors', 'tests/lint/floors', "x y\ny x\n", qr/x uses y/);
catches_more('includes', "a call of $_->[0]", 'src/model/noun.c', "void f(void) { $_->[1]; }\n",
	qr/noun\.c:8: \Q$_->[0]\E/)
	for ['printf(', 'printf("x")'], ['puts(', 'puts("x")'], ['exit(', 'exit(1)'],
	['stderr', 'fprintf(stderr, "x")'], ['stdout', 'fputs("x", stdout)'], ['perror(', 'perror("")'];

catches('lists', 'a leaf file without a name', 'src/setup/zram.c', $leaf,
	qr/zram\.c is there but not named/);
catches_instead('lists', 'a name without a file', 'src/setup/meson.build', "'thp'", "'thp', 'zram'",
	qr/zram\.c is named in meson\.build but not there/);
catches_instead('lists', 'a leaf of another name', 'src/setup/thp.c', 'setup_thp', 'setup_mthp',
	qr/does not define `const struct setup setup_thp`/);
catches_instead('lists', 'a leaf that is only a comment', 'src/setup/thp.c', 'const', '// const',
	qr/does not define `const struct setup setup_thp`/);
catches_more('lists', 'a leaf in the frame', 'src/setup/all.c', "const struct setup setup_x = {0};\n",
	qr/all\.c defines a setup but is not among the names/);
catches('lists', 'a file that is not built', 'src/base/more.c', '', qr/src\/base: more\.c is there/);
catches('lists', 'a folder that is not built', 'src/lab/lab.c', '', qr/src\/lab is not named/);
rmdir "$tree/src/lab";
catches('lists', 'a unit test that is not built', 'tests/unit/base/x.c', '', qr/x\.c is there/);
catches('lists', 'a folder of unit tests that is not built', 'tests/unit/model/x.c', '',
	qr/does not name model/);
rmdir "$tree/tests/unit/model";

catches_instead('format', 'blanks for a tab', 'src/base/thing.c', "\treturn things", '        return things',
	qr/thing\.c:32: not laid out/);
catches_instead('format', 'a table that was packed', 'src/base/thing.c', qq(\t{"of a", 3},\n),
	qq(\t{"of a",   3},\n), qr/thing\.c:11: not laid out/);
catches_instead('format', 'a comment beyond 100 columns', 'src/base/thing.c',
	'/* printf("this is not code"); exit(1) */', '/* ' . 'word ' x 20 . '*/', qr/thing\.c:7: not laid out/);
catches_instead('format', 'a long line of a paragraph', 'src/base/thing.c',
	'/* printf("this is not code"); exit(1) */', "/*\n * First.\n * " . 'word ' x 20 . "\n */",
	qr/thing\.c:9: not laid out/);
catches_instead('format', 'a comment behind code beyond 100 columns', $h, "\tint number;",
	"\tint number; /* " . 'word ' x 18 . '*/', qr/thing\.h:9: more than 100 columns/);
catches_instead('format', 'a brace', 'src/cli/main.c', "(void)\n{", '(void) {', qr/main\.c:4: not/);

my $refusal = `'$tree/tests/lint/format' '$tree/src/base/meson.build' 2>&1`;
ok($? && $refusal =~ /meson\.build is not a \.c or \.h file/, 'format refuses what is not C');
is(get('src/base/meson.build'), "base_lib = static_library('base', files('thing.c'))\n", 'and leaves it');

catches_instead('headers', 'a header that needs another', 'src/model/noun.h', qq(#include "base/thing.h"\n),
	'', qr/noun\.h:\n.*unknown type name/s);
catches_instead('headers', 'the guard of another header', $h, 'CONTEND_BASE_THING_H', 'THING_H',
	qr/thing\.h: not guarded by CONTEND_BASE_THING_H/);
catches('headers', 'a header without a guard', $h, "struct thing {int x;};\n", qr/redefinition of/);

catches_more('shell', 'a syntax error of bash', 'tests/hello', "if true; then\n", qr/hello: line \d+/);
catches('shell', 'a syntax error of perl', 'tests/x', "#!/usr/bin/perl\n(\n", qr/syntax error/);
catches('shell', 'perl that is not strict', 'tests/x', "#!/usr/bin/perl\n1;\n", qr/without strict/);
catches('shell', 'a script that cannot be executed', 'tests/x', "#!/bin/sh\n", qr/x: cannot be exec/);
SKIP: {
	skip('shellcheck is not installed', 1) unless grep { -x "$_/shellcheck" } split /:/, $ENV{PATH};
	catches_more('shell', 'what shellcheck finds', 'tests/hello', "cat \$1\n", qr/SC2086/);
}

catches_more('tidy', 'a use after free', 'src/base/thing.c', <<'C', qr/clang-analyzer-unix\.Malloc/);
char thing_bad(void)
{
	char *p = malloc(1);

	if (!p)
		return 0;
	*p = 1;
	free(p);
	return *p;
}
C
catches_more('tidy', 'the size of a pointer', 'src/base/thing.c', <<'C', qr/bugprone-sizeof-expression/);
#include <string.h>
void thing_clear(struct thing *t)
{
	memset(t, 0, sizeof(t));
}
C
catches_more('tidy', 'what does not compile', 'src/base/thing.c', "int x = y;\n", qr/undeclared/);

# Written in two parts, so that this file has no fault itself.
catches('words', "a path in $_", 'docs/x.md', "see $_/there\n", qr/docs\/x\.md:1: see/)
	for '/wo' . 'rk', '/ro' . 'ot';
catches('words', "the host $_", 'docs/x.md', "from https://$_/x\n", qr/docs\/x\.md:1: from/)
	for 'deb.deb' . 'ian.org', 'registry.np' . 'mjs.org', 'py' . 'pi.org';
catches('words', 'a large file', 'docs/x.dat', 'x' x (1 << 20) . "x", qr/x\.dat: 1048577 bytes/);
catches('words', 'a source without its licence', 'src/base/thing.c', $thing, qr/thing\.c: no SPDX/);
catches('words', 'a script without its licence', 'tests/hello', "#!/bin/sh\n", qr/hello: no SPDX/);
catches_more('words', 'blanks at the end of a line', 'src/base/thing.c', "int x; \n", qr/thing\.c:34/);

done_testing();
