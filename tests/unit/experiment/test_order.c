// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "experiment/order.h"
#include "model/experiment.h"

/* Which arm of a pair runs first. */
static int first_arm(uint64_t seed, size_t subject, int64_t pair)
{
	int order[ARM_MOST];

	order_draw(seed, subject, pair, 2, order);
	assert_int_equal(order[0] + order[1], ARM_A + ARM_B);
	return order[0];
}

/* A printed seed repeats an experiment with a later version, too. Computed outside, in Python. */
static void coins_of_a_seed_never_change(void **state)
{
	char coins[2][41] = {{0}, {0}};

	(void)state;
	for (size_t subject = 0; subject < 2; subject++) {
		for (int pair = 0; pair < 40; pair++)
			coins[subject][pair] = first_arm(4021, subject, pair) ? 'B' : 'A';
	}
	assert_string_equal(coins[0], "AAABBBBBAABABBABBBABBABAABBABABBBBBABBAA");
	assert_string_equal(coins[1], "AAAABAAABABBAABBBBBABBAAAABABAAAAAABBBAA");
}

static void coins_are_fair_and_independent(void **state)
{
	enum { SEEDS = 200, PAIRS = 40, SUBJECTS = 3 };
	int b = 0, like_the_last = 0, like_the_other = 0, like_the_next_seed = 0;
	const int coins = SEEDS * PAIRS * SUBJECTS;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		for (size_t subject = 0; subject < SUBJECTS; subject++) {
			for (int64_t pair = 0; pair < PAIRS; pair++) {
				int coin = first_arm(seed, subject, pair);

				assert_true(coin == ARM_A || coin == ARM_B);
				b += coin == ARM_B;
				like_the_last += coin == first_arm(seed, subject, pair + 1);
				like_the_other += coin == first_arm(seed, subject + 1, pair);
				like_the_next_seed += coin == first_arm(seed + 1, subject, pair);
			}
		}
	}
	/* Five standard deviations of 24 000 fair coins: 387. */
	assert_in_range(b, coins / 2 - 387, coins / 2 + 387);
	assert_in_range(like_the_last, coins / 2 - 387, coins / 2 + 387);
	assert_in_range(like_the_other, coins / 2 - 387, coins / 2 + 387);
	assert_in_range(like_the_next_seed, coins / 2 - 387, coins / 2 + 387);
}

/* Computed outside, in Python, as the coins. */
static void orders_of_a_seed_never_change(void **state)
{
	static const struct {
		int arms;
		size_t subject;
		const char *orders;
	} cases[] = {
		{3, 0, "BCA ABC BAC ABC ABC ACB BAC CBA CBA BCA ABC CBA "},
		{3, 1, "ACB BCA ACB BAC CBA CBA CAB ACB BCA ACB ACB ACB "},
		{4, 0, "DCAB ABCD DCAB BDCA DCBA DABC BDCA DBAC CDAB ADCB DBCA CDAB "},
		{4, 1, "ABCD ACDB DCAB ABCD CBDA ABCD DCAB BCAD BDAC ACBD CBDA CBDA "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char drawn[100] = "";

		for (int block = 0; block < 12; block++) {
			int order[ARM_MOST];

			order_draw(4021, cases[i].subject, block, cases[i].arms, order);
			for (int k = 0; k < cases[i].arms; k++)
				strcat(drawn, arm_words[order[k]]);
			strcat(drawn, " ");
		}
		assert_string_equal(drawn, cases[i].orders);
	}
}

/* All orders equally likely, also of those arms that are left when others have no part. */
static void orders_are_equally_likely(void **state)
{
	enum { BLOCKS = 24000, ORDERS = 24 };
	int counts[ORDERS] = {0}, of_three[6] = {0};
	double chi_square = 0, chi_square_of_three = 0;

	(void)state;
	for (int block = 0; block < BLOCKS; block++) {
		int order[ARM_MOST], rank = 0, left[3], lefts = 0, rank_of_three;

		order_draw(7, 0, block, 4, order);
		/* The number of an order: for each place how many later ones are smaller. */
		for (int i = 0; i < 4; i++) {
			int smaller = 0;

			for (int k = i + 1; k < 4; k++)
				smaller += order[k] < order[i];
			rank = rank * (4 - i) + smaller;
			if (order[i] != ARM_C)
				left[lefts++] = order[i];
		}
		counts[rank]++;
		rank_of_three =
			2 * ((left[1] < left[0]) + (left[2] < left[0])) + (left[2] < left[1]);
		of_three[rank_of_three]++;
	}
	for (int i = 0; i < ORDERS; i++)
		chi_square += pow(counts[i] - BLOCKS / 24.0, 2) / (BLOCKS / 24.0);
	for (int i = 0; i < 6; i++)
		chi_square_of_three += pow(of_three[i] - BLOCKS / 6.0, 2) / (BLOCKS / 6.0);
	/* R: qchisq(1 - 1e-6, 23) = 72.22, qchisq(1 - 1e-6, 5) = 35.89. */
	assert_true(chi_square < 72.22);
	assert_true(chi_square_of_three < 35.89);
}

static void a_coin_depends_on_nothing_before_it(void **state)
{
	int late = first_arm(7, 1, 39);

	(void)state;
	for (int64_t pair = 0; pair < 39; pair++)
		first_arm(7, 1, pair);
	assert_int_equal(first_arm(7, 1, 39), late);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coins_of_a_seed_never_change),
		cmocka_unit_test(coins_are_fair_and_independent),
		cmocka_unit_test(orders_of_a_seed_never_change),
		cmocka_unit_test(orders_are_equally_likely),
		cmocka_unit_test(a_coin_depends_on_nothing_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
