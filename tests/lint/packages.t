#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# packages/install on a machine that lacks something: with a dpkg-query, an apt-get and an id that
# only say what they are told to say, in a folder of programs that has nothing else than it needs.
# shellcheck source=tests/e2e/tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

bin=$TMPDIR/bin
mkdir -p "$bin" "$TMPDIR/packages"
cp "$TOP/packages/install" "$TMPDIR/packages/install"
cat >"$TMPDIR/packages/debian.txt" <<'END'
# A list.
[build]
one
two   # with a comment
[check]
three
[bench]
END
for tool in awk cat dirname mktemp rm sed sh; do
	ln -s "$(command -v "$tool")" "$bin/$tool"
done
fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}
installed() {
	# dpkg-query fails for packages that it has never heard of, and still answers for the others.
	fake dpkg-query "for name in $*; do echo installed \$name; done
		echo not-installed gone; echo 'no packages found' >&2; exit 1"
}
install() {
	: >"$TMPDIR/calls"
	run env -i PATH="$bin" TMPDIR="$TMPDIR" "$TMPDIR/packages/install" "$@"
	calls=$(cat "$TMPDIR/calls")
}
fake id 'echo 0'
fake apt-get "echo \"\$DEBIAN_FRONTEND \$*\" >>$TMPDIR/calls; echo noise"

installed one two three
install build check
is "$status" 0 'nothing is missing: status'
is "$out$err" '' 'nothing is missing: no output'
is "$calls" '' 'nothing is missing: no apt-get'

installed two three
install build check
is "$status" 0 'one is missing: status'
is "$out$err" 'installing packages: one' 'one is missing: what is said'
like "$calls" '^noninteractive .*-y .*--no-install-recommends install one$' \
	'one is missing: what is done'

installed three
install check
is "$status$calls" 0 'another section: no apt-get'
install bench
is "$status$calls$err" 0 'an empty section'
install nosuch
is "$status" 2 'an unknown section'

# The first time on a fresh machine apt-get knows no package.
fake apt-get "echo \"\$*\" >>$TMPDIR/calls
	case \"\$*\" in *update) : >$TMPDIR/updated; exit;; esac; test -e $TMPDIR/updated"
install build
is "$status" 0 'empty lists: status'
is "$(sed 's/.* \(install\|update\)/\1/' <<<"$calls")" 'install one two
update
install one two' 'empty lists: install, update, install'
fake apt-get "echo \"\$*\" >>$TMPDIR/calls; echo 'E: no network'; exit 100"
install build
is "$status" 1 'apt-get fails: status'
like "$err" 'E: no network' 'apt-get fails: its words'
like "$err" 'apt-get install: one two$' 'apt-get fails: advice'

fake id 'echo 1000'
install build
is "$status" 1 'not root: status'
is "$out$err" 'missing packages, to be installed as root: apt-get install: one two' \
	'not root: one line'
is "$calls" '' 'not root: no apt-get'

rm "$bin/dpkg-query"
install build check
is "$status" 0 'not Debian: goes on'
like "$out$err" '^not a Debian system: .*: one two three$' 'not Debian: one line'

sections=$(sed -n 's/^\[\(.*\)\]$/\1/p' "$TOP/packages/debian.txt" | tr '\n' ' ')
is "$sections" 'build check bench ' \
	'the real list has the sections that the Makefile asks for'
done_testing
