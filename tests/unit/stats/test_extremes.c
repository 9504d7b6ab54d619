// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * Everything that takes measured values, at the ends of what is allowed: two of them, twenty (the
 * most that are enumerated), a thousand; values from 1e-300 to 1e300. Nothing is NAN; what has no
 * unit does not depend on it, and what has one scales with it.
 */
#include <string.h>

#include "base/random.h"
#include "near.h"
#include "stats/autocorrelation.h"
#include "stats/blocks.h"
#include "stats/dip.h"
#include "stats/e_process.h"
#include "stats/group_sequential.h"
#include "stats/mann_kendall.h"
#include "stats/max_t.h"
#include "stats/order_effect.h"
#include "stats/paired.h"
#include "stats/plan.h"
#include "stats/rounds.h"
#include "stats/sequential.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"
#include "stats/variance_components.h"

enum { MOST = 1000, RESULTS = 64 };

static const size_t lengths[] = {2, 3, 6, 20, 21, MOST};
enum { LENGTHS = sizeof(lengths) / sizeof(*lengths) };

/* What the functions say of a series: of no unit, and in the unit of the values. */
struct results {
	double pure[RESULTS], scaled[RESULTS];
	size_t pure_count, scaled_count;
};

static void pure(struct results *r, double value)
{
	assert_false(isnan(value));
	assert_true(r->pure_count < RESULTS);
	r->pure[r->pure_count++] = value;
}

static void scaled(struct results *r, double value)
{
	assert_false(isnan(value));
	assert_true(r->scaled_count < RESULTS);
	r->scaled[r->scaled_count++] = value;
}

static void scaled_interval(struct results *r, struct interval interval)
{
	assert_true(interval.low <= interval.high);
	scaled(r, interval.low);
	scaled(r, interval.high);
}

static void describe(const double *x, size_t n, struct results *r)
{
	const size_t sizes[] = {1, n - 1};
	struct mann_kendall trend = mann_kendall_test(x, n);
	bool a_first[MOST];
	struct order_effect effect;

	scaled(r, summary_mean(x, n));
	scaled(r, summary_sd(x, n));
	scaled(r, summary_median(x, n));
	scaled(r, summary_quantile(x, n, .99));
	pure(r, trend.tau);
	pure(r, trend.p);
	pure(r, autocorrelation(x, n, 1));
	if (n <= 40)
		pure(r, dip_p(x, n, 1));
	for (size_t i = 0; i < n; i++)
		a_first[i] = i % 3 == 0;
	effect = order_effect(x, a_first, n);
	scaled(r, effect.estimate);
	pure(r, effect.t);
	pure(r, effect.p);
	if (n > 2) {
		struct variance_components v = variance_components(x, sizes, 2);

		pure(r, v.f);
		pure(r, v.p);
		pure(r, v.icc);
		assert_false(isnan(v.within) || isnan(v.between));
	}
}

static void compare(const double *x, size_t n, struct results *r)
{
	struct paired t = paired_test(x, n, .05);
	double p[2], means[MOST];

	scaled(r, t.estimate);
	scaled(r, t.sd);
	pure(r, t.t);
	pure(r, t.p);
	scaled_interval(r, t.interval);
	scaled(r, paired_upper_bound(x, n, .05));
	pure(r, sign_flip_p(x, n, 1));
	scaled_interval(r, sign_flip_interval(x, n, .05, 1));
	max_t_adjust(x, 1, n, 1, &p[0]);
	pure(r, p[0]);
	if (n < MOST) {
		max_t_adjust(x, 2, n / 2, 1, p);
		pure(r, p[0]);
		pure(r, p[1]);
	}
	blocks_compare(x, 2, n / 2, 1, p);
	pure(r, p[0]);
	assert_int_equal(rounds_average(x, 2, n / 2, means), n / 2);
	scaled(r, means[0]);
}

static void look(const double *x, size_t n, struct results *r)
{
	struct sequential_plan plan = sequential_plan(n, 1);
	struct interval interval = {0, 0};
	struct sequential s = sequential_test(&plan, x, n, 0, E_PROCESS_TWO_SIDED, .05);

	pure(r, s.p);
	pure(r, (double)s.rejected_at);
	assert_false(isnan(s.e_process_largest));
	/* The cost grows with n, and of intervals with its square. */
	if (n == MOST)
		return;
	s = sequential_test(&plan, x, n, 0, E_PROCESS_SMALLER, .05);
	pure(r, s.p);
	if (e_process_interval(x, n, .05, &interval))
		scaled_interval(r, interval);
	if (n <= 6 && sequential_interval(&plan, x, n, .05, &interval))
		scaled_interval(r, interval);
}

static void judge_series(const double *x, size_t n, struct results *r)
{
	*r = (struct results){0};
	describe(x, n, r);
	compare(x, n, r);
	look(x, n, r);
}

static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* One series in units that make its squares and sums too large or too small for a double. */
static void test_units(void **state)
{
	/* A thousand values take a second each time. */
	static const double units[] = {1e300, 1e-300, 1e-160, 1e160};
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (size_t l = 0; l < LENGTHS; l++) {
		size_t n = lengths[l];
		double x[MOST], y[MOST];
		struct results expected, came;

		for (size_t i = 0; i < n; i++)
			x[i] = .5 + draw_normal(&random);
		judge_series(x, n, &expected);
		for (size_t u = 0; u < (n < MOST ? 4 : 1); u++) {
			for (size_t i = 0; i < n; i++)
				y[i] = x[i] * units[u];
			judge_series(y, n, &came);
			assert_int_equal(came.pure_count, expected.pure_count);
			assert_int_equal(came.scaled_count, expected.scaled_count);
			for (size_t i = 0; i < came.pure_count; i++)
				assert_near(came.pure[i], expected.pure[i],
					    1e-9 * fmax(fabs(expected.pure[i]), 1e-3));
			for (size_t i = 0; i < came.scaled_count; i++)
				assert_near(came.scaled[i] / units[u], expected.scaled[i], 1e-5);
		}
	}
}

/* Every magnitude in one series, and the degenerate ones: only that nothing is NAN. */
static void test_magnitudes(void **state)
{
	struct random random;
	struct results r;

	(void)state;
	random_seed(&random, 1, 1);
	for (size_t l = 0; l < LENGTHS; l++) {
		size_t n = lengths[l];
		double x[MOST];

		for (size_t i = 0; i < n; i++)
			x[i] = (random_below(&random, 3) ? 1 : -1) *
			       pow(10, 600 * random_unit(&random) - 300);
		judge_series(x, n, &r);
		if (n > 20)
			continue;
		for (size_t i = 0; i < n; i++)
			x[i] = i % 2 ? 1e300 : -1e300;
		judge_series(x, n, &r);
		for (size_t i = 0; i < n; i++)
			x[i] = i % 2 ? 1e-300 : 1e300;
		judge_series(x, n, &r);
		for (size_t i = 0; i < n; i++)
			x[i] = 1e300;
		judge_series(x, n, &r);
		for (size_t i = 0; i < n; i++)
			x[i] = -1e-300;
		judge_series(x, n, &r);
		memset(x, 0, sizeof(x));
		judge_series(x, n, &r);
		x[n - 1] = 1e300;
		judge_series(x, n, &r);
	}
}

/* Plans from effects and spreads that lie 600 orders of magnitude apart. */
static void test_plans(void **state)
{
	static const double values[] = {1e-300, 1e-150, 1, 1e150, 1e300};
	static const size_t pairs[] = {2, 20, 1000};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 5; k++)
			for (size_t p = 0; p < 3; p++) {
				double power = plan_power(pairs[p], values[i], values[k], .05);

				assert_true(power >= .05 - 1e-9 && power <= 1);
				assert_true(plan_pairs_for_effect(values[i], values[k], .05, .8) >=
					    2);
				assert_true(plan_pairs_for_margin(values[i], values[k], .05, .8) >=
					    2);
				assert_true(plan_pairs_for_half_width(values[i], values[k], .05) >=
					    2);
				assert_false(isnan(
					plan_detectable_effect(pairs[p], values[k], .05, .8)));
				assert_false(isnan(plan_upper_sd(values[k], pairs[p], .8)));
			}
}

/* A drift, a z and a level far beyond anything. */
static void test_looks(void **state)
{
	static const double t[] = {1e-300, .5, 1};
	static const double drifts[] = {0, 1e-300, 40, -1e3, 1e300};
	double z[3], spent[3], rejecting[3];

	(void)state;
	for (double alpha = 1e-300; alpha < 1; alpha = sqrt(alpha) * .9) {
		struct group_sequential test = {t, z, 3};

		for (size_t k = 0; k < 3; k++)
			spent[k] = group_sequential_spent(GROUP_SEQUENTIAL_TWO_SIDED, alpha, t[k]);
		group_sequential_bounds(t, spent, 3, z);
		for (size_t i = 0; i < 5; i++) {
			double power = group_sequential_power(&test, drifts[i], rejecting);

			assert_true(power >= 0 && power <= 1 + 1e-9);
			for (size_t k = 0; k < 3; k++)
				assert_true(rejecting[k] >= 0 && z[k] > 0);
		}
		if (alpha > .8)
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_magnitudes),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
