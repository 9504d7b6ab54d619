// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/quantiles.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/summary.h"

#include "near.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted_copy(const double *x, size_t n)
{
	double *sorted = memory_array(n, sizeof(*sorted));

	memcpy(sorted, x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	return sorted;
}

/* All ranks where there are few, and some of them, in no order and twice, where there are many. */
static void check_ranks(const double *x, size_t n, struct random *r)
{
	double *sorted __free(memory) = sorted_copy(x, n);
	size_t count = n < 40 ? 2 * n : 40;
	size_t *ranks __free(memory) = memory_array(count, sizeof(*ranks));
	double *values __free(memory) = memory_array(count, sizeof(*values));

	for (size_t i = 0; i < count; i++)
		ranks[i] = n < 40 ? i % n + 1 : 1 + (size_t)random_below(r, n);
	quantiles_select(x, n, ranks, count, values);
	for (size_t i = 0; i < count; i++)
		assert_true(values[i] == sorted[ranks[i] - 1]);
}

/* Values of many kinds: few different ones, small and large integers, all magnitudes and signs. */
static double made(struct random *r, unsigned int kind)
{
	double u = random_unit(r);

	switch (kind) {
	case 0:
		return (double)random_below(r, 3);
	case 1:
		return (double)random_below(r, 1000) - 500;
	case 2:
		return 1e6 + (double)random_below(r, 1000000);
	case 3:
		return u - .5;
	case 4:
		return exp(1400 * (u - .5)) * (random_below(r, 2) ? 1 : -1);
	case 5: {
		/*
		 * All finite doubles are equally likely, the denormals and both zeros among them.
		 */
		uint64_t bits = random_next(r);
		double value;

		memcpy(&value, &bits, sizeof(value));
		return isfinite(value) ? value : 0;
	}
	case 6:
		return random_below(r, 2) ? DBL_MAX : -DBL_MAX;
	default:
		/* Neighbours in the last bit. */
		return nextafter(random_below(r, 2) ? 1 : -1, (double)random_below(r, 2) * 4 - 2);
	}
}

static void test_against_sorting(void **state)
{
	struct random r;

	(void)state;
	random_seed(&r, 20, 0);
	for (unsigned int round = 0; round < 16000; round++) {
		size_t n = 1 + (size_t)random_below(&r, round % 100 ? 60 : 5000);
		double *x __free(memory) = memory_array(n, sizeof(*x));

		for (size_t i = 0; i < n; i++)
			x[i] = made(&r, round % 8);
		check_ranks(x, n, &r);
	}
}

/*
 * Orders in which selection by a pivot takes n^2 steps, and values of which all but a few share
 * their first bits, so that a digit parts nothing: with half a million values the test would not
 * come to an end if one of them did.
 */
static void test_adversaries(void **state)
{
	enum { N = 500000 };
	double *x __free(memory) = memory_array(N, sizeof(*x));
	struct random r;

	(void)state;
	random_seed(&r, 21, 0);
	for (unsigned int kind = 0; kind < 8; kind++) {
		for (size_t i = 0; i < N; i++) {
			double rising = (double)i;

			switch (kind) {
			case 0: /* sorted */
				x[i] = rising;
				break;
			case 1: /* reversed */
				x[i] = N - rising;
				break;
			case 2: /* all equal */
				x[i] = 42;
				break;
			case 3: /* organ pipe */
				x[i] = i < N / 2 ? rising : N - rising;
				break;
			case 4: /* saw */
				x[i] = (double)(i % 1000);
				break;
			case 5: /* one far out in each direction, the others side by side */
				x[i] = i ? 1 + rising * DBL_EPSILON : DBL_MAX;
				x[1] = -DBL_MAX;
				break;
			case 6: /* exponents of all sizes: each digit halves what is left */
				x[i] = ldexp(1, -(int)(i % 1000));
				break;
			default: /* two values */
				x[i] = i % 7 ? 1 : nextafter(1, 2);
			}
		}
		check_ranks(x, N, &r);
	}
}

static void test_find(void **state)
{
	struct quantile list[] = {{.q = .99}, {.q = .5}, {.q = .999}};
	struct quantiles all;
	double x[1000];

	(void)state;
	/* 1 to 1000, shuffled: a value is its rank. */
	for (size_t i = 0; i < 1000; i++)
		x[i] = (double)(i * 387 % 1000 + 1);
	quantiles_find(x, 1000, .95, list, 3, &all);
	assert_near(all.min, 1, 0);
	assert_near(all.max, 1000, 0);
	assert_near(all.mean, 500.5, 1e-12);
	/* Method (b): n = 1000, q = .99. */
	assert_near(list[0].value, 990, 0);
	assert_near(list[0].interval.low, 983, 0);
	assert_near(list[0].interval.high, 997, 0);
	assert_near(list[0].ranks.coverage, .976095, 5.1e-7);
	assert_near(list[1].value, 500, 0);
	assert_true(list[1].interval.low < 500 && list[1].interval.high > 500);
	/* 1000 values do not bound a p99.9 from above. */
	assert_near(list[2].value, 999, 0);
	assert_true(isfinite(list[2].interval.low));
	assert_true(list[2].interval.high == INFINITY);
}

/* Nor does one value bound anything. */
static void test_one(void **state)
{
	struct quantile median = {.q = .5};
	struct quantiles all;
	double x = -3;

	(void)state;
	quantiles_find(&x, 1, .95, &median, 1, &all);
	assert_near(median.value, -3, 0);
	assert_true(median.interval.low == -INFINITY && median.interval.high == INFINITY);
	assert_near(all.min + all.max + all.mean, -9, 0);
	quantiles_find(&x, 1, .95, NULL, 0, &all);
	assert_near(all.mean, -3, 0);
}

/* The interval covers the quantile of the distribution as often as it says. */
static void test_coverage(void **state)
{
	enum { ROUNDS = 4000, N = 200 };
	struct quantile list[] = {{.q = .5}, {.q = .95}};
	size_t covers[2] = {0};
	double x[N];
	struct random r;

	(void)state;
	random_seed(&r, 22, 0);
	for (size_t round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < N; i++)
			x[i] = random_unit(&r);
		quantiles_find(x, N, .95, list, 2, NULL);
		for (size_t k = 0; k < 2; k++)
			covers[k] += list[k].interval.low <= list[k].q &&
				     list[k].q <= list[k].interval.high;
	}
	/* Four standard errors of 4000 experiments. */
	for (size_t k = 0; k < 2; k++)
		assert_near((double)covers[k] / ROUNDS, list[k].ranks.coverage, .014);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_sorting),
		cmocka_unit_test(test_adversaries),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
