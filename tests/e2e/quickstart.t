#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make quickstart`: each status that answers the question is a success of make, no other is. The
# Makefile is the real one; what it would install, build and run is not.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

mkdir -p tree/build tree/packages bin
cp "$TOP/Makefile" tree
touch tree/build/build.ninja
printf '#!/bin/sh\n' | tee tree/packages/install >bin/ninja
cat >tree/build/contend <<'END'
#!/bin/sh
echo "arguments: $*"
exit "$STUB_STATUS"
END
chmod +x tree/packages/install tree/build/contend bin/ninja
export PATH=$TMPDIR/bin:$PATH STUB_STATUS

for STUB_STATUS in 0 1 3; do
	run make -C tree quickstart
	is "$status" 0 "status $STUB_STATUS is an answer"
	is "$err" '' "status $STUB_STATUS: nothing on standard error"
	like "$out" $'\narguments: ab ' "status $STUB_STATUS: two arms were compared"
done
for STUB_STATUS in 2 4 5; do
	run make -C tree quickstart
	is "$status" 2 "status $STUB_STATUS is none"
	like "$err" "quickstart.* Error $STUB_STATUS" "status $STUB_STATUS: make says which"
done

done_testing
