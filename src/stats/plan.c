// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/plan.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "stats/distribution.h"

/* What is wanted, in units of sd. */
struct wanted {
	double effect;
	double alpha;
	double power;
};

/* effect / sd; without any spread every effect is infinitely many sds. */
static double in_sds(double effect, double sd)
{
	assert(isfinite(effect) && isfinite(sd) && sd >= 0);
	if (sd == 0)
		return effect == 0 ? 0 : INFINITY;
	return fabs(effect) / sd;
}

static double two_sided_power(size_t n, double effect, double alpha)
{
	double df = (double)(n - 1);
	double critical = distribution_t_critical(alpha / 2, df);
	double noncentrality = effect * sqrt((double)n);

	/* Also the rejections in the wrong direction: without an effect they are half of alpha. */
	return fmin(1, distribution_noncentral_t_upper(critical, df, noncentrality) +
			       distribution_noncentral_t_upper(critical, df, -noncentrality));
}

/* The smallest n >= 2 for which `enough`, which holds for all n from some n on, does. */
static size_t find_pairs(bool (*enough)(size_t n, const struct wanted *),
			 const struct wanted *wanted)
{
	size_t failing = 1, holding = 2;

	while (!enough(holding, wanted)) {
		if (holding == PLAN_PAIRS_MAX)
			return PLAN_UNREACHABLE;
		failing = holding;
		holding = holding * 2 < PLAN_PAIRS_MAX ? holding * 2 : PLAN_PAIRS_MAX;
	}
	while (holding - failing > 1) {
		size_t middle = failing + (holding - failing) / 2;

		if (enough(middle, wanted))
			holding = middle;
		else
			failing = middle;
	}
	return holding;
}

static bool detects(size_t n, const struct wanted *w)
{
	return two_sided_power(n, w->effect, w->alpha) >= w->power;
}

static bool is_narrow(size_t n, const struct wanted *w)
{
	return distribution_t_critical(w->alpha / 2, (double)(n - 1)) <=
	       w->effect * sqrt((double)n);
}

static bool clears(size_t n, const struct wanted *w)
{
	double df = (double)(n - 1);

	return distribution_noncentral_t_upper(distribution_t_critical(w->alpha, df), df,
					       w->effect * sqrt((double)n)) >= w->power;
}

/*
 * The chance that |mean| < effect - critical s / sqrt(n) around a centre of 0. Mean and s are
 * independent: over the density of s, that of sqrt(chi-square / df), by Simpson's rule.
 */
static double equivalence_power(size_t n, double effect, double alpha)
{
	enum { STEPS = 2000 };
	static const double reach = 10; /* sds of s, which are about 1 / sqrt(2 df) */
	double df = (double)(n - 1);
	double critical = distribution_t_critical(alpha, df);
	double widest = effect * sqrt((double)n) / critical; /* s above it leaves no room */
	double low = fmax(0, 1 - reach / sqrt(2 * df));
	double high = fmin(widest, 1 + reach / sqrt(2 * df));
	double constant = log(2) + df / 2 * log(df / 2) - lgamma(df / 2);
	double step = (high - low) / STEPS, sum = 0;

	if (high <= low)
		return widest > 1;
	for (int i = 0; i <= STEPS; i++) {
		double s = low + i * step;
		double density = s > 0	   ? exp(constant + (df - 1) * log(s) - df * s * s / 2)
				 : df == 1 ? exp(constant)
					   : 0;
		double within = 1 - 2 * distribution_normal_above(critical * (widest - s));

		sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * density * within;
	}
	return sum * step / 3;
}

static bool encloses(size_t n, const struct wanted *w)
{
	return equivalence_power(n, w->effect, w->alpha) >= w->power;
}

double plan_power(size_t n, double effect, double sd, double alpha)
{
	assert(n > 1 && alpha > 0 && alpha < 1);
	return two_sided_power(n, in_sds(effect, sd), alpha);
}

size_t plan_pairs_for_effect(double effect, double sd, double alpha, double power)
{
	struct wanted wanted = {in_sds(effect, sd), alpha, power};

	assert(alpha > 0 && alpha < 1 && power > 0 && power < 1);
	/* Rejecting by chance is no plan, although with a power below alpha it would do. */
	return effect == 0 ? PLAN_UNREACHABLE : find_pairs(detects, &wanted);
}

size_t plan_pairs_for_half_width(double half_width, double sd, double alpha)
{
	struct wanted wanted = {.effect = in_sds(half_width, sd), .alpha = alpha};

	assert(half_width >= 0 && alpha > 0 && alpha < 1);
	return sd == 0 ? 2 : find_pairs(is_narrow, &wanted);
}

size_t plan_pairs_for_margin(double margin, double sd, double alpha, double power)
{
	struct wanted wanted = {in_sds(margin, sd), alpha, power};

	assert(margin > 0 && alpha > 0 && alpha < .5 && power > 0 && power < 1);
	return find_pairs(clears, &wanted);
}

size_t plan_pairs_for_equivalence(double margin, double sd, double alpha, double power)
{
	struct wanted wanted = {in_sds(margin, sd), alpha, power};

	assert(margin > 0 && alpha > 0 && alpha < .5 && power > 0 && power < 1);
	return sd == 0 ? 2 : find_pairs(encloses, &wanted);
}

double plan_detectable_effect(size_t n, double sd, double alpha, double power)
{
	double low = 0, high = 1;

	assert(n > 1 && isfinite(sd) && sd >= 0 && power > alpha && power < 1 && alpha > 0);
	while (two_sided_power(n, high, alpha) < power)
		high *= 2;
	/* The power rises with the effect. */
	for (int step = 0; step < 60; step++) {
		double middle = low + (high - low) / 2;

		if (two_sided_power(n, middle, alpha) < power)
			low = middle;
		else
			high = middle;
	}
	return high * sd;
}

double plan_upper_sd(double sd, size_t n, double level)
{
	assert(isfinite(sd) && sd >= 0 && n > 1 && level > 0 && level < 1);
	return sd *
	       sqrt((double)(n - 1) / distribution_chi_square_quantile(1 - level, (double)(n - 1)));
}
