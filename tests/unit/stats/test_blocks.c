// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/blocks.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "near.h"
#include "stats/sign_flip.h"
#include "worked.h"

/* Skewed and with a heavy tail: differences are symmetric all the same. */
static double draw_skewed(struct random *r)
{
	return 1 / sqrt(1 - random_unit(r));
}

static void test_two_arms(void **state)
{
	double y[2 * WORKED_PAIRS], p;

	(void)state;
	worked_differences(y + WORKED_PAIRS);
	for (size_t i = 0; i < WORKED_PAIRS; i++) {
		y[i] = 3;
		y[WORKED_PAIRS + i] += 3;
	}
	blocks_compare(y, 2, WORKED_PAIRS, 1, &p);
	assert_near(p, 2.0 / 256, 0);
	y[2] = y[WORKED_PAIRS + 5] = NAN;
	blocks_compare(y, 2, WORKED_PAIRS, 1, &p);
	assert_near(p, 2.0 / 64, 0);
}

/* All orders of three figures in four blocks, 6^4. */
static void permute_all(double y[4][3], size_t block, double observed, double *reached)
{
	static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	double before[3], largest = 0;

	if (block < 4) {
		memcpy(before, y[block], sizeof(before));
		for (size_t k = 0; k < 6; k++) {
			for (size_t arm = 0; arm < 3; arm++)
				y[block][arm] = before[orders[k][arm]];
			permute_all(y, block + 1, observed, reached);
		}
		memcpy(y[block], before, sizeof(before));
		return;
	}
	for (size_t arm = 1; arm < 3; arm++) {
		double sum = 0, squares = 0;

		for (size_t i = 0; i < 4; i++) {
			sum += y[i][arm] - y[i][0];
			squares += pow(y[i][arm] - y[i][0], 2);
		}
		largest = fmax(largest, fabs(sum) / sqrt(squares));
	}
	/* The first call finds what is observed. */
	if (*reached < 0)
		*reached = largest;
	else
		*reached += largest >= observed - 1e-9;
}

static void test_against_definition(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 20; round++) {
		double y[4][3], flat[12], p[2], observed = -1, reached = 0, joint;
		double single[2][4];

		for (size_t i = 0; i < 4; i++)
			for (size_t arm = 0; arm < 3; arm++)
				flat[arm * 4 + i] = y[i][arm] =
					draw_skewed(&random) + (arm == 2 ? round * .2 : 0);
		permute_all(y, 4, 0, &observed);
		permute_all(y, 0, observed, &reached);
		joint = reached / 1296;
		for (size_t arm = 1; arm < 3; arm++)
			for (size_t i = 0; i < 4; i++)
				single[arm - 1][i] = y[i][arm] - y[i][0];
		blocks_compare(flat, 3, 4, 1, p);
		for (size_t arm = 0; arm < 2; arm++)
			assert_near(p[arm], fmax(joint, sign_flip_p(single[arm], 4, 0)),
				    4 * sqrt(joint * (1 - joint) / BLOCKS_DRAWS) + 1e-4);
	}
}

/* Without a difference, and with one arm far away: how often any other is called different. */
static void test_familywise(void **state)
{
	enum { EXPERIMENTS = 100, ARMS = 4, BLOCKS = 8 };

	(void)state;
	for (int apart = 0; apart < 2; apart++) {
		struct random random;
		size_t false_ones = 0, true_ones = 0;

		random_seed(&random, 1, 1);
		for (int e = 0; e < EXPERIMENTS; e++) {
			double y[ARMS * BLOCKS], p[ARMS - 1];

			for (size_t i = 0; i < ARMS * BLOCKS; i++)
				y[i] = log(draw_skewed(&random)) + (apart && i < 16 && i >= 8) * 9;
			blocks_compare(y, ARMS, BLOCKS, 1, p);
			true_ones += apart && p[0] <= .05;
			false_ones += p[1] <= .05 || p[2] <= .05 || (!apart && p[0] <= .05);
		}
		printf("# %s: a false one in %zu of %d\n", apart ? "one apart" : "all alike",
		       false_ones, EXPERIMENTS);
		/* qbinom(.999, 100, .05) */
		assert_true(false_ones <= 13);
		assert_int_equal(true_ones, apart ? EXPERIMENTS : 0);
	}
}

/*
 * Runs are missing: C stops after six of thirty blocks, or runs fail here and there, also of A. The
 * level without a difference, and that B, which differs, is found beside C as often as alone.
 */
static void test_missing(void **state)
{
	enum { EXPERIMENTS = 100, ARMS = 3, BLOCKS = 30 };

	(void)state;
	for (int stops = 0; stops < 2; stops++) {
		struct random random;
		size_t false_ones = 0, beside = 0, alone = 0;

		random_seed(&random, 2, (uint64_t)stops);
		for (int e = 0; e < EXPERIMENTS; e++) {
			double y[ARMS * BLOCKS], p[ARMS - 1];

			for (size_t i = 0; i < ARMS * BLOCKS; i++) {
				bool fails = random_below(&random, 10) == 0;

				y[i] = log(draw_skewed(&random));
				if (stops ? i >= 2 * BLOCKS + 6 : fails)
					y[i] = NAN;
			}
			blocks_compare(y, ARMS, BLOCKS, 1, p);
			false_ones += p[0] <= .05 || p[1] <= .05;
			for (size_t i = BLOCKS; i < 2 * BLOCKS; i++)
				y[i] += .5;
			blocks_compare(y, ARMS, BLOCKS, 1, p);
			beside += p[0] <= .05;
			blocks_compare(y, 2, BLOCKS, 1, p);
			alone += p[0] <= .05;
		}
		printf("# %s: a false one in %zu of %d; B found in %zu, alone in %zu\n",
		       stops ? "C stops" : "runs fail", false_ones, EXPERIMENTS, beside, alone);
		/* qbinom(.999, 100, .05) */
		assert_true(false_ones <= 13);
		assert_true(alone > 80);
		assert_true(beside + 12 >= alone);
	}
}

static void test_edges(void **state)
{
	double y[4 * 8] = {0}, p[3];

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		y[8 + i] = NAN;
		y[24 + i] = 1e300 * (1 + .01 * (double)i);
	}
	blocks_compare(y, 4, 8, 1, p);
	assert_near(p[0], 1, 0);
	assert_near(p[1], 1, 0);
	/* An arm that is not there does not keep the others from a verdict. */
	assert_true(p[2] <= .05);
	for (size_t i = 0; i < 8; i++)
		y[8 + i] = 0;
	blocks_compare(y, 4, 8, 1, p);
	assert_near(p[0], 1, 0);
	assert_true(p[2] <= .05);
	blocks_compare(y, 4, 0, 1, p);
	assert_near(p[2], 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_arms),
		cmocka_unit_test(test_against_definition),
		cmocka_unit_test(test_familywise),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
