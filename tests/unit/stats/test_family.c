// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/family.h"

#include <math.h>

#include "base/random.h"
#include "near.h"

static void test_worked(void **state)
{
	/* Method (f), and the same in another order. */
	const double p[] = {.001, .008, .012, .021, .035, .041, .09, .2, .45, .8};
	const double holm[] = {.01, .072, .096, .147, .21, .21, .36, .6, .9, .9};
	double mixed[10], adjusted[10];

	(void)state;
	family_adjust_holm(p, 10, adjusted);
	for (size_t i = 0; i < 10; i++)
		assert_near(adjusted[i], holm[i], 1e-15);
	for (size_t i = 0; i < 10; i++)
		mixed[i] = p[i * 7 % 10];
	family_adjust_holm(mixed, 10, mixed);
	for (size_t i = 0; i < 10; i++)
		assert_near(mixed[i], holm[i * 7 % 10], 1e-15);
}

static void test_benjamini_hochberg(void **state)
{
	/* Method (f), and the same in another order. */
	const double p[] = {.001, .008, .012, .021, .035, .041, .09, .2, .45, .8};
	const double bh[] = {.01, .04, .04, .0525, .41 / 6, .41 / 6, .9 / 7, .25, .5, .8};
	double mixed[10], adjusted[10];

	(void)state;
	family_adjust_benjamini_hochberg(p, 10, adjusted);
	for (size_t i = 0; i < 10; i++)
		assert_near(adjusted[i], bh[i], 1e-15);
	assert_digits(adjusted[4], .0683333, 6);
	assert_digits(adjusted[6], .128571, 6);
	for (size_t i = 0; i < 10; i++)
		mixed[i] = p[i * 7 % 10];
	family_adjust_benjamini_hochberg(mixed, 10, mixed);
	for (size_t i = 0; i < 10; i++)
		assert_near(mixed[i], bh[i * 7 % 10], 1e-15);
	family_adjust_benjamini_hochberg(mixed, 0, mixed);
	mixed[0] = 1;
	family_adjust_benjamini_hochberg(mixed, 1, mixed);
	assert_near(mixed[0], 1, 0);
}

static void test_edges(void **state)
{
	double p[] = {.5, 0, 1, .5, .5};

	(void)state;
	family_adjust_holm(p, 0, p);
	family_adjust_holm(p, 1, p);
	assert_near(p[0], .5, 0);
	family_adjust_holm(p, 5, p);
	assert_near(p[1], 0, 0);
	assert_near(p[0], 1, 0);
	assert_near(p[2], 1, 0);
}

static void test_ties(void **state)
{
	double p[] = {.01, .01, .01, .04};

	(void)state;
	family_adjust_holm(p, 4, p);
	for (size_t i = 0; i < 3; i++)
		assert_near(p[i], .04, 1e-16);
	assert_near(p[3], .04, 1e-16);
}

/* ---- groups ---- */

enum { GROUPS = 3, MEMBERS = 3, HYPOTHESES = GROUPS * MEMBERS };

/* The p of each set of a group's members; of sets of one as they are, of others anything. */
struct groups {
	double p[GROUPS][1 << MEMBERS];
};

/* Closed testing by going through all intersections, which is what the shortcut leaves out. */
static void adjust_by_all_sets(const struct groups *g, double *ret)
{
	for (int i = 0; i < HYPOTHESES; i++)
		ret[i] = 0;
	for (int sets = 1; sets < 1 << HYPOTHESES; sets++) {
		double smallest = 1;
		int groups = 0;

		for (int k = 0; k < GROUPS; k++) {
			int own = sets >> (k * MEMBERS) & ((1 << MEMBERS) - 1);

			if (!own)
				continue;
			groups++;
			smallest = fmin(smallest, g->p[k][own]);
		}
		for (int i = 0; i < HYPOTHESES; i++)
			if (sets >> i & 1)
				ret[i] = fmax(ret[i], fmin(1, groups * smallest));
	}
}

static void groups_are_closed_testing(void **state)
{
	struct random r;

	(void)state;
	random_seed(&r, 3, 0);
	for (int round = 0; round < 50; round++) {
		double within[HYPOTHESES], adjusted[HYPOTHESES], wanted[HYPOTHESES];
		size_t group[HYPOTHESES];
		struct groups g;

		for (int k = 0; k < GROUPS; k++)
			for (int set = 1; set < 1 << MEMBERS; set++)
				g.p[k][set] = pow(random_unit(&r), 3);
		for (int i = 0; i < HYPOTHESES; i++) {
			group[i] = (size_t)i / MEMBERS;
			within[i] = 0;
			for (int set = 1; set < 1 << MEMBERS; set++)
				if (set >> (i % MEMBERS) & 1)
					within[i] = fmax(within[i], g.p[group[i]][set]);
		}
		adjust_by_all_sets(&g, wanted);
		family_adjust_groups(within, group, HYPOTHESES, adjusted);
		for (int i = 0; i < HYPOTHESES; i++)
			assert_near(adjusted[i], wanted[i], 1e-15);
	}
}

static void groups_at_the_extremes(void **state)
{
	static const double p[] = {.01, .04, .03, .005, .3};
	static const size_t alone[] = {0, 1, 2, 3, 4}, together[] = {0, 0, 0, 0, 0};
	double adjusted[5], holm[5];

	(void)state;
	family_adjust_holm(p, 5, holm);
	family_adjust_groups(p, alone, 5, adjusted);
	for (int i = 0; i < 5; i++)
		assert_near(adjusted[i], holm[i], 1e-15);
	family_adjust_groups(p, together, 5, adjusted);
	for (int i = 0; i < 5; i++)
		assert_near(adjusted[i], p[i], 0);
	family_adjust_groups(p, alone, 1, adjusted);
	assert_near(adjusted[0], p[0], 0);
	family_adjust_groups(p, alone, 0, adjusted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_benjamini_hochberg),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(groups_are_closed_testing),
		cmocka_unit_test(groups_at_the_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
