#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What was installed, from odd places: the two programs find each other, wherever they are called.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

unset CONTEND_AGENT
DESTDIR=$TMPDIR/destination meson install -C "$BUILD" --no-rebuild >install.log 2>&1
is $? 0 'installs below another root' || note "$(cat install.log)"
contend=$(find destination -name contend -type f -perm -u+x)
ok 'the program is there' [ -n "$contend" ]
ok 'the agent is beside it' [ -x "${contend%/*}/contend-agent" ]
ok 'what runs test cases is beside it' [ -x "${contend%/*}/contend-runner" ]
header=$(find "$PWD/destination" -path '*/contend/contend.h')
ok 'what test cases are built with is there' [ -n "$header" ]
ok 'the man page is there' [ -n "$(find destination -name 'contend.1*')" ]
is "$(find destination -name '*preload*' -o -name '*dynamic*')" '' 'and nothing that only tests need'
bin=$TMPDIR/${contend%/*}
# Nothing of the build folder takes part from here on.
mv "$bin" "$TMPDIR/moved"
bin=$TMPDIR/moved

# measures TITLE FOLDER COMMAND...
measures() {
	local title=$1 folder=$2
	shift 2
	until_ok run sh -c 'cd "$1" && shift && exec "$@"' sh "$folder" "$@" run null "${quick[@]}"
	is "$status: $err" '0: ' "$title"
}

# A test case of a user, with what is installed alone.
gcc -O2 -shared -fPIC -I"${header%/contend/contend.h}" -o mlock.so "$TOP/examples/mlock.c"
until_ok run "$bin/contend" run external file="$TMPDIR/mlock.so" "${quick[@]}"
is "$status: $err" '0: ' 'a test case of a user'

ln -s "$bin/contend" link
mkdir 'a b' deep
measures 'from the root folder' / "$bin/contend"
measures 'by a relative path' moved ./contend
measures 'by the search path' / env "PATH=$bin:$PATH" contend
measures 'by a link' / "$TMPDIR/link"
measures 'from a folder with a blank' 'a b' ../moved/contend
run sh -c 'cd deep && rmdir "$PWD" && exec "$@"' sh "$bin/contend" show
is "$status: $err" '0: ' 'from a folder that is gone'
run sh -c 'mkdir gone && cd gone && rmdir "$PWD" && exec "$@"' sh "$bin/contend" run null --store relative.db
is "$status" 4 'a store in a folder that is gone: status'
like "$err" '^contend: store relative\.db: .*No such file' 'a store in a folder that is gone: the reason'

# Alone it says what it misses.
mkdir alone
cp "$bin/contend" alone
run alone/contend list
if [ "$status" = 0 ]; then
	skip 'without an agent' 'one is installed on this machine, and was found'
else
	is "$status" 4 'without an agent: status'
	like "$err" 'no contend-agent in .*/alone or .*CONTEND_AGENT' 'without an agent: the reason'
fi

done_testing
