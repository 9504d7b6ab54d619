// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/hodges_lehmann.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "near.h"
#include "stats/summary.h"
#include "worked.h"

static void test_worked(void **state)
{
	double d[WORKED_PAIRS];

	(void)state;
	worked_differences(d);
	/* By R: median(outer(d, d, "+")[upper.tri(diag(8), TRUE)] / 2). */
	assert_digits(hodges_lehmann(d, WORKED_PAIRS), .014130191, 8);
}

/* The median of all means, as it is defined. */
static double by_definition(const double *x, size_t n)
{
	double *means __free(memory) = memory_array(n * (n + 1) / 2, sizeof(*means));
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			means[count++] = x[i] / 2 + x[k] / 2;
	return summary_median(means, count);
}

static void test_against_definition(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 500; round++) {
		size_t n = 1 + (size_t)round % 60;
		double x[60];

		for (size_t i = 0; i < n; i++)
			/* Every other time whole numbers, for ties and zeros. */
			x[i] = round % 2 ? random_unit(&random) - .3
					 : (double)random_below(&random, 7) - 3;
		assert_near(hodges_lehmann(x, n), by_definition(x, n), 1e-15);
	}
}

static void test_extremes(void **state)
{
	const double large[] = {1e300, -1e300, 1e308, -1e308, 3},
		     small[] = {1e-300, 2e-300, 3e-300};
	const double alike[] = {.1, .1, .1, .1};

	(void)state;
	assert_near(hodges_lehmann(large, 5), by_definition(large, 5), 0);
	assert_near(hodges_lehmann(small, 3), 2e-300, 1e-315);
	assert_near(hodges_lehmann(alike, 4), .1, 0);
	assert_near(hodges_lehmann(alike, 1), .1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_against_definition),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
