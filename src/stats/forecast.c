// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/forecast.h"

#include <assert.h>
#include <math.h>

#include "stats/distribution.h"
#include "stats/group_sequential.h"
#include "stats/plan.h"
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

/* The chance that the looks of a plan have rejected first, by look; returns that of all. */
static double reject_by_look(const struct sequential_plan *plan, double effect, double sd,
			     double alpha, double *ret_rejecting)
{
	double t[SEQUENTIAL_MOST_LOOKS], spent[SEQUENTIAL_MOST_LOOKS], z[SEQUENTIAL_MOST_LOOKS];
	struct group_sequential test = {t, z, plan->look_count};
	double max_pairs = (double)plan->max_pairs;

	assert(max_pairs > 0 && max_pairs <= SEQUENTIAL_MOST_PAIRS);
	assert(isfinite(effect) && sd > 0 && isfinite(sd) && alpha > 0 && alpha < 1);
	for (size_t k = 0; k < plan->look_count; k++) {
		t[k] = (double)plan->looks[k] / max_pairs;
		spent[k] = alpha * sequential_share(plan, k);
	}
	group_sequential_bounds(t, spent, plan->look_count, z);
	for (size_t k = 0; k < plan->look_count; k++)
		z[k] = t_bound(z[k], plan->looks[k]);
	return group_sequential_power(&test, effect * sqrt(max_pairs) / sd, ret_rejecting);
}

struct forecast forecast(size_t max_pairs, double effect, double sd, double alpha)
{
	struct sequential_plan plan = sequential_plan(max_pairs, 0);
	double rejecting[SEQUENTIAL_MOST_LOOKS];
	struct forecast f;

	f.power = reject_by_look(&plan, effect, sd, alpha, rejecting);
	f.pairs = (double)max_pairs;
	for (size_t k = 0; k < plan.look_count; k++)
		f.pairs -= rejecting[k] * (double)(max_pairs - plan.looks[k]);
	return f;
}

size_t forecast_pairs(size_t max_pairs, double effect, double sd, double alpha, double power)
{
	struct sequential_plan plan = sequential_plan(max_pairs, 0);
	double rejecting[SEQUENTIAL_MOST_LOOKS], rejected = 0;

	assert(power > 0 && power < 1);
	reject_by_look(&plan, effect, sd, alpha, rejecting);
	for (size_t k = 0; k < plan.look_count; k++) {
		rejected += rejecting[k];
		if (rejected >= power)
			return plan.looks[k];
	}
	return 0;
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

double forecast_detectable_effect(size_t max_pairs, double sd, double alpha, double power)
{
	double low = 0, high = 1;

	assert(power > alpha && power < 1);
	while (forecast(max_pairs, high, 1, alpha).power < power) {
		/* Beyond, more would not help: the bounds are infinite. */
		if (high > 1e6)
			return INFINITY;
		high *= 2;
	}
	for (int step = 0; step < 40; step++) {
		double middle = low + (high - low) / 2;

		if (forecast(max_pairs, middle, 1, alpha).power < power)
			low = middle;
		else
			high = middle;
	}
	return high * sd;
}

/* ---- the e-process alone ---- */

/* What a difference adds to the logarithm of a bet. */
struct growth {
	double mean, variance;
};

/* The median of |x|, x normal with that mean and sd 1: what the differences are scaled by. */
static double median_magnitude(double mean)
{
	double low = 0, high = mean + 2;

	for (int step = 0; step < 60; step++) {
		double middle = low + (high - low) / 2;

		/* P(|x| > middle) */
		if (distribution_normal_above(middle - mean) +
			    distribution_normal_above(middle + mean) >
		    .5)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static struct growth growth_of(double lambda, double mean)
{
	enum { STEPS = 400 };
	static const double reach = 8; /* sds: the rest has a probability of 1e-15 */
	double scale = median_magnitude(mean);
	double weight = 0, sum = 0, squares = 0;

	/* The trapezoidal rule, which converges faster than any power for such an integrand. */
	for (int i = -STEPS; i <= STEPS; i++) {
		double x = reach * i / STEPS, density = exp(-x * x / 2);
		double bet = lambda * (x + mean) / scale;
		double gain = bet - (fabs(bet) + log1p(exp(-2 * fabs(bet))) - log(2));

		weight += density;
		sum += density * gain;
		squares += density * gain * gain;
	}
	sum /= weight;
	return (struct growth){sum, fmax(0, squares / weight - sum * sum)};
}

/* The chance that a bet's logarithm has been at `high` > 0 by then: the inverse Gaussian. */
static double chance_of_reaching(double high, const struct growth *g, double pairs)
{
	double sd = sqrt(g->variance * pairs), drift = g->mean * pairs;
	double again;

	/* All differences far on one side: every bet is won. */
	if (sd < 1e-9)
		return drift >= high;
	again = distribution_normal_above((high + drift) / sd);
	return distribution_normal_above((high - drift) / sd) +
	       (again > 0 ? exp(2 * g->mean * high / g->variance + log(again)) : 0);
}

/* What the largest of a bet's logarithm so far is at the least, in that share of experiments. */
static double reached_by(const struct growth *g, double pairs, double power)
{
	double low = 0, high = fmax(0, g->mean) * pairs + 8 * sqrt(g->variance * pairs) + 1;

	for (int step = 0; step < 50; step++) {
		double middle = low + (high - low) / 2;

		if (chance_of_reaching(middle, g, pairs) >= power)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool open_rejects(const struct growth *growths, size_t pairs, double alpha, double power)
{
	double evidence = 0;

	/* A pair doubles a bet at the most, and the first one nothing. */
	if ((double)pairs < 1 - log2(alpha))
		return false;
	for (size_t i = 0; i < E_PROCESS_BETS; i++)
		evidence += exp(reached_by(&growths[i], (double)pairs, power));
	return evidence / (2 * E_PROCESS_BETS) >= 1 / alpha;
}

size_t forecast_open_pairs(double effect, double sd, double alpha, double power)
{
	struct growth growths[E_PROCESS_BETS];
	size_t failing = 0, holding = 1;

	assert(isfinite(effect) && sd > 0 && isfinite(sd));
	assert(alpha > 0 && alpha < 1 && power > 0 && power < 1);
	for (size_t i = 0; i < E_PROCESS_BETS; i++)
		growths[i] = growth_of(e_process_lambdas[i], fabs(effect) / sd);
	while (!open_rejects(growths, holding, alpha, power)) {
		if (holding >= PLAN_PAIRS_MAX)
			return 0;
		failing = holding;
		holding *= 2;
	}
	while (holding - failing > 1) {
		size_t middle = failing + (holding - failing) / 2;

		if (open_rejects(growths, middle, alpha, power))
			holding = middle;
		else
			failing = middle;
	}
	return holding;
}
