// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/rounds.h"

#include "base/random.h"
#include "near.h"
#include "stats/sign_flip.h"
#include "worked.h"

static void test_average(void **state)
{
	const double d[] = {.1, .2, NAN, .4, .3, .4, .5, -.2};
	double means[4];

	(void)state;
	assert_int_equal(rounds_average(d, 2, 4, means), 3);
	assert_near(means[0], .2, 1e-15);
	assert_near(means[1], .3, 1e-15);
	assert_near(means[2], .1, 1e-15);
	assert_int_equal(rounds_average(d, 2, 0, means), 0);
	assert_int_equal(rounds_average(d, 1, 4, means), 3);
}

/* Copies say nothing new; idle workloads shrink estimate and interval, and leave p. */
static void test_more_workloads(void **state)
{
	double d[10 * WORKED_PAIRS] = {0}, means[WORKED_PAIRS];
	struct interval alone, interval;

	(void)state;
	worked_differences(d);
	alone = sign_flip_interval(d, WORKED_PAIRS, .05, 0);
	for (size_t i = 0; i < WORKED_PAIRS; i++)
		d[WORKED_PAIRS + i] = d[i];
	assert_int_equal(rounds_average(d, 2, WORKED_PAIRS, means), WORKED_PAIRS);
	assert_near(sign_flip_p(means, WORKED_PAIRS, 0), 2.0 / 256, 0);
	interval = sign_flip_interval(means, WORKED_PAIRS, .05, 0);
	assert_near(interval.low, alone.low, 1e-12);
	assert_near(interval.high, alone.high, 1e-12);
	/* Two copies and eight idle ones. */
	assert_int_equal(rounds_average(d, 10, WORKED_PAIRS, means), WORKED_PAIRS);
	assert_near(sign_flip_p(means, WORKED_PAIRS, 0), 2.0 / 256, 0);
	interval = sign_flip_interval(means, WORKED_PAIRS, .05, 0);
	assert_near(interval.low, alone.low / 5, 1e-12);
	assert_near(interval.high, alone.high / 5, 1e-12);
}

/*
 * A hundred workloads without a difference that share what happens in a round: the level and the
 * coverage of eight rounds, not of eight hundred pairs.
 */
static void test_level(void **state)
{
	enum { EXPERIMENTS = 2000, WORKLOADS = 100, ROUNDS = 8 };
	struct random random;
	size_t rejected = 0;

	(void)state;
	random_seed(&random, 1, 0);
	for (int e = 0; e < EXPERIMENTS; e++) {
		static double d[WORKLOADS * ROUNDS];
		double means[ROUNDS];

		for (size_t i = 0; i < ROUNDS; i++) {
			double shared = random_unit(&random) - .5;

			for (size_t w = 0; w < WORKLOADS; w++)
				d[w * ROUNDS + i] = shared + random_unit(&random) - .5;
		}
		rounds_average(d, WORKLOADS, ROUNDS, means);
		rejected += sign_flip_p(means, ROUNDS, 0) <= .05;
	}
	assert_near((double)rejected / EXPERIMENTS, sign_flip_attained_level(ROUNDS, .05), .0145);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_average),
		cmocka_unit_test(test_more_workloads),
		cmocka_unit_test(test_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
