// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/paired.h"

#include <float.h>

#include "near.h"
#include "worked.h"

static void test_worked(void **state)
{
	double d[WORKED_PAIRS];
	struct paired result;

	(void)state;
	worked_differences(d);
	result = paired_test(d, WORKED_PAIRS, .05);
	assert_int_equal(result.kind, PAIRED_ORDINARY);
	assert_int_equal(result.n, 8);
	assert_digits(result.estimate, .014181982, 8);
	assert_digits(expm1(result.estimate), .0142830, 6);
	assert_digits(result.t, 6.11458026, 9);
	assert_near(result.df, 7, 0);
	assert_digits(result.p, 4.8408e-4, 5);
	assert_digits(result.interval.low, .0086975404, 8);
	assert_digits(result.interval.high, .0196664237, 9);
	assert_digits(expm1(paired_upper_bound(d, WORKED_PAIRS, .05)), .0187498, 6);
	/* The one-sided bound at .025 is the end of the interval at .05. */
	assert_near(paired_upper_bound(d, WORKED_PAIRS, .025), result.interval.high, 1e-15);
}

static void test_two_pairs(void **state)
{
	const double d[] = {1, 3};
	struct paired result = paired_test(d, 2, .05);

	(void)state;
	/* df 1 is Cauchy: t = 2, p = 1 - 2/pi atan 2. */
	assert_int_equal(result.kind, PAIRED_ORDINARY);
	assert_near(result.t, 2, 1e-14);
	assert_near(result.p, 1 - 2 / M_PI * atan(2), 1e-14);
	assert_near(result.interval.high, 2 + tan(M_PI * .475), 1e-9);
}

static void assert_degenerate(const double *d, size_t n, enum paired_kind kind, double p,
			      double reach, double reach_one_sided)
{
	struct paired result = paired_test(d, n, .05);

	assert_int_equal(result.kind, kind);
	assert_near(result.estimate, d[0], 0);
	assert_near(result.sd, 0, 0);
	assert_near(result.t, 0, 0);
	assert_near(result.df, 0, 0);
	assert_near(result.p, p, 1e-15);
	assert_near(result.interval.low, d[0] - reach, 0);
	assert_near(result.interval.high, d[0] + reach, 0);
	assert_near(paired_upper_bound(d, n, .05), d[0] + reach_one_sided, 0);
}

static void test_single(void **state)
{
	const double d = .02, zero = 0;

	(void)state;
	assert_degenerate(&d, 1, PAIRED_SINGLE, 1, INFINITY, INFINITY);
	assert_degenerate(&zero, 1, PAIRED_SINGLE, 1, INFINITY, INFINITY);
}

static void test_identical(void **state)
{
	const double d[8] = {0, -0.0};

	(void)state;
	assert_degenerate(d, 2, PAIRED_IDENTICAL, 1, INFINITY, INFINITY);
	assert_degenerate(d, 4, PAIRED_IDENTICAL, 1, INFINITY, INFINITY);
	assert_degenerate(d, 5, PAIRED_IDENTICAL, 1, INFINITY, 0);
	assert_degenerate(d, 6, PAIRED_IDENTICAL, 1, 0, 0);
	assert_degenerate(d, 8, PAIRED_IDENTICAL, 1, 0, 0);
}

static void test_constant(void **state)
{
	double d[2000];

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		d[i] = .1;
	assert_degenerate(d, 3, PAIRED_CONSTANT, .25, INFINITY, INFINITY);
	assert_degenerate(d, 5, PAIRED_CONSTANT, .0625, INFINITY, 0);
	assert_degenerate(d, 6, PAIRED_CONSTANT, .03125, 0, 0);
	assert_true(paired_test(d, 2000, .05).p > 0);
	/* Rounding is no spread. */
	d[0] = nextafter(.1, 1);
	d[1] = log(1.1 * 3 / 3) + .1 - log(1.1);
	assert_int_equal(paired_test(d, 6, .05).kind, PAIRED_CONSTANT);
	assert_near(paired_test(d, 6, .05).t, 0, 0);
	/* A spread of a millionth is one. */
	d[0] = .1 + 1e-7;
	assert_int_equal(paired_test(d, 6, .05).kind, PAIRED_ORDINARY);
}

static void test_no_effect(void **state)
{
	const double d[] = {-1, 1, -2, 2};
	struct paired result = paired_test(d, 4, .05);

	(void)state;
	assert_int_equal(result.kind, PAIRED_ORDINARY);
	assert_near(result.t, 0, 0);
	assert_near(result.p, 1, 0);
	assert_near(result.interval.low, -result.interval.high, 0);
}

static void test_scale(void **state)
{
	static const double scales[] = {1e-300, 1e-100, 1, 1e100, 1e300};
	double d[WORKED_PAIRS];
	struct paired result;

	(void)state;
	for (size_t s = 0; s < 5; s++) {
		worked_differences(d);
		for (size_t i = 0; i < WORKED_PAIRS; i++)
			d[i] *= scales[s];
		result = paired_test(d, WORKED_PAIRS, .05);
		assert_digits(result.t, 6.11458026, 9);
		assert_digits(result.interval.low / scales[s], .0086975404, 8);
	}
	/* The difference of the two extremes is no double. */
	d[0] = DBL_MAX;
	d[1] = -DBL_MAX;
	result = paired_test(d, 2, .05);
	assert_int_equal(result.kind, PAIRED_ORDINARY);
	assert_near(result.p, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),	 cmocka_unit_test(test_two_pairs),
		cmocka_unit_test(test_single),	 cmocka_unit_test(test_identical),
		cmocka_unit_test(test_constant), cmocka_unit_test(test_no_effect),
		cmocka_unit_test(test_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
