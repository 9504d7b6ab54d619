// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/summary.h"

#include <float.h>
#include <string.h>

#include "base/random.h"
#include "near.h"

/* Method, section 5 (i). */
static const double a[] = {9.737, 9.834, 9.890, 9.892, 9.894, 9.896, 9.918, 9.927, 9.937, 9.940,
			   9.942, 9.944, 9.952, 9.952, 9.958, 9.967, 9.974, 9.975, 9.982, 10.014};
static const double b[] = {1.862, 1.937, 1.947, 1.956, 1.956, 1.998, 2.020, 2.027, 2.085, 2.100,
			   2.115, 2.233, 2.304, 2.325, 2.327, 2.427, 2.489, 2.500, 3.123, 3.151};

static void test_worked(void **state)
{
	(void)state;
	assert_near(summary_mean(a, 20), 9.92625, 1e-14);
	assert_near(summary_mean(b, 20), 2.2441, 1e-14);
	assert_digits(summary_sd(a, 20), .0603340481687, 12);
	assert_digits(summary_sd(b, 20), .3617370228276, 13);
	assert_near(summary_median(a, 20), 9.941, 1e-14);
	assert_near(summary_median(b, 20), 2.1075, 1e-14);
	assert_near(summary_min(b, 20), 1.862, 0);
	assert_near(summary_max(b, 20), 3.151, 0);
}

static void test_quantile(void **state)
{
	const double x[] = {10, 3, 8, 1, 6, 5, 4, 7, 2, 9};

	(void)state;
	assert_near(summary_quantile(x, 10, 0), 1, 0);
	assert_near(summary_quantile(x, 10, .25), 3.25, 1e-14);
	assert_near(summary_quantile(x, 10, .5), 5.5, 0);
	assert_near(summary_quantile(x, 10, .99), 9.91, 1e-14);
	assert_near(summary_quantile(x, 10, 1), 10, 0);
	assert_near(summary_median(x, 9), 5, 0);
	assert_near(summary_median(x, 1), 10, 0);
	assert_near(summary_quantile(x, 1, .3), 10, 0);
	/* Not reordered. */
	assert_near(x[0], 10, 0);
}

/* Selection against counting, with and without ties. */
static void test_median_of_anything(void **state)
{
	struct random random;
	double x[33], copy[33];

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 5000; round++) {
		size_t n = 1 + random_below(&random, 33), below = 0, above = 0;
		double median;

		for (size_t i = 0; i < n; i++)
			x[i] = (double)random_below(&random, round % 2 ? 5 : 1000000);
		memcpy(copy, x, sizeof(x));
		median = summary_median(x, n);
		assert_near(summary_median_in_place(copy, n), median, 0);
		for (size_t i = 0; i < n; i++) {
			below += x[i] < median;
			above += x[i] > median;
		}
		assert_true(below <= n / 2 && above <= n / 2);
		if (n % 2 == 0 && below + above == n)
			assert_int_equal(below, above);
	}
	copy[0] = INFINITY;
	copy[1] = 2;
	copy[2] = INFINITY;
	assert_near(summary_median_in_place(copy, 3), INFINITY, 0);
}

static void test_equal_values(void **state)
{
	double x[50];

	(void)state;
	for (size_t n = 1; n <= 50; n++) {
		x[n - 1] = .1;
		assert_near(summary_mean(x, n), .1, 0);
		assert_near(summary_median(x, n), .1, 0);
		if (n > 1)
			assert_near(summary_sd(x, n), 0, 0);
	}
}

static void test_extremes(void **state)
{
	const double huge[] = {DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX, 0, 0};
	const double large[] = {1e300, 3e300}, small[] = {1e-300, 3e-300};
	const double tiny[] = {5e-324, 5e-324, 5e-324};
	const double offset[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};

	(void)state;
	assert_near(summary_mean(huge, 4) / DBL_MAX, .5, 1e-15);
	assert_near(summary_sd(huge, 6) / DBL_MAX, sqrt(10 / 15.0), 1e-15);
	/* An sd can be larger than all of its values. */
	assert_near(summary_sd(huge, 2), INFINITY, 0);
	assert_near(summary_mean(large, 2) / 1e300, 2, 1e-15);
	assert_near(summary_sd(large, 2) / 1e300, sqrt(2), 1e-15);
	assert_near(summary_mean(small, 2) / 1e-300, 2, 1e-15);
	assert_near(summary_sd(small, 2) / 1e-300, sqrt(2), 1e-15);
	assert_near(summary_mean(tiny, 3), 5e-324, 0);
	assert_near(summary_sd(offset, 3), 1, 1e-15);
	assert_near(summary_median(huge, 2), 0, 0);
}

static void test_is_finite(void **state)
{
	const double x[] = {1, -2, INFINITY, NAN};

	(void)state;
	assert_true(summary_is_finite(x, 0));
	assert_true(summary_is_finite(x, 2));
	assert_false(summary_is_finite(x, 3));
	assert_false(summary_is_finite(x + 3, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_median_of_anything),
		cmocka_unit_test(test_equal_values),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_is_finite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
