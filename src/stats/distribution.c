// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/distribution.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* The same value as the build's -DMATHLIB_STANDALONE, so that both together are not an error. */
#define MATHLIB_STANDALONE 1
#include <Rmath.h>

static bool is_probability(double p)
{
	return p > 0 && p < 1;
}

double distribution_normal_above(double z)
{
	assert(!isnan(z));
	return pnorm(z, 0, 1, 0, 0);
}

double distribution_normal_critical(double tail)
{
	assert(is_probability(tail));
	return qnorm(tail, 0, 1, 0, 0);
}

double distribution_t_two_sided(double t, double df)
{
	assert(isfinite(t) && df >= 1);
	return fmin(1, 2 * pt(-fabs(t), df, 1, 0));
}

double distribution_t_critical(double tail, double df)
{
	assert(is_probability(tail) && df >= 1);
	return qt(tail, df, 0, 0);
}

double distribution_noncentral_t_upper(double t, double df, double noncentrality)
{
	assert(isfinite(t) && t > 0 && df >= 1 && !isnan(noncentrality));
	if (isinf(noncentrality))
		return noncentrality > 0 ? 1 : 0;
	/*
	 * The upper tail on purpose, also where the complement would do: pnt() prints a warning
	 * when it is asked for a lower tail close to 1.
	 */
	return fmin(1, fmax(0, pnt(t, df, noncentrality, 0, 0)));
}

size_t distribution_binomial_quantile(double p, size_t n, double q)
{
	size_t low = 0, high = n;

	assert(is_probability(p) && is_probability(q));
	/*
	 * Not by qbinom(): that of R 4.2 takes n for the answer at 3 % of all n from 4000 to 60000
	 * for q = 0.999, p = 0.025, 28564 for example, where it is 28525.
	 */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pbinom((double)middle, (double)n, q, 1, 0) >= p)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double distribution_binomial_below(size_t k, size_t n, double q)
{
	assert(is_probability(q));
	return k == 0 ? 0 : pbinom((double)(k - 1), (double)n, q, 1, 0);
}

double distribution_f_above(double f, double df1, double df2)
{
	assert(f >= 0 && df1 >= 1 && df2 >= 1);
	return isinf(f) ? 0 : pf(f, df1, df2, 0, 0);
}

double distribution_chi_square_quantile(double p, double df)
{
	assert(is_probability(p) && df >= 1);
	return qchisq(p, df, 1, 0);
}
