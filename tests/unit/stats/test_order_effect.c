// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/order_effect.h"

#include "base/random.h"
#include "near.h"

static void test_two_samples(void **state)
{
	/* The pooled t of {1, 2, 4} against {6, 7, 11}: means 7/3 and 8, pooled variance 14/3. */
	const double d[] = {1, 6, 2, 7, 11, 4};
	const bool a_first[] = {false, true, false, true, true, false};
	struct order_effect effect = order_effect(d, a_first, 6);

	(void)state;
	assert_true(effect.known);
	assert_near(effect.estimate, (8 - 7 / 3.) / 2, 1e-12);
	assert_near(effect.df, 4, 0);
	assert_near(effect.t, (8 - 7 / 3.) / sqrt(14 / 3. * 2 / 3), 1e-12);
	assert_true(effect.p > .03 && effect.p < .035);
}

/* The effect of the arms does not matter, however unbalanced the coin was. */
static void test_level(void **state)
{
	enum { ROUNDS = 4000, PAIRS = 10 };
	struct random random;
	size_t rejected = 0;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < ROUNDS; round++) {
		double d[PAIRS];
		bool a_first[PAIRS];
		struct order_effect effect;

		for (size_t i = 0; i < PAIRS; i++) {
			double u = 1 - random_unit(&random), v = random_unit(&random);

			a_first[i] = random_next(&random) >> 63;
			d[i] = 30 + sqrt(-2 * log(u)) * cos(2 * M_PI * v);
		}
		effect = order_effect(d, a_first, PAIRS);
		rejected += effect.known && effect.p <= .05;
	}
	assert_near((double)rejected / ROUNDS, .05, .0104);
}

static void test_edges(void **state)
{
	const double d[] = {1, 1, 2, 2};
	const bool mixed[] = {false, false, true, true}, same[] = {true, true, true, true};

	(void)state;
	assert_false(order_effect(d, mixed, 0).known);
	assert_false(order_effect(d, mixed, 2).known);
	assert_false(order_effect(d, same, 4).known);
	/* No spread within: the estimate is there, a test is not. */
	assert_false(order_effect(d, mixed, 4).known);
	assert_near(order_effect(d, mixed, 4).estimate, .5, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_samples),
		cmocka_unit_test(test_level),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
