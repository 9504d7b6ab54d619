// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/order_effect.h"

#include <assert.h>
#include <math.h>

#include "stats/distribution.h"
#include "stats/summary.h"

struct order_effect order_effect(const double *d, const bool *a_first, size_t n)
{
	struct order_effect effect = {0};
	double means[2] = {0}, squares = 0, scale = 1, se;
	size_t counts[2] = {0};

	assert(n == 0 || summary_is_finite(d, n));
	/* Squares of the values themselves may be no doubles. */
	if (n > 0)
		scale = summary_scale(d, n);
	for (size_t i = 0; i < n; i++) {
		counts[a_first[i]]++;
		means[a_first[i]] +=
			(d[i] * scale - means[a_first[i]]) / (double)counts[a_first[i]];
	}
	if (n < 3 || !counts[0] || !counts[1])
		return effect;
	for (size_t i = 0; i < n; i++) {
		double deviation = d[i] * scale - means[a_first[i]];

		squares += deviation * deviation;
	}
	effect.df = (double)(n - 2);
	se = sqrt(squares / effect.df * (1 / (double)counts[0] + 1 / (double)counts[1])) / 2;
	effect.estimate = (means[1] - means[0]) / 2 / scale;
	/* Rounding of equal values is no spread. */
	if (!(se > 1e-12 * (fabs(means[0]) + fabs(means[1]))))
		return (struct order_effect){.estimate = effect.estimate};
	effect.known = true;
	effect.t = (means[1] - means[0]) / 2 / se;
	effect.p = distribution_t_two_sided(effect.t, effect.df);
	return effect;
}
