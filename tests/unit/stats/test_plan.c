// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/plan.h"

#include "near.h"

/* The tables of method (h). */

static const double sds[] = {.5, 1, 1.5, 2, 3, 5};

static void test_half_width(void **state)
{
	static const double half_widths[] = {.5, 1, 2, 5};
	static const size_t pairs[6][4] = {
		{7, 4, 3, 2},
		{18, 7, 4, 3},
		{38, 12, 5, 3},
		{64, 18, 7, 3},
		{141, 38, 12, 4},
		{387, 99, 27, 7},
	};

	(void)state;
	for (size_t s = 0; s < 6; s++)
		for (size_t h = 0; h < 4; h++)
			assert_int_equal(plan_pairs_for_half_width(half_widths[h], sds[s], .05),
					 pairs[s][h]);
}

static void test_effect(void **state)
{
	static const double effects[] = {1, 2, 5};
	static const size_t pairs[6][3] = {
		{5, 3, 3}, {10, 5, 3}, {20, 7, 3}, {34, 10, 4}, {73, 20, 6}, {199, 52, 10},
	};

	(void)state;
	for (size_t s = 0; s < 6; s++)
		for (size_t e = 0; e < 3; e++) {
			size_t n = plan_pairs_for_effect(effects[e], sds[s], .05, .8);

			assert_int_equal(n, pairs[s][e]);
			assert_true(plan_power(n, effects[e], sds[s], .05) >= .8);
			assert_true(plan_power(n - 1, effects[e], sds[s], .05) < .8);
			assert_int_equal(plan_pairs_for_effect(-effects[e], sds[s], .05, .8), n);
		}
}

static void test_detectable_effect(void **state)
{
	static const size_t pairs[] = {3, 5, 6, 8, 10, 15, 20, 30};
	static const double effects[] = {3.2640, 1.6820, 1.4345, 1.1560,
					 .99600, .77802, .66044, .52924};

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		double effect = plan_detectable_effect(pairs[i], 1, .05, .8);

		assert_digits(effect, effects[i], 5);
		assert_near(plan_power(pairs[i], effect, 1, .05), .8, 1e-9);
		assert_near(plan_detectable_effect(pairs[i], 1.5, .05, .8), 1.5 * effect, 1e-12);
	}
	assert_near(plan_detectable_effect(10, 0, .05, .8), 0, 0);
}

static void test_margin(void **state)
{
	static const double planned_sds[] = {1, 1.5, 2, 3};
	static const size_t pairs[4][2] = {{8, 4}, {16, 6}, {27, 8}, {58, 16}};

	(void)state;
	for (size_t s = 0; s < 4; s++)
		for (size_t m = 0; m < 2; m++)
			assert_int_equal(
				plan_pairs_for_margin((double)m + 1, planned_sds[s], .05, .8),
				pairs[s][m]);
}

static void test_equivalence(void **state)
{
	static const double planned_sds[] = {1, 1.5, 2, 3};
	static const size_t pairs[4][2] = {{11, 4}, {21, 7}, {36, 11}, {79, 21}};

	(void)state;
	for (size_t s = 0; s < 4; s++)
		for (size_t m = 0; m < 2; m++)
			assert_int_equal(
				plan_pairs_for_equivalence((double)m + 1, planned_sds[s], .05, .8),
				pairs[s][m]);
	/* It takes more than excluding the worse side alone. */
	for (double sd = .2; sd < 3; sd += .3)
		assert_true(plan_pairs_for_equivalence(1, sd, .05, .8) >=
			    plan_pairs_for_margin(1, sd, .05, .8));
	assert_int_equal(plan_pairs_for_equivalence(1, 0, .05, .8), 2);
	assert_int_equal(plan_pairs_for_equivalence(1e6, 1, .05, .8), 2);
	assert_true(plan_pairs_for_equivalence(1e-6, 1, .05, .8) == PLAN_UNREACHABLE);
}

/* Computed apart from Rmath, by mpmath's quadrature of the noncentral t. */
static void test_power(void **state)
{
	(void)state;
	assert_near(plan_power(2, 10, 1, .05), .73281958980571, 1e-11);
	assert_near(plan_power(3, 2, 1, .05), .47074943127843, 1e-11);
	assert_near(plan_power(6, 1, 1, .05), .50684197995858, 1e-11);
	assert_near(plan_power(8, 1.8, 1.5, .01), .51104683697654, 1e-11);
	assert_near(plan_power(10, 1, 1, .002), .23818059750707, 1e-11);
	assert_near(plan_power(40, -.5, 1, .05), .86939813502386, 1e-11);
	/* Without an effect it is the level. */
	assert_near(plan_power(10, 0, 1, .05), .05, 1e-11);
	assert_near(plan_power(2, 0, 1, .01), .01, 1e-11);
	assert_near(plan_power(10, 0, 0, .05), .05, 1e-11);
	assert_near(plan_power(10, 1, 0, .05), 1, 0);
	assert_near(plan_power(8, 1e6, 1, .05), 1, 1e-12);
	for (size_t n = 2; n < 60; n++)
		assert_true(plan_power(n + 1, .5, 1, .002) > plan_power(n, .5, 1, .002));
}

static void test_edges(void **state)
{
	(void)state;
	assert_true(plan_pairs_for_effect(0, 1, .05, .8) == PLAN_UNREACHABLE);
	assert_true(plan_pairs_for_effect(1e-6, 1, .05, .8) == PLAN_UNREACHABLE);
	assert_true(plan_pairs_for_half_width(0, 1, .05) == PLAN_UNREACHABLE);
	assert_true(plan_pairs_for_margin(1e-6, 1, .05, .8) == PLAN_UNREACHABLE);
	assert_int_equal(plan_pairs_for_effect(1, 0, .05, .8), 2);
	assert_int_equal(plan_pairs_for_half_width(0, 0, .05), 2);
	assert_int_equal(plan_pairs_for_margin(1, 0, .05, .8), 2);
	/* A million pairs are still found: about (1.96 + .84)^2 / effect^2. */
	assert_in_range(plan_pairs_for_effect(.003, 1, .05, .8), 872000, 872200);
}

static void test_upper_sd(void **state)
{
	(void)state;
	/* With three values chi-square has two degrees of freedom: sqrt(2 / (-2 log .8)). */
	assert_digits(plan_upper_sd(3, 3, .8), 3 / sqrt(-log(.8)), 12);
	assert_near(plan_upper_sd(0, 3, .8), 0, 0);
	assert_true(plan_upper_sd(1, 100, .8) < plan_upper_sd(1, 10, .8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_width),
		cmocka_unit_test(test_effect),
		cmocka_unit_test(test_detectable_effect),
		cmocka_unit_test(test_margin),
		cmocka_unit_test(test_equivalence),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_upper_sd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
