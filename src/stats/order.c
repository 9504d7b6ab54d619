// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/order.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "stats/distribution.h"

struct order_ranks order_find_ranks(size_t n, double q, double level)
{
	struct order_ranks ranks;

	assert(n > 0 && q > 0 && q < 1 && level > 0 && level < 1);
	ranks.low = distribution_binomial_quantile((1 - level) / 2, n, q);
	ranks.high = distribution_binomial_quantile((1 + level) / 2, n, q) + 1;
	ranks.coverage = distribution_binomial_below(ranks.high, n, q) -
			 distribution_binomial_below(ranks.low, n, q);
	return ranks;
}

size_t order_rank(size_t n, double q)
{
	/* 0.07 * 100 is 7.000000000000001 in doubles: take the rounding back before the ceiling. */
	double rank = ceil(q * (double)n * (1 - 4 * DBL_EPSILON));

	assert(n > 0 && q > 0 && q < 1);
	if (rank < 1)
		return 1;
	return rank < (double)n ? (size_t)rank : n;
}

double order_exceedance_bound(size_t n, double level)
{
	assert(n > 0 && level > 0 && level < 1);
	return -expm1(log1p(-level) / (double)n);
}

/*
 * Both conditions fail as long as the larger of q and 1 - q to the power of n is above `tail`: a
 * little below that n is where the search begins.
 */
static size_t first_candidate(double q, double tail)
{
	double n = floor(log(tail) / log(fmax(q, 1 - q))) - 1;

	return n < 1 ? 1 : (size_t)n;
}

size_t order_smallest_n_bound(double q, double level)
{
	size_t n;

	assert(q > 0 && q < 1 && level > 0 && level < 1);
	n = first_candidate(q, 1 - level);
	while (1 - pow(q, (double)n) - pow(1 - q, (double)n) < level)
		n++;
	return n;
}

size_t order_smallest_n_interval(double q, double level)
{
	size_t n;

	assert(q > 0 && q < 1 && level > 0 && level < 1);
	for (n = first_candidate(q, (1 - level) / 2);; n++) {
		struct order_ranks ranks = order_find_ranks(n, q, level);

		if (ranks.low > 0 && ranks.high <= n)
			return n;
	}
}
