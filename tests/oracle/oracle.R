# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: Rscript oracle.R FILE
#
# What R makes of the inputs that oracle.c printed, as TAP: its own functions where it has one,
# otherwise the definition, written out. Differences are relative to the larger of the result and
# `scale`, which is what a rounding error of the inputs makes of a result near 0.

lines <- readLines(commandArgs(TRUE)[1])
fields <- strsplit(lines, "|", fixed = TRUE)
kinds <- vapply(fields, `[`, "", 1)
values <- function(text) as.numeric(strsplit(text, " ", fixed = TRUE)[[1]])
number <- 0

report <- function(holds, text) {
	number <<- number + 1
	cat(if (holds) "ok" else "not ok", " ", number, " - ", text, "\n", sep = "")
}

# difference() of what was expected from what came, both vectors. NaN and infinities have to agree.
difference <- function(came, expected, scale) {
	if (length(came) != length(expected)) return(Inf)
	same <- (is.nan(came) & is.nan(expected)) | came == expected
	same[is.na(same)] <- FALSE
	away <- abs(came - expected) / pmax(abs(expected), scale)
	away[same] <- 0
	away[is.na(away)] <- Inf
	max(0, away)
}

# One case after the other: f(input, ...) returns what is expected of the last field, or a list of
# that and the scale.
check <- function(kind, what, tolerance, f) {
	worst <- 0
	at <- which(kinds == kind)
	for (i in at) {
		v <- lapply(fields[[i]][-1], values)
		expected <- do.call(f, v[-length(v)])
		scale <- 0
		if (is.list(expected)) {
			scale <- expected[[2]]
			expected <- expected[[1]]
		}
		away <- difference(v[[length(v)]], expected, scale)
		if (away > tolerance && worst <= tolerance)
			cat("# ", lines[i], "\n# expected ", format(expected, digits = 17), "\n")
		worst <- max(worst, away)
	}
	report(length(at) > 0 && worst <= tolerance, sprintf(
		"%s: %d inputs, differences up to %.1e, at most %.0e", what, length(at), worst, tolerance))
}

# All cases at once, fields of the same length: f(inputs, results) with a matrix of each, a row a
# case, returns what is expected, a column for each result.
check_all <- function(kind, what, tolerance, f) {
	at <- which(kinds == kind)
	all <- lapply(fields[at], function(x) lapply(x[-1], values))
	came <- do.call(rbind, lapply(all, `[[`, 2))
	expected <- f(do.call(rbind, lapply(all, `[[`, 1)), came)
	away <- 0
	for (column in seq_len(ncol(came))) {
		one <- difference(came[, column], expected[[column]], 0)
		if (one > tolerance)
			cat("# result", column, "is off by", one, "\n")
		away <- max(away, one)
	}
	report(length(at) > 0 && away <= tolerance, sprintf(
		"%s: %d inputs, differences up to %.1e, at most %.0e", what, length(at), away, tolerance))
}

check("summary", "mean, sd, quantiles", 1e-12, function(x, q) list(
	c(min(x), max(x), mean(x), sd(x), median(x), quantile(x, q, type = 7, names = FALSE)),
	max(abs(x))))

check("paired", "t.test", 1e-9, function(x, alpha) {
	t <- t.test(x, conf.level = 1 - alpha)
	reach <- qt(1 - alpha, t$parameter) * t$stderr
	list(c(t$estimate, sd(x), t$statistic, t$parameter, t$p.value, t$conf.int,
		t$estimate + reach), c(max(abs(x)), 0, 1, 0, 0, rep(max(abs(x)), 3)))
})

# All sign patterns of n differences, a row each, and all means of some of them.
patterns <- lapply(1:10, function(n) as.matrix(expand.grid(rep(list(c(1, -1)), n))))
subsets <- lapply(patterns, function(s) {
	some <- (s[-1, , drop = FALSE] == -1) * 1
	some / rowSums(some)
})

check("sign_flip", "sign-flip test, every pattern", 1e-9, function(x, alpha) {
	n <- length(x)
	sums <- abs(patterns[[n]] %*% x)
	p <- mean(sums >= abs(sum(x)) - 1e-10 * sum(abs(x)))
	c <- floor(alpha * 2^n / 2)
	means <- sort(subsets[[n]] %*% x)
	ends <- if (c == 0) c(-Inf, Inf) else c(means[c], means[length(means) + 1 - c])
	list(c(p, ends, 2 / 2^n, 2 * c / 2^n), c(0, rep(max(abs(x)), 2), 0, 0))
})

check("max_t", "step-down max-T, every pattern", 1e-12, function(d, pairs) {
	d <- matrix(d, nrow = pairs)
	d[is.na(d)] <- 0
	root <- sqrt(colSums(d^2))
	p <- rep(1, ncol(d))
	d <- d[, root > 0, drop = FALSE]
	if (ncol(d) == 0) return(p)
	d <- sweep(d, 2, root[root > 0], "/")
	observed <- abs(colSums(d))
	largest <- abs(patterns[[pairs]] %*% d)
	falling <- order(-observed)
	stepwise <- numeric(ncol(d))
	for (i in seq_along(falling)) {
		rest <- falling[i:length(falling)]
		reached <- apply(largest[, rest, drop = FALSE], 1, max)
		stepwise[falling[i]] <- mean(reached >= observed[falling[i]] - 1e-9)
	}
	stepwise[falling] <- cummax(stepwise[falling])
	p[root > 0] <- stepwise
	p
})

check("family", "p.adjust: Benjamini and Hochberg", 1e-12,
	function(p, holm) p.adjust(p, "BH"))
holm <- which(kinds == "family")
worst <- max(vapply(holm, function(i) {
	v <- lapply(fields[[i]][-1], values)
	difference(v[[2]], p.adjust(v[[1]], "holm"), 0)
}, 0))
report(length(holm) > 0 && worst <= 1e-12, sprintf(
	"p.adjust: Holm: %d inputs, differences up to %.1e, at most 1e-12", length(holm), worst))

score <- function(x) {
	s <- sign(outer(x, x, "-"))
	sum(s[lower.tri(s)])
}
check("trend", "cor.test: Kendall, exact", 1e-9, function(x) {
	# R is exact to 1e-16 of 1, which is precise in the lower tail only; the test is symmetric.
	s <- score(x)
	t <- cor.test(if (s > 0) -x else x, seq_along(x), method = "kendall", exact = TRUE)
	list(c(s, if (s > 0) -t$estimate else t$estimate, t$p.value), c(0, 1, 0))
})
orders <- function(n) {
	if (n == 1) return(matrix(1))
	below <- orders(n - 1)
	do.call(rbind, lapply(seq_len(n), function(first)
		cbind(first, below + (below >= first))))
}
all_orders <- lapply(1:6, orders)
check("trend_ties", "Kendall with ties, every order", 1e-12, function(x) {
	n <- length(x)
	later <- which(lower.tri(diag(n)), arr.ind = TRUE)
	x_in_order <- matrix(x[all_orders[[n]]], ncol = n)
	s <- rowSums(sign(x_in_order[, later[, 1], drop = FALSE] - x_in_order[, later[, 2], drop = FALSE]))
	if (length(unique(x)) == 1) return(c(0, 0, 1))
	c(score(x), cor(x, seq_along(x), method = "kendall"), mean(abs(s) >= abs(score(x))))
})
check("trend_long", "cor.test: Kendall, normal, with ties", 1e-9, function(x) {
	if (length(unique(x)) == 1) return(c(0, 0, 1))
	t <- cor.test(x, seq_along(x), method = "kendall", exact = FALSE, continuity = TRUE)
	list(c(score(x), t$estimate, t$p.value), c(0, 1, 1e-250))
})

check("order_effect", "t.test of two kinds of pairs", 1e-8, function(x, first) {
	t <- t.test(x[first == 1], x[first == 0], var.equal = TRUE)
	list(c(1, (t$estimate[1] - t$estimate[2]) / 2, t$statistic, t$parameter, t$p.value),
		c(0, max(abs(x)), 1, 0, 0))
})

# k when it is the quantile p of the binomial by definition. qbinom() of R 4.2.2 now and then says n.
quantile_or_na <- function(k, p, n, q)
	ifelse(pbinom(k, n, q) >= p & (k == 0 | pbinom(k - 1, n, q) < p), k, NA)

check_all("distribution", "pnorm, qnorm, pt, qt, pbinom, pf, qchisq", 1e-9, function(i, came) {
	z <- i[, 1]; tail <- i[, 2]; t <- i[, 3]; df <- i[, 4]; share <- i[, 5]
	n <- i[, 7]; k <- i[, 8]
	noncentral <- suppressWarnings(pt(abs(t) + .01, df, i[, 6]))
	list(pnorm(z, lower.tail = FALSE), qnorm(tail, lower.tail = FALSE), 2 * pt(-abs(t), df),
		qt(share, df, lower.tail = FALSE),
		# Two ways to the tail of the noncentral t: an absolute error.
		ifelse(abs(came[, 5] - (1 - noncentral)) < 1e-10, came[, 5], NA),
		quantile_or_na(came[, 6], share, n, share), pbinom(k - 1, n, share),
		pf(i[, 9], df, i[, 10], lower.tail = FALSE), qchisq(share, df))
})

check_all("order", "ranks by pbinom, and no smaller n", 1e-9, function(i, came) {
	n <- i[, 1]; q <- i[, 2]; level <- i[, 3]
	low <- quantile_or_na(came[, 1], (1 - level) / 2, n, q)
	high <- quantile_or_na(came[, 2] - 1, (1 + level) / 2, n, q) + 1
	bounded <- function(m) 1 - q^m - (1 - q)^m >= level
	within <- function(m)
		pbinom(0, m, q) < (1 - level) / 2 & pbinom(m - 1, m, q) >= (1 + level) / 2
	list(low, high, pbinom(high - 1, n, q) - pbinom(low - 1, n, q),
		ifelse(bounded(came[, 4]) & !bounded(came[, 4] - 1), came[, 4], NA),
		ifelse(within(came[, 5]) & !within(came[, 5] - 1), came[, 5], NA))
})

check("variance", "anova(lm): variance components", 1e-9, function(x, sizes, cost) {
	group <- factor(rep(seq_along(sizes), sizes))
	a <- anova(lm(x ~ group))
	ms <- a[["Mean Sq"]]
	n <- (sum(sizes) - sum(sizes^2) / sum(sizes)) / (length(sizes) - 1)
	between <- max(0, (ms[1] - ms[2]) / n)
	icc <- between / (between + ms[2])
	list(c(ms, a[["F value"]][1], a[["Pr(>F)"]][1], n, ms[2], between, icc, 1 + (n - 1) * icc,
		2 * pnorm(-qnorm(.975) / sqrt(1 + (n - 1) * icc)),
		if (between == 0) Inf else max(1, sqrt(cost * ms[2] / between))),
		c(0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0))
})

# R says that the noncentral t may be imprecise in a far tail: the differences are seen below.
power <- function(n, effect, sd, alpha) suppressWarnings(
	power.t.test(n, effect, sd, alpha, type = "one.sample", strict = TRUE)$power)
clears <- function(n, margin, sd, alpha) suppressWarnings(
	power.t.test(n, margin, sd, alpha, type = "one.sample", alternative = "one.sided")$power)
reach <- function(n, sd, alpha) qt(1 - alpha / 2, n - 1) * sd / sqrt(n)

# smallest() is n when it does and n - 1 does not; 2 is the least that is asked.
smallest <- function(n, does) if (does(n) && (n == 2 || !does(n - 1))) n else NA
plans <- which(kinds == "plan")
worst <- c(0, 0)
for (i in plans) {
	v <- values(fields[[i]][2])
	came <- values(fields[[i]][3])
	n <- v[1]; effect <- v[2]; sd <- v[3]; alpha <- v[4]; wanted <- v[5]
	expected <- c(power(n, effect, sd, alpha),
		smallest(came[2], function(n) power(n, effect, sd, alpha) >= wanted),
		smallest(came[3], function(n) reach(n, sd, alpha) <= effect),
		smallest(came[4], function(n) clears(n, effect, sd, alpha) >= wanted),
		came[5], sd * sqrt((n - 1) / qchisq(1 - wanted, n - 1)))
	worst <- pmax(worst, c(difference(came, expected, 0),
		# Beyond a noncentrality of 37.62 pt() is another approximation, with a step between.
		if (came[5] * sqrt(n) / sd < 37) abs(power(n, came[5], sd, alpha) - wanted) else 0))
}
report(length(plans) > 0 && all(worst <= 1e-8), sprintf(
	"power.t.test: %d inputs, differences up to %.1e and %.1e, at most 1e-08; no smaller n does",
	length(plans), worst[1], worst[2]))

check("autocorrelation", "acf", 1e-9, function(x, lag)
	list(acf(x, lag.max = length(x) - 1, plot = FALSE)$acf[lag + 1, 1, 1], 1))

bets <- c(.5, 1, 2, 4)
# log E after each difference, for the plus and the minus sign of each bet.
log_cosh <- function(x) abs(x) + log1p(exp(-2 * abs(x))) - log(2)
log_bets <- function(x) {
	z <- vapply(seq_along(x), function(i) {
		so_far <- abs(x[1:i])
		scale <- median(so_far)
		if (scale == 0) scale <- if (any(so_far > 0)) median(so_far[so_far > 0]) else 1
		x[i] / scale
	}, 0)
	up <- outer(z, bets, function(z, b) b * z - log_cosh(b * z))
	down <- outer(z, -bets, function(z, b) b * z - log_cosh(b * z))
	list(apply(up, 2, cumsum), apply(down, 2, cumsum))
}
e_two_sided <- function(x) {
	logs <- log_bets(x)
	rowMeans(exp(matrix(c(logs[[1]], logs[[2]]), nrow = length(x))))
}
e_smaller <- function(x) rowMeans(exp(matrix(log_bets(x)[[2]], nrow = length(x))))
check("e_process", "the e-process as it is written", 1e-9, function(x, rest) {
	two <- e_two_sided(x - rest[1])
	one <- e_smaller(x - rest[1])
	c(two[length(x)], max(1, two), one[length(x)], max(1, one))
})
# The ends of its interval: rejected just outside of them, not just inside.
processes <- which(kinds == "e_process")
wrong <- 0
bounded <- 0
for (i in processes) {
	x <- values(fields[[i]][2])
	rest <- values(fields[[i]][3])
	rejects <- function(theta) max(1, e_two_sided(x - theta)) >= 1 / rest[2]
	near <- 3e-7 * (max(x) - min(x)) + 1e-9 * max(abs(x))
	ends <- rest[3:4]
	if (any(is.nan(ends)) || near == 0) next
	for (side in 1:2) if (is.finite(ends[side])) {
		out <- c(-1, 1)[side]
		bounded <- bounded + 1
		wrong <- wrong + (!rejects(ends[side] + out * near) || rejects(ends[side] - out * near))
	}
}
report(bounded > 100 && wrong <= bounded / 100, sprintf(
	"ends of the e-process interval: %d of %d not where the process reaches 1/alpha, at most 1 %%",
	wrong, bounded))

# The walk from look to look on a grid, by Simpson's rule: the share that is stopped at each look.
stopped <- function(t, z, drift) {
	nodes <- 801
	share <- numeric(length(t))
	from <- 0
	mass <- 1
	before <- 0
	for (k in seq_along(t)) {
		step <- sqrt(t[k] - before)
		reach <- z[k] * sqrt(t[k])
		mean <- from + drift * step^2
		share[k] <- sum(mass * (pnorm((-reach - mean) / step) + pnorm((mean - reach) / step)))
		far <- min(reach, abs(drift) * t[k] + 9 * sqrt(t[k]))
		to <- seq(-far, far, length.out = nodes)
		weights <- c(1, rep(c(4, 2), length.out = nodes - 2), 1) * 2 * far / (nodes - 1) / 3
		density <- if (k == 1) dnorm(to, mean, step) else
			colSums(mass * dnorm(outer(from, to, function(f, x) x - f - drift * step^2), 0, step))
		mass <- density * weights
		from <- to
		before <- t[k]
	}
	share
}
walks <- which(kinds == "group_sequential")
worst <- c(0, 0, 0)
for (i in walks) {
	v <- lapply(fields[[i]][-1], values)
	t <- v[[1]]; z <- v[[2]]; alpha <- v[[3]][1]; spent <- v[[4]]
	formula <- if (v[[3]][3]) 4 * pnorm(-qnorm(1 - alpha / 4) / sqrt(t)) else
		2 * pnorm(-qnorm(1 - alpha / 2) / sqrt(t))
	worst <- pmax(worst, c(difference(spent, formula, 1e-12),
		max(abs(cumsum(stopped(t, z, 0)) - spent)), max(abs(stopped(t, z, v[[3]][2]) - v[[5]]))))
}
report(length(walks) > 0 && all(worst <= c(1e-9, 1e-7, 1e-7)), sprintf(
	"group-sequential bounds of %d plans: spending, level and power off by up to %.1e, %.1e, %.1e",
	length(walks), worst[1], worst[2], worst[3]))

check("rounds", "means of whole rounds", 1e-12, function(d, rounds) {
	means <- colMeans(t(matrix(d, nrow = rounds)))
	list(means[!is.na(means)], max(abs(d), na.rm = TRUE))
})

cat("1..", number, "\n", sep = "")
