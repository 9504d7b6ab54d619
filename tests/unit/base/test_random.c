// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

/* The reference implementation's first outputs for the state 1, 2, 3, 4. */
static void test_reference(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(41943041),
		UINT64_C(58720359),
		UINT64_C(3588806011781223),
		UINT64_C(3591011842654386),
		UINT64_C(9228616714210784205),
		UINT64_C(9973669472204895162),
		UINT64_C(14011001112246962877),
		UINT64_C(12406186145184390807),
		UINT64_C(15849039046786891736),
		UINT64_C(10450023813501588000),
	};
	struct random r = {.s = {1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		assert_true(random_next(&r) == expected[i]);
}

/*
 * splitmix64's reference outputs: 0xe220a8397b1dcdaf is the first one of seed 0, and the four below
 * are the first ones of seed 1234567. A stream that cancels the former starts the latter.
 */
static void test_seed_reference(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431),
	};
	struct random r;

	(void)state;
	random_seed(&r, 0, UINT64_C(0xe220a8397b1dcdaf) ^ 1234567);
	for (size_t i = 0; i < 4; i++)
		assert_true(r.s[i] == expected[i]);
}

static void test_streams(void **state)
{
	enum { STREAMS = 64 };
	uint64_t first[STREAMS];
	struct random a, b;

	(void)state;
	random_seed(&a, 4021, 7);
	random_seed(&b, 4021, 7);
	for (int i = 0; i < 1000; i++)
		assert_true(random_next(&a) == random_next(&b));

	/* Neither neighbouring streams of one seed nor one stream of neighbouring seeds agree. */
	for (uint64_t i = 0; i < STREAMS; i++) {
		random_seed(&a, i / 8, i % 8);
		first[i] = random_next(&a);
		for (uint64_t j = 0; j < i; j++)
			assert_true(first[j] != first[i]);
	}
	/* seed + stream alone would be the same for these. */
	random_seed(&a, 10, 1);
	random_seed(&b, 11, 0);
	assert_true(random_next(&a) != random_next(&b));
}

static void test_below_range(void **state)
{
	static const uint64_t bounds[] = {
		1, 2, 3, 10, UINT64_C(1) << 32, (UINT64_C(1) << 63) + 1, UINT64_MAX,
	};
	struct random r;

	(void)state;
	random_seed(&r, 1, 0);
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		for (int n = 0; n < 1000; n++)
			assert_true(random_below(&r, bounds[i]) < bounds[i]);
	}
}

/* Chi-squared of n draws over equal cells. */
static double chi_squared(const unsigned int *cells, size_t count, double n)
{
	double expected = n / (double)count;
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += ((double)cells[i] - expected) * ((double)cells[i] - expected) / expected;
	return sum;
}

/* The seed is fixed: these pass always or never. The bounds are the 0.1 % and 99.9 % points. */
static void test_below_uniform(void **state)
{
	unsigned int cells[10] = {0};
	struct random r;
	double chi;

	(void)state;
	random_seed(&r, 4021, 0);
	for (int i = 0; i < 1000000; i++)
		cells[random_below(&r, 10)]++;
	chi = chi_squared(cells, 10, 1e6);
	assert_true(chi > 1.15 && chi < 27.88);
}

/*
 * A remainder without rejection prefers the lower third of this range, two to one: of 2^64 values,
 * 2^64 - 3 * 2^62 would fall on it a second time.
 */
static void test_below_unbiased(void **state)
{
	const uint64_t bound = UINT64_C(3) << 62;
	unsigned int cells[3] = {0};
	struct random r;

	(void)state;
	random_seed(&r, 4021, 1);
	for (int i = 0; i < 300000; i++)
		cells[random_below(&r, bound) >> 62]++;
	/* 99.9 % point with two degrees of freedom. */
	assert_true(chi_squared(cells, 3, 3e5) < 13.82);
}

static void test_unit(void **state)
{
	unsigned int cells[16] = {0};
	double sum = 0, chi;
	struct random r;

	(void)state;
	random_seed(&r, 4021, 2);
	for (int i = 0; i < 1000000; i++) {
		double x = random_unit(&r);

		assert_true(x >= 0 && x < 1);
		cells[(int)(x * 16)]++;
		sum += x;
	}
	chi = chi_squared(cells, 16, 1e6);
	assert_true(chi > 3.48 && chi < 37.70);
	/* The mean of a million has a standard deviation of 0.00029. */
	assert_true(fabs(sum / 1e6 - 0.5) < 0.001);

	/* The largest state never rounds up to 1. */
	r = (struct random){.s = {0, 0, 0, 0}};
	assert_true(random_unit(&r) == 0);
	r = (struct random){.s = {UINT64_MAX, 0, 0, 0}};
	assert_true(random_unit(&r) < 1);
}

static void test_fresh_seed(void **state)
{
	uint64_t seen[8];
	int different = 0;

	(void)state;
	for (int i = 0; i < 8; i++) {
		seen[i] = random_fresh_seed();
		assert_true(seen[i] < UINT64_C(1) << 32);
		different += seen[i] != seen[0];
	}
	/* All eight the same: once in 2^224. */
	assert_true(different > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_seed_reference),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_below_range),
		cmocka_unit_test(test_below_uniform),
		cmocka_unit_test(test_below_unbiased),
		cmocka_unit_test(test_unit),
		cmocka_unit_test(test_fresh_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
