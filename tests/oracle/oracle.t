#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The statistics against R, on random inputs: oracle prints inputs and results, oracle.R has its own.
set -eu

if ! command -v Rscript >/dev/null; then
	echo '1..0 # skip no R here (Debian package r-base-core)'
	exit 0
fi
seed=1
[ "${CONTEND_LONG:-}" = 1 ] && seed=$(date +%s)
echo "# seed $seed"
# 50 MB, which by hand are not to stay where one happens to be.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$BUILD/tests/oracle/oracle" 10000 "$seed" >"$folder/cases"
Rscript --vanilla "$TOP/tests/oracle/oracle.R" "$folder/cases"
