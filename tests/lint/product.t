#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is built: the agent runs in any root file system and is small, and no binary holds a path of
# the machine that built it. The checks are tried on programs that lack these properties too.
# shellcheck source=tests/e2e/tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

limit=$((4 << 20))

is_static() { ! readelf -lW "$1" | grep -q INTERP && ! readelf -dW "$1" | grep -q NEEDED; }

is_small() {
	strip -o "$TMPDIR/stripped" "$1" && [ "$(stat -c %s "$TMPDIR/stripped")" -lt "$limit" ]
}

# These work in a static program only where it finds the very glibc that it was built with.
is_selfcontained() {
	! nm "$1" | grep -E ' [TtWw] (getaddrinfo|gethostby(name|addr)|getservby(name|port)|getpw(nam|uid)|getgr(nam|gid)|initgroups)$'
}

# A string that begins with the path: behind other letters of a path it is part of another one.
has_no_path() {
	wanted=$2 perl -0777 -ne 'exit(m{(?<![\w./-])\Q$ENV{wanted}\E/})' "$1"
}

for program in "$CONTEND" "$CONTEND_AGENT"; do
	ok "${program##*/}: there" test -x "$program"
	ok "${program##*/}: has no path of its source tree" has_no_path "$program" "$TOP"
done
ok 'the agent is static' is_static "$CONTEND_AGENT"
ok "the agent is smaller than $limit bytes" is_small "$CONTEND_AGENT"
ok 'the agent needs no library at run time' is_selfcontained "$CONTEND_AGENT"
ok 'its link fails at the first warning' grep -q '^ LINK_ARGS .*-static .*--fatal-warnings' \
	<(sed -n '/^build contend-agent:/,/^$/p' "$BUILD/build.ninja")

# And what has not these properties is found out.
cd "$TMPDIR" || exit 1
mkdir wrong
cat >wrong/main.c <<'END'
#include <pwd.h>
#include <stdio.h>
static char big[5 << 20] = {1};
int main(int argc, char **argv)
{
	printf("%d %p\n", big[argc], (void *)getpwnam(argv[0]));
	return 0;
}
END
gcc -g -o wrong/dynamic "$TMPDIR/wrong/main.c"
gcc -static -o wrong/static wrong/main.c 2>/dev/null
lacks() { ! "$@" >/dev/null; }
finds() { ok "finds a program that is not so: $1" lacks "$@"; }
finds is_static wrong/dynamic
finds is_small wrong/static
finds is_selfcontained wrong/static
finds has_no_path wrong/dynamic "$TMPDIR"
run gcc -static -Wl,--fatal-warnings -o wrong/static wrong/main.c
unlike "$status" '^0$' 'getpwnam does not link with --fatal-warnings'

# The same binaries from another folder and another copy of the tree.
if [ -z "${CONTEND_LONG-}" ]; then
	skip 'the build is reproducible' 'a long test: make check-long'
else
	mkdir copy
	(cd "$TOP" && tar cf - --exclude='./build*' --exclude=./.git .) | tar xf - -C copy
	CC=gcc meson setup copy/elsewhere copy --werror >setup.log 2>&1 &&
		ninja -C copy/elsewhere >build.log 2>&1 || cat setup.log build.log >&2
	for program in contend contend-agent; do
		ok "$program is the same from another folder" \
			cmp "$BUILD/$program" "copy/elsewhere/$program"
	done
fi
done_testing
