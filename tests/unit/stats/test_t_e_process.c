// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/t_e_process.h"

#include <float.h>

#include "near.h"
#include "stats/summary.h"
#include "worked.h"

static const double series[] = {1,	     1.471436882, 2.5951458,   5.607712738,
				9.792663786, 26.20342317, 71.22608208, 83.59607514};

static void test_worked(void **state)
{
	double d[WORKED_PAIRS];

	(void)state;
	for (int exponent = -300; exponent <= 300; exponent += 100) {
		struct t_e_process e;

		worked_differences(d);
		t_e_process_init(&e);
		assert_near(t_e_process_p(&e), 1, 0);
		for (size_t i = 0; i < WORKED_PAIRS; i++) {
			assert_digits(t_e_process_push(&e, d[i] * pow(10, exponent)), series[i], 8);
			assert_digits(t_e_process_max(&e), series[i], 8);
			assert_digits(t_e_process_p(&e), 1 / series[i], 8);
		}
	}
}

/* In terms of t, as it is written; magnitudes that grow by orders on the way. */
static void test_formula(void **state)
{
	double d[] = {0, -1e-9, 1e-5, .5, -.25, 40, 1e3, 900, 1100, 1000, 1e8, 0, 3};
	struct t_e_process e;
	double max = 1;

	(void)state;
	t_e_process_init(&e);
	for (size_t i = 0; i < sizeof(d) / sizeof(*d); i++) {
		double n = (double)i + 1, v = n - 1, value = t_e_process_push(&e, d[i]);
		double expected = 1, t;

		if (i > 0) {
			t = summary_mean(d, i + 1) / summary_sd(d, i + 1) * sqrt(n);
			expected = sqrt(1 / (1 + n)) *
				   pow((1 + t * t / v) / (1 + t * t / ((1 + n) * v)), (v + 1) / 2);
		}
		max = fmax(max, expected);
		assert_near(value, expected, 1e-10 * expected);
		assert_near(t_e_process_max(&e), max, 1e-10 * max);
	}
}

static void test_no_spread(void **state)
{
	struct t_e_process e;

	(void)state;
	t_e_process_init(&e);
	for (int n = 1; n <= 5; n++)
		assert_near(t_e_process_push(&e, n % 2 ? 0 : -0.0), 1, 0);
	t_e_process_init(&e);
	for (int n = 1; n <= 12; n++)
		assert_digits(t_e_process_push(&e, -.1), pow(1 + n, (n - 1) / 2.0), 12);
	for (int n = 13; n <= 400; n++)
		t_e_process_push(&e, -.1);
	assert_near(t_e_process_max(&e), INFINITY, 0);
	assert_true(t_e_process_p(&e) > 0);
}

static void test_extremes(void **state)
{
	const double d[] = {5e-324, DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX};
	struct t_e_process e;

	(void)state;
	t_e_process_init(&e);
	for (size_t i = 0; i < 5; i++) {
		double value = t_e_process_push(&e, d[i]);

		assert_true(value > 0 && isfinite(value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_formula),
		cmocka_unit_test(test_no_spread),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
