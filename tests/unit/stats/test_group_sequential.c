// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/group_sequential.h"

#include <stdio.h>

#include "base/random.h"
#include "near.h"
#include "stats/distribution.h"

enum { MOST_LOOKS = 12 };

static const double fifths[] = {.2, .4, .6, .8, 1};

static void test_spending(void **state)
{
	/* Method (d). */
	static const double spent[] = {1.172644684e-05, .001941912997, .01139641847, .02842963075,
				       .05};

	(void)state;
	for (size_t k = 0; k < 5; k++)
		assert_digits(group_sequential_spent(GROUP_SEQUENTIAL_TWO_SIDED, .05, fifths[k]),
			      spent[k], 10);
	assert_near(group_sequential_spent(GROUP_SEQUENTIAL_TWO_SIDED, .05, 0), 0, 0);
	for (int kind = GROUP_SEQUENTIAL_TWO_SIDED; kind <= GROUP_SEQUENTIAL_PER_SIDE; kind++)
		for (double alpha = 1e-6; alpha < .5; alpha *= 3)
			assert_near(group_sequential_spent(kind, alpha, 1), alpha, 1e-15);
}

/* The bounds of a spending function. */
static void find_bounds(enum group_sequential_spending spending, double alpha, const double *t,
			size_t looks, double *ret_z)
{
	double spent[MOST_LOOKS];

	for (size_t k = 0; k < looks; k++)
		spent[k] = group_sequential_spent(spending, alpha, t[k]);
	group_sequential_bounds(t, spent, looks, ret_z);
}

struct worked_bounds {
	double t[MOST_LOOKS];
	size_t looks;
	enum group_sequential_spending spending;
	double z[MOST_LOOKS]; /* four decimals */
	double p[MOST_LOOKS]; /* five significant digits */
};

/* Method (d); the second family are the values that the R package ldbounds publishes. */
static const struct worked_bounds worked[] = {
	{{.2, .4, .6, .8, 1},
	 5,
	 GROUP_SEQUENTIAL_TWO_SIDED,
	 {4.3826, 3.0997, 2.5534, 2.2538, 2.0635},
	 {1.1726e-05, .001937, .010669, .024206, .039065}},
	{{.2, .4, .6, .8, 1},
	 5,
	 GROUP_SEQUENTIAL_PER_SIDE,
	 {4.8769, 3.357, 2.6803, 2.2898, 2.031},
	 {1.0777e-06, .0007879, .0073561, .022032, .042252}},
	{{.25, .5, .75, 1},
	 4,
	 GROUP_SEQUENTIAL_TWO_SIDED,
	 {3.9199, 2.774, 2.2982, 2.0426},
	 {8.8575e-05, .005538, .021548, .041088}},
	{{.25, .5, .75, 1},
	 4,
	 GROUP_SEQUENTIAL_PER_SIDE,
	 {4.3326, 2.9631, 2.359, 2.0141},
	 {1.4734e-05, .0030453, .018322, .044}},
	{{1 / 3., 2 / 3., 1},
	 3,
	 GROUP_SEQUENTIAL_TWO_SIDED,
	 {3.3948, 2.4067, 2.0152},
	 {.00068689, .016096, .043879}},
	{{1 / 3., 2 / 3., 1},
	 3,
	 GROUP_SEQUENTIAL_PER_SIDE,
	 {3.7103, 2.5114, 1.993},
	 {.00020701, .012024, .046256}},
	{{.5, 1}, 2, GROUP_SEQUENTIAL_TWO_SIDED, {2.7718, 1.9793}, {.0055746, .047781}},
	{{.5, 1}, 2, GROUP_SEQUENTIAL_PER_SIDE, {2.9626, 1.9686}, {.0030506, .049}},
};

static void test_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(worked) / sizeof(*worked); i++) {
		const struct worked_bounds *w = &worked[i];
		double z[MOST_LOOKS];

		find_bounds(w->spending, .05, w->t, w->looks, z);
		for (size_t k = 0; k < w->looks; k++) {
			assert_near(z[k], w->z[k], .000051);
			assert_digits(2 * distribution_normal_above(z[k]), w->p[k], 5);
		}
	}
}

/*
 * One look at the end is the ordinary test, and one spends what the function says wherever it is.
 */
static void test_single_look(void **state)
{
	static const double alphas[] = {.5, .05, .01, .002};
	const double t[] = {1}, half[] = {.5};
	double z[1];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		find_bounds(GROUP_SEQUENTIAL_TWO_SIDED, alphas[i], t, 1, z);
		assert_near(z[0], distribution_normal_critical(alphas[i] / 2), 1e-9);
		find_bounds(GROUP_SEQUENTIAL_TWO_SIDED, alphas[i], half, 1, z);
		assert_near(2 * distribution_normal_above(z[0]),
			    group_sequential_spent(GROUP_SEQUENTIAL_TWO_SIDED, alphas[i], .5),
			    1e-9);
	}
}

/* Other looks than planned: a bound knows only those before it, and all of alpha is spent at 1. */
static void test_other_looks(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 100; round++) {
		size_t looks = 1 + (size_t)round % 12;
		double t[MOST_LOOKS], z[MOST_LOOKS], prefix[MOST_LOOKS];
		double rejecting[MOST_LOOKS];
		double alpha = round % 3 ? .05 : .003;
		struct group_sequential test = {t, z, looks};

		for (size_t k = 0; k < looks; k++)
			t[k] = ((double)k + random_unit(&random) * .98 + .01) / (double)looks;
		t[looks - 1] = 1;
		find_bounds(GROUP_SEQUENTIAL_TWO_SIDED, alpha, t, looks, z);
		find_bounds(GROUP_SEQUENTIAL_TWO_SIDED, alpha, t, (looks + 1) / 2, prefix);
		for (size_t k = 0; k < (looks + 1) / 2; k++)
			assert_near(prefix[k], z[k], isinf(z[k]) ? 0 : 1e-7 * z[k]);
		assert_near(group_sequential_power(&test, 0, rejecting), alpha, 1e-9);
	}
}

/* With a far-out first look that cannot reject the others are as if it were not there. */
static void test_hopeless_look(void **state)
{
	const double t[] = {.001, .5, 1};
	double z[3], without[2];

	(void)state;
	find_bounds(GROUP_SEQUENTIAL_TWO_SIDED, .05, t, 3, z);
	find_bounds(GROUP_SEQUENTIAL_TWO_SIDED, .05, t + 1, 2, without);
	assert_near(z[0], INFINITY, 0);
	assert_near(z[1], without[0], 1e-9);
	assert_near(z[2], without[1], 1e-9);
}

/* The product of a walk of normal steps, against the power and the share of each look. */
static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Returns the number of the look that stopped, `looks` for none, and the z there. */
static size_t draw_path(const struct group_sequential *test, double drift, struct random *r,
			double *ret_z)
{
	double s = 0, before = 0;

	for (size_t k = 0; k < test->looks; k++) {
		double step = test->t[k] - before;

		s += drift * step + sqrt(step) * draw_normal(r);
		before = test->t[k];
		*ret_z = s / sqrt(test->t[k]);
		if (fabs(*ret_z) >= test->z[k])
			return k;
	}
	return test->looks;
}

static void test_power(void **state)
{
	enum { PATHS = 100000 };
	static const double drifts[] = {0, 2, -3};
	double z[5], rejecting[5];
	struct group_sequential test = {fifths, z, 5};
	struct random random;

	(void)state;
	find_bounds(GROUP_SEQUENTIAL_TWO_SIDED, .05, fifths, 5, z);
	random_seed(&random, 1, 1);
	for (size_t i = 0; i < 3; i++) {
		size_t stopped[6] = {0};

		group_sequential_power(&test, drifts[i], rejecting);
		for (size_t path = 0; path < PATHS; path++) {
			double at;

			stopped[draw_path(&test, drifts[i], &random, &at)]++;
		}
		for (size_t k = 0; k < 5; k++)
			assert_near((double)stopped[k] / PATHS, rejecting[k],
				    4 * sqrt(rejecting[k] * (1 - rejecting[k]) / PATHS) + 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spending),      cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_single_look),   cmocka_unit_test(test_other_looks),
		cmocka_unit_test(test_hopeless_look), cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
