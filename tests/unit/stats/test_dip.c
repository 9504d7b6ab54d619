// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/dip.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "near.h"

enum { MOST = 12 };

static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/*
 * The definition, by trying. Is there a convex function on x[0..m] between low and high that is
 * `end` at x[m]? The highest convex one below `high` is, if any: the lower hull of these points.
 */
static bool fits_convex(const double *x, size_t m, const double *low, const double *high,
			double end)
{
	double top[MOST];

	/* Rising: no higher than any later bound. */
	top[m] = end;
	for (size_t i = m; i-- > 0;)
		top[i] = fmin(high[i], top[i + 1]);
	for (size_t i = 0; i <= m; i++) {
		double hull = top[i];

		for (size_t a = 0; a < i; a++)
			for (size_t b = i + 1; b <= m; b++)
				hull = fmin(hull, top[a] + (top[b] - top[a]) * (x[i] - x[a]) /
								   (x[b] - x[a]));
		if (hull < low[i] - 1e-12)
			return false;
	}
	return true;
}

/* The least value at x[m], between its bounds, with which it fits; INFINITY: none. */
static double least_end(const double *x, size_t m, const double *low, const double *high)
{
	double below = low[m], above = high[m];

	if (!fits_convex(x, m, low, high, above))
		return INFINITY;
	if (fits_convex(x, m, low, high, below))
		return below;
	for (int step = 0; step < 40; step++) {
		double middle = (below + above) / 2;

		if (fits_convex(x, m, low, high, middle))
			above = middle;
		else
			below = middle;
	}
	return above;
}

/*
 * Is there a unimodal distribution function within `reach` of the one of x, with the mode at x[m]?
 * It is continuous but for a jump there, so elsewhere it is near both sides of the steps of x.
 */
static bool fits_mode(const double *x, size_t n, size_t m, double reach)
{
	double low[MOST], high[MOST], mirrored[MOST];
	double left, right;

	for (size_t i = 0; i <= m; i++) {
		low[i] = fmax(0, (double)(i + (i < m)) / (double)n - reach);
		high[i] = (double)i / (double)n + reach;
	}
	left = least_end(x, m, low, high);
	for (size_t i = m; i < n; i++) {
		mirrored[n - 1 - i] = -x[i];
		low[n - 1 - i] = fmax(0, (double)(n - i - (i == m)) / (double)n - reach);
		high[n - 1 - i] = (double)(n - 1 - i) / (double)n + reach;
	}
	right = least_end(mirrored, n - 1 - m, low, high);
	return left + right <= 1 + 1e-12;
}

static double brute_dip(const double *x, size_t n)
{
	double below = 0, above = 1;

	for (int step = 0; step < 30; step++) {
		double middle = (below + above) / 2;
		bool fits = false;

		for (size_t m = 0; m < n && !fits; m++)
			fits = fits_mode(x, n, m, middle);
		if (fits)
			above = middle;
		else
			below = middle;
	}
	return above;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void test_against_definition(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 150; round++) {
		size_t n = 2 + (size_t)round % (MOST - 1);
		double x[MOST];

		for (size_t i = 0; i < n; i++)
			x[i] = round % 3 == 0	? random_unit(&random)
			       : round % 3 == 1 ? draw_normal(&random) + 4 * (double)(i % 2)
						: exp(2 * draw_normal(&random));
		qsort(x, n, sizeof(*x), compare);
		assert_near(dip(x, n), brute_dip(x, n), 1e-7);
	}
}

static void test_known(void **state)
{
	double spaced[40], halves[40], mixed[40];

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		spaced[i] = (double)i;
		halves[i] = i < 20 ? 0 : 1;
		mixed[i] = (double)(i * 7 % 40);
	}
	assert_near(dip(spaced, 40), 1 / 80., 1e-12);
	assert_near(dip(mixed, 40), 1 / 80., 1e-12);
	assert_near(dip(halves, 40), .25, 1e-12);
	assert_near(dip(halves, 20), 1 / 40., 1e-12);
	assert_near(dip(halves, 1), .5, 0);
	assert_near(dip(spaced, 2), .25, 1e-12);
}

static void test_p(void **state)
{
	enum { SAMPLES = 200, VALUES = 20 };
	static const char *const shapes[] = {"uniform", "normal", "exponential", "two heaps"};

	(void)state;
	for (size_t shape = 0; shape < 4; shape++) {
		struct random random;
		size_t called = 0;

		random_seed(&random, 1, 1);
		for (int sample = 0; sample < SAMPLES; sample++) {
			double x[VALUES];

			for (size_t i = 0; i < VALUES; i++)
				x[i] = shape == 0   ? random_unit(&random)
				       : shape == 1 ? draw_normal(&random)
				       : shape == 2
					       ? -log(1 - random_unit(&random))
					       : draw_normal(&random) + 8 * (double)(i % 3 == 0);
			called += dip_p(x, VALUES, 3) <= .05;
		}
		printf("# %s: called bimodal in %.1f %%\n", shapes[shape], 100. * called / SAMPLES);
		/* At most 20 of 200 at 5 %: qbinom(.999, 200, .05). */
		if (shape < 3)
			assert_true(called <= 20);
		else
			assert_true(called >= SAMPLES * 7 / 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_definition),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_p),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
