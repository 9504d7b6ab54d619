// SPDX-License-Identifier: GPL-2.0-or-later
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/summary.h"
#include "stats/two_means.h"

static void test_groups(void **state)
{
	const double x[] = {1.71, 1.40, 1.72, 1.42, 1.43, 1.70, 1.73};
	struct two_means s = two_means_split(x, 7);

	(void)state;
	assert_int_equal(s.lower, 3);
	assert_true(s.low == 1.42);
	assert_true(fabs(s.high - 1.715) < 1e-12);
	assert_true(fabs(s.cut - 1.565) < 1e-12);
}

static void test_ends(void **state)
{
	const double two[] = {5, 3}, equal[] = {2, 2, 2, 2}, ties[] = {1, 1, 1, 9},
		     far[] = {-DBL_MAX, DBL_MAX};
	struct two_means s = two_means_split(two, 2);

	(void)state;
	assert_int_equal(s.lower, 1);
	assert_true(s.low == 3 && s.high == 5 && s.cut == 4);
	s = two_means_split(equal, 4);
	assert_int_equal(s.lower, 2);
	assert_true(s.low == 2 && s.high == 2 && s.cut == 2);
	/* Equal values are not parted. */
	s = two_means_split(ties, 4);
	assert_int_equal(s.lower, 3);
	s = two_means_split(far, 2);
	assert_int_equal(s.lower, 1);
	assert_true(s.cut == 0);
}

static double within(const double *sorted, size_t n)
{
	double mean = summary_mean(sorted, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (sorted[i] - mean) * (sorted[i] - mean);
	return sum;
}

/* The least of all cuts, as their sums of squares say. */
static void test_least(void **state)
{
	struct random r;

	(void)state;
	random_seed(&r, 11, 0);
	for (int round = 0; round < 500; round++) {
		size_t n = 2 + random_below(&r, 12);
		double x[14], best = INFINITY;
		size_t at = 0;

		for (size_t i = 0; i < n; i++) {
			double value = random_unit(&r) * (random_below(&r, 2) ? 1 : 3);
			size_t k = i;

			for (; k > 0 && x[k - 1] > value; k--)
				x[k] = x[k - 1];
			x[k] = value;
		}
		for (size_t k = 1; k < n; k++) {
			double sum = within(x, k) + within(x + k, n - k);

			if (sum < best) {
				best = sum;
				at = k;
			}
		}
		assert_int_equal(two_means_split(x, n).lower, at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
