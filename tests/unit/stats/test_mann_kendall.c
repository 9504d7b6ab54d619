// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/mann_kendall.h"

#include <string.h>

#include "near.h"

/* R 4.2.2, cor.test(1:10, x, method = "kendall"). */
static void test_worked(void **state)
{
	static const double x[] = {10.40, 10.20, 10.10, 9.90, 10.00, 9.80, 9.70, 9.75, 9.60, 9.65};
	struct mann_kendall t = mann_kendall_test(x, 10);

	(void)state;
	assert_int_equal(t.n, 10);
	assert_near(t.s, -39, 0);
	assert_digits(t.tau, -.8666667, 7);
	assert_digits(t.p, 1.151895944e-4, 10);
	assert_true(t.exact);
}

/* Only one of n! orders rises all the way: the smallest p is 2/n!. */
static void test_smallest(void **state)
{
	static const double x[] = {1, 2, 3, 4, 5, 6};
	double orders = 1;

	(void)state;
	assert_near(mann_kendall_test(x, 1).p, 1, 0);
	for (size_t n = 2; n <= 6; n++) {
		struct mann_kendall t = mann_kendall_test(x, n);

		orders *= (double)n;
		assert_near(t.tau, 1, 0);
		assert_near(t.p, 2 / orders, 1e-15);
	}
}

static double s_of(const double *x, size_t n)
{
	double s = 0;

	for (size_t k = 1; k < n; k++)
		for (size_t i = 0; i < k; i++)
			s += x[k] > x[i] ? 1 : x[k] < x[i] ? -1 : 0;
	return s;
}

/* Counts the orders of x, and those among them whose |S| is at least that. */
static void count_orders(double *x, size_t n, size_t fixed, double s, double *as_far, double *all)
{
	if (fixed == n) {
		*all += 1;
		*as_far += fabs(s_of(x, n)) >= fabs(s);
	}
	for (size_t i = fixed; i < n; i++) {
		double first = x[i];

		x[i] = x[fixed];
		x[fixed] = first;
		count_orders(x, n, fixed + 1, s, as_far, all);
		x[fixed] = x[i];
		x[i] = first;
	}
}

/* All orders, one by one, of values with every kind of tie. */
static void test_every_order(void **state)
{
	static const double series[][7] = {
		{1, 2, 3, 4, 5, 6, 7}, {2, 1, 4, 3, 5, 7, 6}, {1, 1, 2, 3, 4, 5, 6},
		{3, 1, 2, 3, 3, 5, 4}, {1, 1, 1, 1, 1, 1, 2}, {2, 2, 1, 1, 1, 2, 1},
		{5, 5, 4, 4, 3, 3, 1}, {1, 2, 1, 2, 1, 2, 1}, {9, 8, 8, 8, 8, 7, 7},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++) {
		for (size_t n = 2; n <= 7; n++) {
			struct mann_kendall t = mann_kendall_test(series[i], n);
			double as_far = 0, all = 0, x[7];

			memcpy(x, series[i], sizeof(x));
			count_orders(x, n, 0, t.s, &as_far, &all);
			assert_near(t.s, s_of(series[i], n), 0);
			assert_near(t.p, as_far / all, 1e-14);
		}
	}
}

/* Computed with whole numbers: the quotient of the generating functions, term by term. */
static void test_longer(void **state)
{
	static const double ties[] = {1, 1, 2, 2, 3, 3, 3, 4, 1, 5, 5, 6};
	double x[50];
	struct mann_kendall t = mann_kendall_test(ties, 12);

	(void)state;
	assert_near(t.s, 46, 0);
	assert_digits(t.tau, .743484411411, 12);
	assert_digits(t.p, .000613275613276, 12);
	for (size_t i = 0; i < 30; i++)
		x[i] = (double)((i * 7) % 30 + i / 3);
	t = mann_kendall_test(x, 30);
	assert_near(t.s, 95, 0);
	assert_digits(t.tau, .22042712655, 11);
	assert_digits(t.p, .0932706795094, 12);
	for (size_t i = 0; i < 50; i++)
		x[i] = (double)((i * 7) % 50 + i / 4);
	t = mann_kendall_test(x, 50);
	assert_true(t.exact);
	assert_digits(t.p, .00506428330052, 12);
}

/* The formula written out, in another program. */
static void test_normal(void **state)
{
	struct mann_kendall t;
	double x[100];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		x[i] = (double)((i * 7) % 60 + i / 4);
	t = mann_kendall_test(x, 60);
	assert_false(t.exact);
	assert_near(t.s, 470, 0);
	assert_digits(t.p, .00277507492699, 12);
	for (size_t i = 0; i < 100; i++)
		x[i] = (double)((i * i) % 11 + i / 20);
	t = mann_kendall_test(x, 100);
	assert_near(t.s, 1563, 0);
	assert_digits(t.p, 2.91296274001e-06, 12);
}

static void test_no_trend(void **state)
{
	static const double alike[60];
	static const double even[] = {1, 2, 2, 1};
	struct mann_kendall t = mann_kendall_test(alike, 60);

	(void)state;
	assert_near(t.p, 1, 0);
	assert_near(t.tau, 0, 0);
	t = mann_kendall_test(alike, 5);
	assert_near(t.p, 1, 0);
	t = mann_kendall_test(even, 4);
	assert_near(t.s, 0, 0);
	assert_near(t.p, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),	    cmocka_unit_test(test_smallest),
		cmocka_unit_test(test_every_order), cmocka_unit_test(test_longer),
		cmocka_unit_test(test_normal),	    cmocka_unit_test(test_no_trend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
