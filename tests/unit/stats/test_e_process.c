// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/e_process.h"

#include <float.h>

#include "base/cleanup.h"
#include "base/random.h"
#include "near.h"
#include "stats/summary.h"
#include "worked.h"

static const double series[] = {1,	     1.611847779, 2.980749209, 5.442831168,
				9.693823671, 18.76378943, 36.44065508, 60.05039784};

static void test_worked(void **state)
{
	struct e_process e __cleanup(e_process_done);
	double d[WORKED_PAIRS];

	(void)state;
	worked_differences(d);
	e_process_init(&e, 0, E_PROCESS_TWO_SIDED);
	assert_near(e_process_value(&e), 1, 0);
	assert_near(e_process_p(&e), 1, 0);
	for (size_t i = 0; i < WORKED_PAIRS; i++) {
		assert_digits(e_process_push(&e, d[i]), series[i], 10);
		assert_digits(e_process_value(&e), series[i], 10);
		assert_digits(e_process_max(&e), series[i], 10);
		assert_digits(e_process_p(&e), 1 / series[i], 9);
	}
}

/* The formula as it is written, over and over again. */
static double formula(const double *d, size_t n, double theta, enum e_process_side side)
{
	static const double bets[] = {.5, 1, 2, 4};
	double sum = 0;

	for (size_t bet = 0; bet < 4; bet++) {
		double up = 1, down = 1;

		for (size_t i = 0; i < n; i++) {
			double magnitudes[64], scale, z;
			size_t count = 0;

			for (size_t j = 0; j <= i; j++)
				magnitudes[j] = fabs(d[j] - theta);
			scale = summary_median(magnitudes, i + 1);
			if (scale == 0) {
				for (size_t j = 0; j <= i; j++)
					if (d[j] != theta)
						magnitudes[count++] = fabs(d[j] - theta);
				if (count == 0)
					continue;
				scale = summary_median(magnitudes, count);
			}
			z = (d[i] - theta) / scale;
			up *= exp(bets[bet] * z) / cosh(bets[bet] * z);
			down *= exp(-bets[bet] * z) / cosh(bets[bet] * z);
		}
		sum += side == E_PROCESS_SMALLER ? 2 * down : up + down;
	}
	return sum / 8;
}

static void test_formula(void **state)
{
	struct random random;
	double d[40];

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 120; round++) {
		enum e_process_side side = round % 2 ? E_PROCESS_SMALLER : E_PROCESS_TWO_SIDED;
		struct e_process e __cleanup(e_process_done);
		double theta = round % 3 ? 0 : .25, max = 1;

		e_process_init(&e, theta, side);
		for (size_t i = 0; i < 40; i++) {
			double value;

			/*
			 * Every other series of few values: zeros, ties, all of them zero at first.
			 */
			d[i] = round % 4 < 2 ? random_unit(&random) - .6
					     : .25 * floor((double)random_below(&random, 5) / 2);
			value = formula(d, i + 1, theta, side);
			max = fmax(max, value);
			assert_near(e_process_push(&e, d[i]), value, 1e-10 * value);
			assert_near(e_process_max(&e), max, 1e-10 * max);
			assert_near(e_process_p(&e), 1 / max, 1e-10);
		}
	}
}

static void push_all(const double *d, size_t n, double theta, enum e_process_side side,
		     double *ret_value, double *ret_max)
{
	struct e_process e __cleanup(e_process_done);

	e_process_init(&e, theta, side);
	for (size_t i = 0; i < n; i++)
		e_process_push(&e, d[i]);
	*ret_value = e_process_value(&e);
	*ret_max = e_process_max(&e);
}

static void test_zeros(void **state)
{
	const double d[] = {0, 0, 0, 2}, zeros[] = {0, -0.0, 0};
	double value, max;

	(void)state;
	push_all(zeros, 3, 0, E_PROCESS_TWO_SIDED, &value, &max);
	assert_near(value, 1, 0);
	/* The median of the only magnitude that is not 0: z = 1, and both signs together give 1. */
	push_all(d, 4, 0, E_PROCESS_TWO_SIDED, &value, &max);
	assert_near(value, 1, 1e-15);
	push_all(d, 4, 0, E_PROCESS_SMALLER, &value, &max);
	assert_true(value < 1);
	assert_near(max, 1, 0);
}

/* No more than 2^(n-1): the threshold of 20 is out of reach of five differences. */
static void test_five_are_not_enough(void **state)
{
	const double d[] = {1, 1e9, 1e18, 1e27, 1e36, 1e45};
	double value, max;

	(void)state;
	push_all(d, 5, 0, E_PROCESS_TWO_SIDED, &value, &max);
	assert_true(value > 8 && value <= 16);
	push_all(d, 6, 0, E_PROCESS_TWO_SIDED, &value, &max);
	assert_true(value > 20 && value <= 32);
}

static void test_one_sided(void **state)
{
	struct random random;
	double d[30], mirrored[30], value, max, other, other_max;

	(void)state;
	random_seed(&random, 1, 1);
	for (size_t i = 0; i < 30; i++) {
		d[i] = random_unit(&random) - .5;
		mirrored[i] = -d[i];
	}
	/* Evidence that the centre is smaller only when it is. */
	push_all(d, 30, .4, E_PROCESS_SMALLER, &value, &max);
	assert_true(value > 1000);
	push_all(d, 30, -.4, E_PROCESS_SMALLER, &value, &max);
	assert_true(value < .001);
	/* The two one-sided ones are the halves of the two-sided one. */
	push_all(d, 30, .1, E_PROCESS_SMALLER, &value, &max);
	push_all(mirrored, 30, -.1, E_PROCESS_SMALLER, &other, &other_max);
	push_all(d, 30, .1, E_PROCESS_TWO_SIDED, &max, &other_max);
	assert_near(max, (value + other) / 2, 1e-10 * max);
}

static void test_scale(void **state)
{
	double d[WORKED_PAIRS], value, max;
	const double extremes[] = {1e-300, 1e300, -1e300, 5e-324, DBL_MAX, -DBL_MAX, 1, 0};

	(void)state;
	for (int exponent = -300; exponent <= 300; exponent += 100) {
		double unit = pow(10, exponent);

		worked_differences(d);
		for (size_t i = 0; i < WORKED_PAIRS; i++)
			d[i] *= unit;
		push_all(d, WORKED_PAIRS, 0, E_PROCESS_TWO_SIDED, &value, &max);
		assert_digits(value, series[7], 10);
	}
	for (size_t n = 1; n <= 8; n++) {
		push_all(extremes, n, 0, E_PROCESS_TWO_SIDED, &value, &max);
		assert_true(value >= 0 && isfinite(value) && max >= value);
	}
}

static void test_long(void **state)
{
	struct e_process e __cleanup(e_process_done);

	(void)state;
	e_process_init(&e, 0, E_PROCESS_TWO_SIDED);
	for (size_t i = 0; i < 3000; i++)
		e_process_push(&e, 1 + (double)(i % 7));
	assert_near(e_process_value(&e), INFINITY, 0);
	assert_true(e_process_p(&e) > 0);
	/* What was lost can be won back: the logarithms keep what a double cannot. */
	for (size_t i = 0; i < 9000; i++)
		e_process_push(&e, -1 - (double)(i % 7));
	assert_near(e_process_value(&e), INFINITY, 0);
}

static bool is_excluded(const double *d, size_t n, double theta, double alpha)
{
	double value, max;

	push_all(d, n, theta, E_PROCESS_TWO_SIDED, &value, &max);
	return max >= 1 / alpha;
}

/* Tries 2000 shifts, and others close to the ends: what is not excluded lies in the interval. */
static void check_interval(const double *d, size_t n, double alpha)
{
	double min = summary_min(d, n), max = summary_max(d, n), range = max - min;
	struct interval interval;
	bool any = false;
	bool found = e_process_interval(d, n, alpha, &interval);

	for (int i = -500; i <= 1500; i++) {
		double theta = min + range * i / 1000;

		if (is_excluded(d, n, theta, alpha))
			continue;
		any = true;
		assert_true(found && theta >= interval.low && theta <= interval.high);
	}
	for (size_t i = 0; i < n; i++)
		if (!is_excluded(d, n, d[i], alpha))
			assert_true(found && d[i] >= interval.low && d[i] <= interval.high);
	if (!found) {
		assert_false(any);
		return;
	}
	/* Not too wide: at either end, or within the precision of it, there is one. */
	if (isfinite(interval.low)) {
		any = false;
		for (int i = 0; i <= 40; i++)
			any |= !is_excluded(d, n, interval.low + i * 1e-7 / 20 * range, alpha);
		assert_true(any);
		assert_true(is_excluded(d, n, interval.low - 1e-9 * range, alpha));
	}
	if (isfinite(interval.high)) {
		any = false;
		for (int i = 0; i <= 40; i++)
			any |= !is_excluded(d, n, interval.high - i * 1e-7 / 20 * range, alpha);
		assert_true(any);
		assert_true(is_excluded(d, n, interval.high + 1e-9 * range, alpha));
	}
}

static void test_interval(void **state)
{
	static const size_t sizes[] = {1, 2, 5, 6, 7, 8, 9, 12, 16, 25, 40};
	struct random random;
	double d[40];

	(void)state;
	random_seed(&random, 1, 2);
	for (int round = 0; round < 66; round++) {
		size_t n = sizes[round % 11];
		double alpha = round % 4 == 3 ? .2 : .05;

		for (size_t i = 0; i < n; i++) {
			double u = random_unit(&random) - .5;

			/* Uniform, heavy tails, few values, drifting. */
			switch (round % 5) {
			case 0:
				d[i] = .005 + .03 * u;
				break;
			case 1:
				d[i] = 3 + tan(M_PI * .98 * u);
				break;
			case 2:
				d[i] = .1 * (double)(random_below(&random, 5) % 4);
				break;
			case 3:
				d[i] = u + .05 * (double)i;
				break;
			default:
				d[i] = u * u * u + (u > .3);
			}
		}
		check_interval(d, n, alpha);
	}
}

static void test_worked_interval(void **state)
{
	double d[WORKED_PAIRS];
	struct interval interval, scaled;

	(void)state;
	worked_differences(d);
	check_interval(d, WORKED_PAIRS, .05);
	assert_true(e_process_interval(d, WORKED_PAIRS, .05, &interval));
	/* By a separate program, from 100 000 shifts and halving. Wider than that of a fixed n. */
	assert_near(interval.low, .007491280760, 2e-9);
	assert_near(interval.high, .022069509751, 2e-9);
	/* 8 differences reach 73.8 at most when they are all alike: not enough for 1/.01. */
	assert_true(e_process_interval(d, WORKED_PAIRS, .01, &scaled));
	assert_near(scaled.low, -INFINITY, 0);
	assert_near(scaled.high, INFINITY, 0);
	for (int exponent = -300; exponent <= 300; exponent += 100) {
		double unit = pow(10, exponent);

		worked_differences(d);
		for (size_t i = 0; i < WORKED_PAIRS; i++)
			d[i] *= -unit;
		assert_true(e_process_interval(d, WORKED_PAIRS, .05, &scaled));
		assert_near(-scaled.high / unit, interval.low, 1e-8);
		assert_near(-scaled.low / unit, interval.high, 1e-8);
	}
}

static void test_interval_edges(void **state)
{
	struct interval interval;
	double d[40] = {0};

	(void)state;
	/* Five can exclude nothing. */
	assert_true(e_process_interval(d, 5, .05, &interval));
	assert_near(interval.low, -INFINITY, 0);
	assert_near(interval.high, INFINITY, 0);
	/* All equal: E away from them is the same everywhere, and enough from six on. */
	assert_true(e_process_interval(d, 6, .05, &interval));
	assert_near(interval.low, 0, 0);
	assert_near(interval.high, 0, 0);
	for (size_t i = 0; i < 40; i++)
		d[i] = -7.3;
	assert_true(e_process_interval(d, 40, .05, &interval));
	assert_near(interval.low, -7.3, 0);
	assert_near(interval.high, -7.3, 0);
	/* Equal but for rounding. */
	for (size_t i = 0; i < 40; i++)
		d[i] = -7.3 + (double)(i % 3) * 1e-15;
	assert_true(e_process_interval(d, 40, .05, &interval));
	assert_near(interval.low, -7.3, 1e-11);
	assert_near(interval.high, -7.3, 1e-11);
	/* A small spread, far from 0; and one that is next to rounding. */
	for (size_t i = 0; i < 40; i++)
		d[i] = 1 + (double)(i * 7 % 11) * 1e-6;
	check_interval(d, 40, .05);
	for (size_t i = 0; i < 40; i++)
		d[i] = 1 + (double)(i * 7 % 11) * 4e-12;
	assert_true(e_process_interval(d, 40, .05, &interval));
	assert_near(interval.low, 1 + 1e-11, 1e-11);
	assert_near(interval.high, 1 + 3e-11, 1e-11);
}

/* A tie that is excluded must not be kept because its own magnitude is 0. */
static void test_interval_leaves_tie(void **state)
{
	struct interval interval;
	double d[40];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		d[i] = i < 3 ? 0 : .05 + .001 * (double)(i % 5);
	assert_true(is_excluded(d, 40, 0, .05));
	assert_true(e_process_interval(d, 40, .05, &interval));
	assert_true(interval.low > .04);
	assert_true(interval.high < .06);
	/* The same when the ties differ by rounding. */
	d[1] = 1e-17;
	d[2] = -1e-18;
	assert_true(e_process_interval(d, 40, .05, &interval));
	assert_true(interval.low > .04);
}

static void test_no_common_centre(void **state)
{
	struct interval interval = {1, 2};
	double d[40];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		d[i] = (double)(i % 4) + (i < 20 ? 0 : 100);
	assert_false(e_process_interval(d, 40, .05, &interval));
	assert_near(interval.low, 1, 0);
	assert_near(interval.high, 2, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_formula),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_five_are_not_enough),
		cmocka_unit_test(test_one_sided),
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_worked_interval),
		cmocka_unit_test(test_interval_edges),
		cmocka_unit_test(test_interval_leaves_tie),
		cmocka_unit_test(test_no_common_centre),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
