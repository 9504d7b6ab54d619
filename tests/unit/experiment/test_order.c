// SPDX-License-Identifier: GPL-2.0-or-later
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
		cmocka_unit_test(a_coin_depends_on_nothing_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
