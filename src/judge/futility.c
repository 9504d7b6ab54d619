// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/futility.h"

#include <math.h>

#include "stats/distribution.h"
#include "stats/summary.h"

enum {
	LEAST_PAIRS = 8, /* fewer know too little of their own spread */
	STEPS = 8,	 /* on either side, of the means that are tried */
};

/*
 * Where the mean of all pairs would have to lie, as worsening; the sides of a rejection are alike.
 */
struct goal {
	double rejected; /* this far out */
	double cleared;	 /* at or below this */
};

static double normal_up_to(double z)
{
	return 1 - distribution_normal_above(z);
}

/* The chance that a normal mean comes to lie where there is a verdict. */
static double chance_of(const struct goal *g, double mean, double se)
{
	double worse = distribution_normal_above((g->rejected - mean) / se);
	double low = fmax(-g->rejected, g->cleared);

	return low >= g->rejected ? 1 : worse + normal_up_to((low - mean) / se);
}

double futility_chance(const struct metric_verdict *v, const double *d, double limit)
{
	double most = (double)v->plan.max_pairs, n = (double)v->pairs;
	double share = v->level * (1 - SEQUENTIAL_E_PROCESS_SHARE);
	int way = v->metric->better == BETTER_HIGHER ? -1 : 1;
	struct goal g = {.cleared = -INFINITY};
	double mean, sd, left, best = 0;

	if (v->rule != RULE_SEQUENTIAL || v->pairs < LEAST_PAIRS || v->pairs >= v->plan.max_pairs ||
	    v->metric->better == BETTER_NEITHER)
		return 1;
	mean = way * summary_mean(d, v->pairs);
	sd = summary_sd(d, v->pairs);
	if (sd <= 0 || isinf(sd))
		return 1;
	/* By Holm the metric may be tested at all of alpha in the end; what clears it never is. */
	g.rejected = distribution_t_critical(share / 2, most - 1) * sd / sqrt(most);
	if (v->scale == SCALE_LOG)
		g.cleared =
			limit - distribution_t_critical(share / (double)v->comparisons, most - 1) *
					sd / sqrt(most);
	left = most - n;
	for (int step = -STEPS; step <= STEPS; step++) {
		double later = mean + step * FUTILITY_ERRORS * sd / (STEPS * sqrt(n));

		best = fmax(best, chance_of(&g, (n * mean + left * later) / most,
					    sd * sqrt(left) / most));
	}
	return best;
}
