// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/variance_components.h"

#include "base/random.h"
#include "near.h"
#include "stats/paired.h"
#include "stats/summary.h"

static const double worked[] = {10.1, 10.3, 9.9,  10.2, 10.6, 10.8,
				10.7, 10.5, 10.0, 9.8,	10.1, 9.9};

static void test_worked(void **state)
{
	/* Method (a). */
	const size_t sizes[] = {4, 4, 4};
	struct variance_components v = variance_components(worked, sizes, 3);
	double means[3];
	struct paired t;

	(void)state;
	assert_digits(v.ms_within, .0208333, 6);
	assert_digits(v.ms_between, .5308333, 7);
	assert_near(v.f, 25.48, 1e-9);
	assert_digits(v.p, 1.966590712e-4, 10);
	assert_near(v.between, .1275, 1e-12);
	assert_digits(v.icc, .85955, 5);
	assert_digits(variance_components_design_effect(v.icc, 4), 3.57865, 6);
	/* The mean level with boots as the unit, and the naive interval of the twelve values. */
	for (size_t i = 0; i < 3; i++)
		means[i] = summary_mean(worked + 4 * i, 4);
	assert_near(means[0], 10.125, 1e-12);
	t = paired_test(means, 3, .05);
	assert_digits(t.interval.low, 9.336716, 7);
	assert_digits(t.interval.high, 11.146617, 8);
	t = paired_test(worked, 12, .05);
	assert_digits(t.interval.low, 10.027555, 8);
	assert_digits(t.interval.high, 10.455778, 8);
}

static void test_pooled_level(void **state)
{
	/* Method (a): boots of 1 %, iterations of 3 %; autocorrelated series. */
	static const struct {
		double n, d, level;
	} boots[] = {{20, 2.9, .2498}, {100, 10.9, .5527}, {1000, 100.9, .8453}};
	static const struct {
		double rho, d, level;
	} series[] = {{.3, 1.857, .1504}, {.5, 3, .2578}, {.7, 5.667, .4103}, {.9, 19, .6530}};
	const double icc = 1 / (1 + 9.);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double d = variance_components_design_effect(icc, boots[i].n);

		assert_near(d, boots[i].d, 1e-9);
		assert_near(variance_components_pooled_level(.05, d), boots[i].level, .000051);
	}
	for (size_t i = 0; i < 4; i++) {
		double d = (1 + series[i].rho) / (1 - series[i].rho);

		assert_near(d, series[i].d, .00051);
		assert_near(variance_components_pooled_level(.05, d), series[i].level, .000051);
	}
	assert_near(variance_components_pooled_level(.05, 1), .05, 1e-12);
}

static void test_cheapest_n(void **state)
{
	struct variance_components v = {.within = 9, .between = 1};

	(void)state;
	assert_digits(variance_components_cheapest_n(&v, 60, 1), 23.24, 4);
	v.within = .0001;
	assert_near(variance_components_cheapest_n(&v, 60, 1), 1, 0);
	v.between = 0;
	assert_near(variance_components_cheapest_n(&v, 60, 1), INFINITY, 0);
}

/* Groups of any size: the estimates are unbiased when they may be negative. */
static void test_unbalanced(void **state)
{
	enum { ROUNDS = 20000, GROUPS = 4, VALUES = 15 };
	static const size_t sizes[GROUPS] = {1, 8, 2, 4};
	struct random random;
	double within = 0, between = 0;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < ROUNDS; round++) {
		double x[VALUES], *to = x;
		struct variance_components v;

		for (size_t i = 0; i < GROUPS; i++) {
			/* Uniform: variance 1/12 each, here 4 and 1. */
			double group = sqrt(48) * random_unit(&random);

			for (size_t k = 0; k < sizes[i]; k++)
				*to++ = group + sqrt(12) * random_unit(&random);
		}
		v = variance_components(x, sizes, GROUPS);
		assert_near(v.group_size, (15 - 85 / 15.) / 3, 1e-12);
		within += v.within / ROUNDS;
		between += (v.ms_between - v.ms_within) / v.group_size / ROUNDS;
	}
	/* Four standard errors. */
	assert_near(within, 1, .015);
	assert_near(between, 4, .12);
}

static void test_without_variance(void **state)
{
	const double equal[] = {3, 3, 3, 3}, apart[] = {3, 3, 4, 4}, alike[] = {3, 4, 3, 4};
	const size_t sizes[] = {2, 2};
	struct variance_components v;

	(void)state;
	v = variance_components(equal, sizes, 2);
	assert_near(v.icc, 0, 0);
	assert_near(v.p, 1, 0);
	v = variance_components(apart, sizes, 2);
	assert_near(v.icc, 1, 0);
	assert_near(v.f, INFINITY, 0);
	assert_near(v.p, 0, 0);
	v = variance_components(alike, sizes, 2);
	assert_near(v.between, 0, 0);
	assert_near(v.p, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),		 cmocka_unit_test(test_pooled_level),
		cmocka_unit_test(test_cheapest_n),	 cmocka_unit_test(test_unbalanced),
		cmocka_unit_test(test_without_variance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
