// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/family.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),
		cmocka_unit_test(test_benjamini_hochberg),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
