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
	assert_digits(autocorrelation_von_neumann(x, 10), .2890879, 7);
	assert_near(autocorrelation(x, 10, 0), 1, 1e-15);
	assert_true(autocorrelation_effective_n(x, 10) < 5);
}

/* AR(1): rho at lag 1, n (1 - rho)/(1 + rho) values in effect. */
static void test_first_order(void **state)
{
	enum { VALUES = 20000 };
	static const double rhos[] = {0, .3, .5, .7, .9, -.5};
	static double x[VALUES];
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (size_t k = 0; k < 6; k++) {
		double rho = rhos[k], last = 0, n;

		for (size_t i = 0; i < VALUES; i++)
			x[i] = last = rho * last + random_unit(&random) - .5;
		n = VALUES * fmin(1, (1 - rho) / (1 + rho));
		assert_near(autocorrelation(x, VALUES, 1), rho, .03);
		assert_near(autocorrelation_von_neumann(x, VALUES), 2 - 2 * rho, .06);
		assert_near(autocorrelation_effective_n(x, VALUES), n, .15 * n);
	}
}

static void test_edges(void **state)
{
	const double equal[] = {4, 4, 4}, two[] = {1, 2}, rise[] = {1, 2, 3, 4, 5, 6};

	(void)state;
	assert_near(autocorrelation(equal, 3, 1), 0, 0);
	assert_near(autocorrelation_von_neumann(equal, 3), 2, 0);
	assert_near(autocorrelation_effective_n(equal, 3), 3, 0);
	assert_near(autocorrelation(two, 2, 1), -.5, 1e-15);
	assert_near(autocorrelation_effective_n(two, 2), 2, 0);
	assert_true(autocorrelation_effective_n(rise, 6) >= 1);
	assert_true(autocorrelation_effective_n(rise, 6) < 4);
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
