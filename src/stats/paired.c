// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/paired.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "stats/distribution.h"
#include "stats/summary.h"

/*
 * A spread this small against the values is the rounding of equal differences: a logarithm of a
 * ratio is off by some 1e-16, which is 1e-12 of a difference of 0.0001. Taken at face value it
 * would give a t of 1e12 for data that have no spread.
 */
#define ROUNDING 1e-12

static bool has_spread(const double *d, size_t n)
{
	double min = summary_min(d, n), max = summary_max(d, n);

	/* Halves, because the difference of two huge values may overflow. */
	return max / 2 - min / 2 > ROUNDING / 2 * fmax(fabs(min), fabs(max));
}

static enum paired_kind kind_of(const double *d, size_t n)
{
	if (n == 1)
		return PAIRED_SINGLE;
	if (has_spread(d, n))
		return PAIRED_ORDINARY;
	return summary_max(d, n) == 0 && summary_min(d, n) == 0 ? PAIRED_IDENTICAL
								: PAIRED_CONSTANT;
}

/* 2^-n, the share of sign patterns that are all plus. */
static double share_of_one_pattern(size_t n)
{
	return n < 1000 ? ldexp(1, -(int)n) : ldexp(1, -1000);
}

struct paired paired_test(const double *d, size_t n, double alpha)
{
	struct paired result = {.n = n};
	double se, reach;

	assert(n > 0 && alpha > 0 && alpha < 1);
	result.kind = kind_of(d, n);
	result.estimate = summary_mean(d, n);
	if (result.kind != PAIRED_ORDINARY) {
		double extreme = 2 * share_of_one_pattern(n);

		reach = n > 1 && extreme <= alpha ? 0 : INFINITY;
		result.p = result.kind == PAIRED_CONSTANT ? extreme : 1;
	} else {
		result.sd = summary_sd(d, n);
		result.df = (double)(n - 1);
		se = result.sd / sqrt((double)n);
		result.t = result.estimate / se;
		result.p = distribution_t_two_sided(result.t, result.df);
		reach = distribution_t_critical(alpha / 2, result.df) * se;
	}
	result.interval.low = result.estimate - reach;
	result.interval.high = result.estimate + reach;
	return result;
}

/* How far the one-sided bounds lie from the mean. */
static double one_sided_reach(const double *d, size_t n, double alpha)
{
	assert(n > 0 && alpha > 0 && alpha < 1);
	if (kind_of(d, n) != PAIRED_ORDINARY)
		return n > 1 && share_of_one_pattern(n) <= alpha ? 0 : INFINITY;
	return distribution_t_critical(alpha, (double)(n - 1)) * summary_sd(d, n) / sqrt((double)n);
}

double paired_upper_bound(const double *d, size_t n, double alpha)
{
	return summary_mean(d, n) + one_sided_reach(d, n, alpha);
}
