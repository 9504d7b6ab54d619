#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ten million latencies summarised: minimum, p50, p95, p99, p99.9 with intervals, maximum, mean; and
# the same by R from the same file, read before the clock starts, with its fastest way: a partial sort.
set -eu

program=$BUILD/tests/bench/quantiles
count=10000000
"$program" make "$TMPDIR/latencies" "$count"
ours=$("$program" "$TMPDIR/latencies")
took=$(head -n 1 <<<"$ours")

row() {
	printf '%-52s %10s %-3s %s\n' "$@"
}

row '10 million latencies summarised' "$took" ms '(aim: under 500)'
if ! command -v Rscript >/dev/null; then
	echo 'beside R: skipped, there is no Rscript (Debian: r-base-core)'
	exit 0
fi

theirs=$(Rscript --vanilla - "$TMPDIR/latencies" "$count" <<'END'
args <- commandArgs(TRUE)
n <- as.integer(args[2])
x <- readBin(args[1], "double", n)
q <- c(.5, .95, .99, .999)
summarise <- function() {
	ranks <- cbind(ceiling(q * n), qbinom(.025, n, q), qbinom(.975, n, q) + 1)
	values <- sort(x, partial = sort(unique(as.vector(ranks))))
	list(head = c(min(x), max(x), mean(x)), rows = matrix(values[ranks], nrow = 4))
}
best <- min(sapply(1:3, function(round) system.time(result <<- summarise())[["elapsed"]]))
cat(sprintf("%.1f\n", 1000 * best))
cat(sprintf("%.17g %.17g %.9g\n", result$head[1], result$head[2], result$head[3]))
cat(sprintf("%.17g %.17g %.17g\n", result$rows[, 1], result$rows[, 2], result$rows[, 3]), sep = "")
END
)
if [ "$(tail -n +2 <<<"$ours")" != "$(tail -n +2 <<<"$theirs")" ]; then
	printf 'not the figures of R:\n%s\n%s\n' "$ours" "$theirs" >&2
	exit 1
fi
took_theirs=$(head -n 1 <<<"$theirs")
row 'the same by R, with the same figures' "$took_theirs" ms \
	"($(perl -e 'printf "%.1f", $ARGV[0] / $ARGV[1]' "$took_theirs" "$took") times as long)"
