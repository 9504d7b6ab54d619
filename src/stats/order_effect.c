// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/order_effect.h"

#include <assert.h>
#include <math.h>

#include "stats/distribution.h"
#include "stats/summary.h"

struct order_effect order_effect(const double *d, const bool *a_first, size_t n)
{
	struct order_effect effect = {0};
	double means[2] = {0}, squares = 0, se;
	size_t counts[2] = {0};

	assert(n == 0 || summary_is_finite(d, n));
	for (size_t i = 0; i < n; i++) {
		counts[a_first[i]]++;
		/* The mean as it grows, which no sum can overflow. */
		means[a_first[i]] += (d[i] - means[a_first[i]]) / (double)counts[a_first[i]];
	}
	if (n < 3 || !counts[0] || !counts[1])
		return effect;
	for (size_t i = 0; i < n; i++)
		squares += (d[i] - means[a_first[i]]) * (d[i] - means[a_first[i]]);
	effect.df = (double)(n - 2);
	se = sqrt(squares / effect.df * (1 / (double)counts[0] + 1 / (double)counts[1])) / 2;
	effect.estimate = (means[1] - means[0]) / 2;
	/* Rounding of equal values is no spread. */
	if (!(se > 1e-12 * (fabs(means[0]) + fabs(means[1]))) || isinf(se))
		return (struct order_effect){.estimate = effect.estimate};
	effect.known = true;
	effect.t = effect.estimate / se;
	effect.p = distribution_t_two_sided(effect.t, effect.df);
	return effect;
}
