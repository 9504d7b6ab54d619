// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/autocorrelation.h"

#include "base/random.h"
#include "near.h"

static void test_worked(void **state)
{
	/* Method (i). */
	const double x[] = {10.40, 10.20, 10.10, 9.90, 10.00, 9.80, 9.70, 9.75, 9.60, 9.65};

	(void)state;
	assert_digits(autocorrelation(x, 10, 1), .6048860, 7);
	assert_near(autocorrelation(x, 10, 0), 1, 1e-15);
}

/* AR(1): rho at lag 1. */
static void test_first_order(void **state)
{
	enum { VALUES = 20000 };
	static const double rhos[] = {0, .3, .5, .7, .9, -.5};
	static double x[VALUES];
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (size_t k = 0; k < 6; k++) {
		double rho = rhos[k], last = 0;

		for (size_t i = 0; i < VALUES; i++)
			x[i] = last = rho * last + random_unit(&random) - .5;
		assert_near(autocorrelation(x, VALUES, 1), rho, .03);
	}
}

static void test_edges(void **state)
{
	const double equal[] = {4, 4, 4}, two[] = {1, 2};

	(void)state;
	assert_near(autocorrelation(equal, 3, 1), 0, 0);
	assert_near(autocorrelation(two, 2, 1), -.5, 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_first_order),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
