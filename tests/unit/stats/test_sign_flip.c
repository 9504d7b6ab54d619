// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sign_flip.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "near.h"
#include "worked.h"

static void test_worked(void **state)
{
	double d[WORKED_PAIRS];
	struct interval interval;

	(void)state;
	worked_differences(d);
	assert_near(sign_flip_p(d, WORKED_PAIRS, 0), 2.0 / 256, 0);
	interval = sign_flip_interval(d, WORKED_PAIRS, .05, 0);
	assert_digits(interval.low, .00836264491, 9);
	assert_digits(interval.high, .02016472814, 10);
	assert_digits(expm1(interval.low), .00839771, 6);
	assert_digits(expm1(interval.high), .02036941, 7);
}

static void test_smallest_p(void **state)
{
	static const double smallest[] = {1, .5, .25, .125, .0625, .03125, .015625, .0078125};

	(void)state;
	for (size_t n = 1; n <= 8; n++)
		assert_near(sign_flip_smallest_p(n), smallest[n - 1], 0);
	assert_digits(sign_flip_smallest_p(10), .00195313, 6);
	assert_near(sign_flip_smallest_p(20), 2.0 / 1048576, 0);
	assert_near(sign_flip_smallest_p(21), 1e-5, 1e-20);
}

static void test_attained_level(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 5; n++)
		assert_near(sign_flip_attained_level(n, .05), 0, 0);
	assert_near(sign_flip_attained_level(6, .05), .03125, 0);
	for (size_t n = 7; n <= 9; n++)
		assert_near(sign_flip_attained_level(n, .05), .046875, 0);
	assert_digits(sign_flip_attained_level(10, .05), .048828, 5);
	/* A level that is itself a multiple, and one that 1 - .95 leaves a little above .05. */
	assert_near(sign_flip_attained_level(6, .0625), .0625, 0);
	assert_near(sign_flip_attained_level(8, 1 - .95), .046875, 0);
	assert_near(sign_flip_attained_level(40, .05), .05, 1e-15);
	assert_near(sign_flip_attained_level(40, .9e-5), 0, 0);
}

/* The definition, for whole numbers: no rounding, so ties are ties. */
static double brute_p(const long *d, size_t n)
{
	uint64_t total = UINT64_C(1) << n, extreme = 0;
	long observed = 0, sum;

	for (size_t i = 0; i < n; i++)
		observed += d[i];
	sum = observed;
	/* In the order of the Gray code one sign changes each time. */
	for (uint64_t k = 0, flipped = 0; k < total; k++) {
		size_t bit = (size_t)__builtin_ctzll(k + 1);

		extreme += labs(sum) >= labs(observed);
		if (bit >= n)
			break;
		flipped ^= UINT64_C(1) << bit;
		sum += flipped >> bit & 1 ? -2 * d[bit] : 2 * d[bit];
	}
	return (double)extreme / (double)total;
}

static void test_exact_p(void **state)
{
	/* Factors that turn ties of whole numbers into sums that rounding pulls apart. */
	static const double factors[] = {1, .1, 1e-7 / 3, -1e300 / 7, 1e-300 / 7};
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 1200; round++) {
		size_t n = 1 + (size_t)round % 12;
		uint64_t range = round % 3 ? 7 : 2001;
		long whole[12];
		double d[12];

		for (size_t i = 0; i < n; i++)
			whole[i] = (long)random_below(&random, range) - (long)(range / 2) +
				   (long)(range / 4);
		for (size_t f = 0; f < 5; f++) {
			for (size_t i = 0; i < n; i++)
				d[i] = (double)whole[i] * factors[f];
			assert_near(sign_flip_p(d, n, 0), brute_p(whole, n), 0);
		}
	}
}

static void test_exact_p_of_20(void **state)
{
	struct random random;
	long whole[20];
	double d[20];

	(void)state;
	random_seed(&random, 1, 1);
	for (int round = 0; round < 6; round++) {
		for (size_t i = 0; i < 20; i++) {
			whole[i] = (long)random_below(&random, round % 2 ? 9 : 100000) -
				   (round % 2 ? 3 : 38000);
			d[i] = (double)whole[i] * .1;
		}
		assert_near(sign_flip_p(d, 20, 0), brute_p(whole, 20), 0);
	}
}

/* Equal ratios of different numbers: equal but for the rounding of division and logarithm. */
static void test_rounded_ties(void **state)
{
	double d[10];

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		double a = 3 + (double)i;

		d[i] = i % 5 == 4 ? log(a / (1.001 * a)) : log(1.001 * a / a);
	}
	/* Eight plus and two minus: |sum| >= 6 has C(10,0) + C(10,1) + C(10,2) on each side. */
	assert_near(sign_flip_p(d, 10, 0), 2 * 56 / 1024.0, 0);
}

static void test_p_edges(void **state)
{
	const double zeros[30] = {0}, one[] = {-3}, two[] = {1, 5}, opposite[] = {.1, -.1};
	double equal[20];

	(void)state;
	for (size_t n = 1; n <= 30; n++)
		assert_near(sign_flip_p(zeros, n, 1), 1, 0);
	assert_near(sign_flip_p(one, 1, 0), 1, 0);
	assert_near(sign_flip_p(two, 2, 0), .5, 0);
	assert_near(sign_flip_p(opposite, 2, 0), 1, 0);
	for (size_t n = 1; n <= 20; n++) {
		equal[n - 1] = .1;
		assert_near(sign_flip_p(equal, n, 0), sign_flip_smallest_p(n), 0);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The definition: means of all non-empty subsets in order. Ends may be out by the tie tolerance. */
static struct interval brute_interval(const double *d, size_t n, double alpha)
{
	size_t count = 0, c = (size_t)(alpha * ldexp(1, (int)n) / 2);
	double *means __free(memory) = memory_array((size_t)1 << n, sizeof(*means));

	for (uint64_t set = 1; set < UINT64_C(1) << n; set++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += set >> i & 1 ? d[i] : 0;
		means[count++] = sum / __builtin_popcountll(set);
	}
	qsort(means, count, sizeof(*means), compare);
	if (c == 0)
		return (struct interval){-INFINITY, INFINITY};
	return (struct interval){means[c - 1], means[count - c]};
}

static void test_exact_interval(void **state)
{
	static const double alphas[] = {.05, .25, .01, .0625};
	struct random random;
	double d[12];

	(void)state;
	random_seed(&random, 1, 2);
	for (int round = 0; round < 240; round++) {
		size_t n = 1 + (size_t)round % 12;
		double alpha = alphas[round / 12 % 4];
		struct interval expected, interval;

		for (size_t i = 0; i < n; i++)
			d[i] = round % 2 ? random_unit(&random) - .3
					 : .1 * (double)random_below(&random, 6) - .2;
		expected = brute_interval(d, n, alpha);
		interval = sign_flip_interval(d, n, alpha, 0);
		assert_near(interval.low, expected.low, 1e-10);
		assert_near(interval.high, expected.high, 1e-10);
	}
}

static void test_interval_edges(void **state)
{
	const double zeros[8] = {0}, one[] = {7};
	double d[WORKED_PAIRS], equal[30];
	struct interval interval;

	(void)state;
	interval = sign_flip_interval(one, 1, .05, 0);
	assert_near(interval.low, -INFINITY, 0);
	assert_near(interval.high, INFINITY, 0);
	interval = sign_flip_interval(zeros, 5, .05, 0);
	assert_near(interval.low, -INFINITY, 0);
	interval = sign_flip_interval(zeros, 8, .05, 0);
	assert_near(interval.low, 0, 0);
	assert_near(interval.high, 0, 0);
	for (size_t i = 0; i < 30; i++)
		equal[i] = .1;
	interval = sign_flip_interval(equal, 30, .05, 0);
	assert_near(interval.low, .1, 0);
	assert_near(interval.high, .1, 0);
	/* Any unit, and far from 0. */
	for (int exponent = -300; exponent <= 300; exponent += 100) {
		double unit = pow(10, exponent);

		worked_differences(d);
		for (size_t i = 0; i < WORKED_PAIRS; i++)
			d[i] *= unit;
		interval = sign_flip_interval(d, WORKED_PAIRS, .05, 0);
		assert_digits(interval.low / unit, .00836264491, 9);
	}
	worked_differences(d);
	for (size_t i = 0; i < WORKED_PAIRS; i++)
		d[i] -= 1e4;
	interval = sign_flip_interval(d, WORKED_PAIRS, .05, 0);
	assert_near(interval.low, .00836264491 - 1e4, 1e-10);
}

/*
 * p and interval are the same test, whatever ties there are at 0: with shifted whole numbers there
 * are many.
 */
static void test_interval_excludes_zero_when_rejected(void **state)
{
	size_t rejected = 0, kept = 0;
	struct random random;
	double d[24];

	(void)state;
	random_seed(&random, 1, 3);
	for (int round = 0; round < 1500; round++) {
		size_t n = round % 50 == 0 ? 24 : 6 + (size_t)round % 9;
		double alpha = round % 4 ? .05 : .25;
		struct interval interval;

		for (size_t i = 0; i < n; i++)
			d[i] = .1 * ((double)random_below(&random, 8) - 2.5 + round % 2 * .5);
		interval = sign_flip_interval(d, n, alpha, 5);
		if (sign_flip_p(d, n, 5) <= alpha) {
			assert_true(interval.low > 0 || interval.high < 0);
			rejected++;
		} else {
			assert_true(interval.low <= 0 && interval.high >= 0);
			kept++;
		}
	}
	assert_true(rejected > 200 && kept > 200);
}

static void test_random_flips(void **state)
{
	struct random random;
	long whole[22];
	double d[22];

	(void)state;
	random_seed(&random, 1, 4);
	for (int round = 0; round < 4; round++) {
		double exact, p;

		for (size_t i = 0; i < 22; i++) {
			whole[i] = (long)random_below(&random, 1000) - 430 + 30 * round;
			d[i] = (double)whole[i] * 1e-4;
		}
		exact = brute_p(whole, 22);
		p = sign_flip_p(d, 22, 7);
		/* Four standard errors of 99 999 draws. */
		assert_near(p, exact, 4 * sqrt(exact * (1 - exact) / SIGN_FLIP_DRAWS) + 1e-5);
		/* The seed alone decides. */
		assert_near(sign_flip_p(d, 22, 7), p, 0);
	}
	/* Nothing but the observed arrangement and its mirror image is as extreme. */
	for (size_t i = 0; i < 22; i++)
		d[i] = 1 + (double)i;
	assert_near(sign_flip_p(d, 22, 7), 1e-5, 1e-20);
}

/* The 20 exact pairs and the random flips of one series that is doubled in length by zeros. */
static void test_random_interval(void **state)
{
	struct random random;
	struct interval exact, interval;
	double d[21];

	(void)state;
	random_seed(&random, 1, 5);
	for (size_t i = 0; i < 20; i++)
		d[i] = random_unit(&random);
	exact = sign_flip_interval(d, 20, .05, 0);
	/* One more at the middle: hardly another interval, but another way to it. */
	d[20] = (exact.low + exact.high) / 2;
	interval = sign_flip_interval(d, 21, .05, 11);
	assert_near(interval.low, exact.low, .02);
	assert_near(interval.high, exact.high, .02);
	/* Longer than the bits of one random number. */
	{
		double many[150];

		for (size_t i = 0; i < 150; i++)
			many[i] = random_unit(&random);
		interval = sign_flip_interval(many, 150, .05, 11);
		/* -+ 1.96 / sqrt(12 * 150) around the mean, which is near .5. */
		assert_near(interval.high - interval.low, 2 * 1.96 / sqrt(1800), .01);
		assert_near((interval.high + interval.low) / 2, .5, .1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_smallest_p),
		cmocka_unit_test(test_attained_level),
		cmocka_unit_test(test_exact_p),
		cmocka_unit_test(test_exact_p_of_20),
		cmocka_unit_test(test_rounded_ties),
		cmocka_unit_test(test_p_edges),
		cmocka_unit_test(test_exact_interval),
		cmocka_unit_test(test_interval_edges),
		cmocka_unit_test(test_interval_excludes_zero_when_rejected),
		cmocka_unit_test(test_random_flips),
		cmocka_unit_test(test_random_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
