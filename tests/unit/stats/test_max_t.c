// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/max_t.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/random.h"
#include "near.h"
#include "stats/family.h"
#include "stats/sign_flip.h"
#include "worked.h"

enum { MOST_METRICS = 6, MOST_PAIRS = 24 };

static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double ratio(const double *d, size_t pairs, uint64_t flips)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < pairs; i++) {
		if (isnan(d[i]))
			continue;
		sum += flips >> i & 1 ? -d[i] : d[i];
		squares += d[i] * d[i];
	}
	return squares > 0 ? fabs(sum) / sqrt(squares) : 0;
}

/* The definition, step by step: who is left, how often does any of them get as far as the best. */
static void brute_adjust(const double *d, size_t metrics, size_t pairs, double *ret_p)
{
	bool done[MOST_METRICS] = {false};
	double before = 0;

	for (size_t step = 0; step < metrics; step++) {
		size_t best = metrics, reached = 0;
		double r;

		for (size_t m = 0; m < metrics; m++)
			if (!done[m] &&
			    (best == metrics ||
			     ratio(d + m * pairs, pairs, 0) > ratio(d + best * pairs, pairs, 0)))
				best = m;
		r = ratio(d + best * pairs, pairs, 0);
		for (uint64_t flips = 0; flips < UINT64_C(1) << pairs; flips++) {
			double largest = 0;

			for (size_t m = 0; m < metrics; m++)
				if (!done[m])
					largest = fmax(largest, ratio(d + m * pairs, pairs, flips));
			reached += largest >= r - 1e-9;
		}
		before = fmax(before, ldexp((double)reached, -(int)pairs));
		ret_p[best] = before;
		done[best] = true;
	}
}

static void test_against_definition(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 400; round++) {
		size_t metrics = 1 + (size_t)round % MOST_METRICS;
		size_t pairs = 1 + (size_t)round / 3 % 9;
		double d[MOST_METRICS * 9], p[MOST_METRICS], expected[MOST_METRICS];

		for (size_t i = 0; i < metrics * pairs; i++) {
			/* Ties, and pairs that a metric misses. */
			d[i] = round % 2 ? draw_normal(&random) + .7
					 : .1 * ((double)random_below(&random, 5) - 1);
			if (round % 4 > 1 && random_below(&random, 6) == 0)
				d[i] = NAN;
		}
		max_t_adjust(d, metrics, pairs, 0, p);
		brute_adjust(d, metrics, pairs, expected);
		for (size_t m = 0; m < metrics; m++)
			assert_near(p[m], expected[m], 0);
	}
}

/* One metric alone: the sign-flip test itself. */
static void test_single(void **state)
{
	struct random random;
	double d[MOST_PAIRS], p;

	(void)state;
	worked_differences(d);
	max_t_adjust(d, 1, WORKED_PAIRS, 0, &p);
	assert_near(p, 2.0 / 256, 0);
	random_seed(&random, 1, 1);
	for (size_t pairs = 1; pairs <= MOST_PAIRS; pairs++) {
		double expected;

		for (size_t i = 0; i < pairs; i++)
			d[i] = draw_normal(&random) + .4;
		max_t_adjust(d, 1, pairs, 7, &p);
		expected = sign_flip_p(d, pairs, 7);
		assert_near(p, expected,
			    pairs <= MAX_T_EXACT_PAIRS
				    ? 0
				    : 6 * sqrt(expected * (1 - expected) / MAX_T_DRAWS) + 1e-5);
	}
}

/* A copy of a metric costs nothing, where Holm doubles p. */
static void test_copies(void **state)
{
	double d[3 * WORKED_PAIRS], p[3];

	(void)state;
	worked_differences(d);
	for (size_t i = 0; i < WORKED_PAIRS; i++) {
		d[WORKED_PAIRS + i] = -1e300 * d[i];
		d[2 * WORKED_PAIRS + i] = 1e-300 * d[i];
	}
	max_t_adjust(d, 3, WORKED_PAIRS, 0, p);
	for (size_t m = 0; m < 3; m++)
		assert_near(p[m], 2.0 / 256, 0);
}

static void test_edges(void **state)
{
	double d[3 * 8] = {0}, p[3];

	(void)state;
	max_t_adjust(d, 0, 8, 0, p);
	for (size_t i = 0; i < 8; i++) {
		d[8 + i] = NAN;
		d[16 + i] = 1;
	}
	max_t_adjust(d, 3, 8, 0, p);
	assert_near(p[0], 1, 0);
	assert_near(p[1], 1, 0);
	assert_near(p[2], 2.0 / 256, 0);
	/* Missing in all but three pairs: no more than those can say. */
	for (size_t i = 3; i < 8; i++)
		d[16 + i] = NAN;
	max_t_adjust(d, 3, 8, 0, p);
	assert_near(p[2], .25, 0);
}

/* 25 metrics of 20 pairs, every pattern. */
static void test_many(void **state)
{
	enum { METRICS = 25, PAIRS = 20 };
	static double d[METRICS * PAIRS];
	struct random random;
	double p[METRICS], alone[METRICS], holm[METRICS];

	(void)state;
	random_seed(&random, 1, 2);
	for (size_t i = 0; i < PAIRS; i++) {
		double shared = draw_normal(&random);

		for (size_t m = 0; m < METRICS; m++)
			d[m * PAIRS + i] =
				.2 * (double)(m % 5) + shared + .3 * draw_normal(&random);
	}
	max_t_adjust(d, METRICS, PAIRS, 0, p);
	for (size_t m = 0; m < METRICS; m++)
		alone[m] = sign_flip_p(d + m * PAIRS, PAIRS, 0);
	family_adjust_holm(alone, METRICS, holm);
	for (size_t m = 0; m < METRICS; m++)
		assert_true(p[m] >= alone[m]);
	/* They move together: fewer than 25 in effect. */
	assert_true(p[4] < holm[4] / 2);
}

/*
 * Of 1000 families of six metrics without a difference, correlated or not, in how many any rejects.
 */
static void test_familywise(void **state)
{
	enum { FAMILIES = 1000, METRICS = 6, PAIRS = 8 };

	(void)state;
	for (int correlated = 0; correlated < 2; correlated++) {
		struct random random;
		size_t rejected = 0;

		random_seed(&random, 1, 3);
		for (int family = 0; family < FAMILIES; family++) {
			double d[METRICS * PAIRS], p[METRICS], least = 1;

			for (size_t i = 0; i < PAIRS; i++) {
				double shared = draw_normal(&random);

				for (size_t m = 0; m < METRICS; m++)
					/* Heavy tails, and the last metric misses some. */
					d[m * PAIRS + i] =
						m == 5 && random_below(&random, 4) == 0
							? NAN
							: shared * correlated +
								  draw_normal(&random) /
									  draw_normal(&random);
			}
			/* One of them has a difference, which is not to cost the others. */
			for (size_t i = 0; i < PAIRS; i++)
				d[i] = 3 + .1 * (double)i;
			max_t_adjust(d, METRICS, PAIRS, 0, p);
			for (size_t m = 1; m < METRICS; m++)
				least = fmin(least, p[m]);
			rejected += least <= .05;
		}
		printf("# %s: a false rejection in %.1f %%\n",
		       correlated ? "correlated" : "independent", rejected * 100. / FAMILIES);
		/* Three standard errors of a rate of 5 %. */
		assert_true(rejected <= .05 * FAMILIES + 3 * sqrt(.05 * .95 * FAMILIES));
		assert_true(rejected >= FAMILIES / 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_definition),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_familywise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
