// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/diagnosis_material.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/dip.h"
#include "stats/mann_kendall.h"
#include "stats/order_effect.h"
#include "stats/summary.h"
#include "stats/two_means.h"

/* The dip is drawn: of more runs it would take seconds. */
enum { GROUPS_MOST_RUNS = 1000 };

/* True where every figure that there is has a logarithm. */
static bool has_logarithms(const struct material *m)
{
	for (size_t i = 0; i < m->count; i++) {
		for (int arm = 0; arm < m->arms; arm++) {
			if (m->rows[i].figure[arm] <= 0)
				return false;
		}
	}
	return true;
}

/* log(arm / A) of a pair; NAN where one of them has no figure. */
static double difference(const struct material_row *r, int arm)
{
	return log(r->figure[arm]) - log(r->figure[ARM_A]);
}

/*
 * From the first third of the values to the last: by their medians, which few of them do not move.
 */
static double moved(const double *x, size_t n)
{
	size_t third = n / 3;

	return summary_median(x + n - third, third) - summary_median(x, third);
}

/* Says so, too, where logarithms are wanted and there are none. */
static bool is_testable(struct diagnosis *d, const struct material *m, size_t n)
{
	return material_test(d, n, has_logarithms(m) ? NULL : "some figure is zero");
}

/* Of the mean of the logarithms in each pair, from which a difference between the arms is gone. */
static void find_drift(struct material *m, double *x)
{
	struct diagnosis *d = material_add(m, DIAGNOSIS_DRIFT, ARM_A);
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		double sum = 0;

		for (int arm = 0; arm < m->arms; arm++)
			sum += log(m->rows[i].figure[arm]);
		if (isfinite(sum))
			x[n++] = sum / m->arms;
	}
	if (!is_testable(d, m, n))
		return;
	d->p = mann_kendall_test(x, n).p;
	d->size = expm1(moved(x, n));
}

static void find_drift_of_difference(struct material *m, int arm, double *x)
{
	struct diagnosis *d = material_add(m, DIAGNOSIS_DRIFT_DIFFERENCE, arm);
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		x[n] = difference(&m->rows[i], arm);
		n += isfinite(x[n]);
	}
	if (!is_testable(d, m, n))
		return;
	d->p = mann_kendall_test(x, n).p;
	d->size = expm1(moved(x, n));
	d->first = expm1(summary_median(x, n / 3));
	d->last = expm1(summary_median(x + n - n / 3, n / 3));
}

static void find_order(struct material *m, int arm, double *x)
{
	struct diagnosis *d = material_add(m, DIAGNOSIS_ORDER, arm);
	bool *a_first __free(memory) = memory_array(m->count, sizeof(*a_first));
	struct order_effect effect = {0};
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		x[n] = difference(&m->rows[i], arm);
		a_first[n] = m->rows[i].at[ARM_A] < m->rows[i].at[arm];
		n += isfinite(x[n]);
	}
	if (!is_testable(d, m, n))
		return;
	effect = order_effect(x, a_first, n);
	if (!material_test(d, n, effect.known ? NULL : "nothing to tell two orders by"))
		return;
	d->p = effect.p;
	d->size = expm1(effect.estimate);
}

/* Values with coarse steps are heaps by their steps, and would be taken for groups. */
static bool is_coarse(const double *x, size_t n)
{
	size_t others = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++)
			others += k != i && x[k] == x[i];
	}
	return others > n / 4;
}

/* Whether all of the one group ran before the other began. */
static bool is_in_turn(const double *x, size_t n, double cut)
{
	size_t crossings = 0;

	for (size_t i = 1; i < n; i++)
		crossings += (x[i] > cut) != (x[i - 1] > cut);
	return crossings == 1;
}

static void find_groups(struct material *m, int arm, double *x)
{
	struct diagnosis *d = material_add(m, DIAGNOSIS_GROUPS, arm);
	struct two_means split;
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		x[n] = log(m->rows[i].figure[arm]);
		n += isfinite(x[n]);
	}
	if (!is_testable(d, m, n))
		return;
	if (!material_test(d, n,
			   n > GROUPS_MOST_RUNS ? "too many of them"
			   : is_coarse(x, n)	? "the figures have coarse steps"
						: NULL))
		return;
	split = two_means_split(x, n);
	d->p = dip_p(x, n, m->e->seed);
	d->size = expm1(split.high - split.low);
	d->low = exp(split.low);
	d->high = exp(split.high);
	d->low_runs = split.lower;
	d->high_runs = n - split.lower;
	d->in_turn = is_in_turn(x, n, split.cut);
}

void diagnosis_of_runs(struct material *m)
{
	double *x __free(memory) = memory_array(m->count + 1, sizeof(*x));

	/* The drift of one arm is its description's (judge/arm.h). */
	if (m->arms > 1)
		find_drift(m, x);
	for (int arm = ARM_B; arm < m->arms; arm++)
		find_drift_of_difference(m, arm, x);
	for (int arm = ARM_B; arm < m->arms; arm++)
		find_order(m, arm, x);
	for (int arm = ARM_A; arm < m->arms; arm++)
		find_groups(m, arm, x);
}
