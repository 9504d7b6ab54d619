#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Exact tests over all 2^20 sign patterns of 20 pairs, for 25 metrics: each for itself and jointly,
# beside a plain loop over the patterns, and R with a matrix of them, on the same differences; and
# the rule that looks on the way at its 40th pair.
set -eu

row() {
	printf '%-52s %10s %-3s %s\n' "$@"
}

times() {
	perl -e 'printf "(%.0f times as long)", $ARGV[0] / $ARGV[1]' "$@"
}

"$BUILD/tests/bench/sign_flip" >"$TMPDIR/ours" || {
	echo 'a plain loop comes to another p' >&2
	exit 1
}
read -r ours interval plain <"$TMPDIR/ours"
read -r joint rule inversion < <("$BUILD/tests/bench/joint")
row 'sign-flip tests of 25 metrics at 20 pairs: p' "$ours" ms '(aim: under 1000)'
row 'their intervals' "$interval" ms ''
row 'the same p by a plain loop over all patterns' "$plain" ms "$(times "$plain" "$ours")"
if command -v Rscript >/dev/null; then
	theirs=$(Rscript --vanilla - "$TMPDIR/ours" <<'END'
lines <- scan(commandArgs(TRUE)[1], skip = 1, quiet = TRUE)
x <- matrix(lines, nrow = 21)
d <- x[-1, ]
took <- system.time({
	signs <- as.matrix(expand.grid(rep(list(c(1, -1)), 20)))
	p <- apply(d, 2, function(one) mean(abs(signs %*% one) >= abs(sum(one)) - 1e-12))
})[["elapsed"]]
stopifnot(max(abs(p - x[1, ])) < 1e-12)
cat(1000 * took)
END
	)
	row 'the same p by R' "$theirs" ms "$(times "$theirs" "$ours")"
else
	echo 'beside R: skipped, there is no Rscript (Debian: r-base-core)'
fi
row 'joint test (max-T, step-down) of 25 metrics' "$joint" ms '(aim: under 1000)'
row 'the rule with looks at 40 pairs: p' "$rule" ms ''
row 'the rule with looks at 40 pairs: interval' "$inversion" ms ''
