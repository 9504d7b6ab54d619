// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/distribution.h"

#include "near.h"

static void test_t(void **state)
{
	(void)state;
	/* Tables of Student's t. */
	assert_near(distribution_t_critical(.025, 7), 2.364624, 5e-7);
	assert_near(distribution_t_critical(.05, 7), 1.894579, 5e-7);
	assert_near(distribution_t_critical(.025, 1), 12.706205, 5e-7);
	assert_near(distribution_t_two_sided(2.364624252, 7), .05, 1e-9);
	assert_near(distribution_t_two_sided(-2.364624252, 7), .05, 1e-9);
	assert_near(distribution_t_two_sided(0, 3), 1, 0);
	/* Cauchy: 2 atan(1/t)/pi. */
	assert_digits(distribution_t_two_sided(1e10, 1), 6.366197724e-11, 9);
	assert_true(distribution_t_two_sided(1e12, 400) >= 0);
}

/*
 * Independent of AS 243: T > t when Z + nc > t sqrt(W/df), W chi-square, so the probability is the
 * mean of Phi(nc - t r), r = sqrt(W/df), integrated over r by Simpson's rule.
 */
static double integrate_noncentral(double t, double df, double nc)
{
	const int steps = 20000;
	const double end = 1 + 12 / sqrt(df) + 12 / df;
	double constant = log(2) + df / 2 * log(df / 2) - lgamma(df / 2);
	double sum = 0;

	for (int i = 1; i <= steps; i++) {
		double r = end * i / steps;
		double density = exp(constant + (df - 1) * log(r) - df * r * r / 2);
		double weight = i == steps ? 1 : i % 2 ? 4 : 2;

		sum += weight * density * erfc((t * r - nc) / sqrt(2)) / 2;
	}
	return sum * end / steps / 3;
}

static void test_noncentral_t(void **state)
{
	static const double df[] = {2, 5, 9, 39}, nc[] = {-3, 0, .5, 2, 3.5, 8};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 6; k++) {
			double t = distribution_t_critical(.025, df[i]);

			assert_near(distribution_noncentral_t_upper(t, df[i], nc[k]),
				    integrate_noncentral(t, df[i], nc[k]), 1e-9);
		}
	assert_near(distribution_noncentral_t_upper(2, 5, INFINITY), 1, 0);
	assert_near(distribution_noncentral_t_upper(2, 5, -INFINITY), 0, 0);
	assert_near(distribution_noncentral_t_upper(2, 5, 1e300), 1, 0);
	assert_near(distribution_noncentral_t_upper(2, 5, -1e300), 0, 0);
}

static void assert_acceptance(size_t trials, double rate, size_t low, size_t high)
{
	assert_int_equal(distribution_binomial_quantile(.025, trials, rate), low);
	assert_int_equal(distribution_binomial_quantile(.975, trials, rate), high);
}

static void test_binomial(void **state)
{
	(void)state;
	/* How many of so many A/A tests may reject: method (g). */
	assert_acceptance(20, .05, 0, 3);
	assert_acceptance(50, .05, 0, 6);
	assert_acceptance(100, .05, 1, 10);
	assert_acceptance(200, .05, 4, 16);
	assert_acceptance(500, .05, 16, 35);
	assert_near(distribution_binomial_below(0, 10, .5), 0, 0);
	assert_near(distribution_binomial_below(1, 10, .5), 1.0 / 1024, 1e-15);
	assert_near(distribution_binomial_below(11, 10, .5), 1, 1e-15);
	assert_near(distribution_binomial_below(3, 4, .25), 243.0 / 256, 1e-14);
}

static void test_chi_square(void **state)
{
	(void)state;
	/* With two degrees of freedom it is exponential: -2 log(1 - p). */
	assert_digits(distribution_chi_square_quantile(.2, 2), -2 * log(.8), 12);
	assert_near(distribution_chi_square_quantile(.95, 10), 18.307038, 5e-7);
}

/* The definition itself, where a search from a normal approximation is apt to go astray. */
static void test_binomial_quantile(void **state)
{
	static const double p[] = {.005, .025, .5, .975, .995};
	static const double q[] = {.001, .05, .5, .99, .999};

	(void)state;
	for (size_t n = 1; n < 60000; n = n + n / 150 + 1) {
		for (size_t i = 0; i < 25; i++) {
			double tail = p[i / 5], chance = q[i % 5];
			size_t k = distribution_binomial_quantile(tail, n, chance);

			assert_true(k <= n);
			assert_true(k == n ||
				    distribution_binomial_below(k + 1, n, chance) >= tail);
			assert_true(distribution_binomial_below(k, n, chance) < tail);
		}
	}
	assert_int_equal(distribution_binomial_quantile(.025, 28564, .999), 28525);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_t),
		cmocka_unit_test(test_noncentral_t),
		cmocka_unit_test(test_binomial),
		cmocka_unit_test(test_binomial_quantile),
		cmocka_unit_test(test_chi_square),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
