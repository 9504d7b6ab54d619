// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/forecast.h"

#include <assert.h>
#include <math.h>

#include "stats/distribution.h"
#include "stats/group_sequential.h"
#include "stats/sequential.h"

/* The bound of n differences whose nominal p is that of z, by Student's t instead. */
static double t_bound(double z, size_t n)
{
	double tail = isinf(z) ? 0 : distribution_normal_above(z);

	/* A p so small is not to be had from a sign-flip test of n differences either. */
	if (n < 2 || tail < ldexp(1, -(int)fmin((double)n, 1000)))
		return INFINITY;
	return distribution_t_critical(tail, (double)(n - 1));
}

struct forecast forecast(size_t max_pairs, double effect, double sd, double alpha)
{
	struct sequential_plan plan = sequential_plan(max_pairs, 0);
	double t[SEQUENTIAL_MOST_LOOKS], spent[SEQUENTIAL_MOST_LOOKS], z[SEQUENTIAL_MOST_LOOKS];
	double rejecting[SEQUENTIAL_MOST_LOOKS];
	struct group_sequential test = {t, z, plan.look_count};
	struct forecast f;

	assert(max_pairs > 0 && max_pairs <= SEQUENTIAL_MOST_PAIRS);
	assert(isfinite(effect) && sd > 0 && isfinite(sd) && alpha > 0 && alpha < 1);
	for (size_t k = 0; k < plan.look_count; k++) {
		t[k] = (double)plan.looks[k] / (double)max_pairs;
		spent[k] = alpha * sequential_share(&plan, k);
	}
	group_sequential_bounds(t, spent, plan.look_count, z);
	for (size_t k = 0; k < plan.look_count; k++)
		z[k] = t_bound(z[k], plan.looks[k]);
	f.power = group_sequential_power(&test, effect * sqrt((double)max_pairs) / sd, rejecting);
	f.pairs = (double)max_pairs;
	for (size_t k = 0; k < plan.look_count; k++)
		f.pairs -= rejecting[k] * (double)(max_pairs - plan.looks[k]);
	return f;
}

size_t forecast_max_pairs(double effect, double sd, double alpha, double power)
{
	size_t failing = 0, holding = SEQUENTIAL_MOST_PAIRS;

	assert(power > 0 && power < 1);
	if (forecast(holding, effect, sd, alpha).power < power)
		return 0;
	while (holding - failing > 1) {
		size_t middle = failing + (holding - failing) / 2;

		if (forecast(middle, effect, sd, alpha).power >= power)
			holding = middle;
		else
			failing = middle;
	}
	return holding;
}
