// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/need.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "stats/forecast.h"
#include "stats/plan.h"
#include "stats/sequential.h"

static struct need need_by(int rule, size_t max_pairs, double level)
{
	return (struct need){.rule = rule, .max_pairs = max_pairs, .level = level, .power = .8};
}

static void test_least(void **state)
{
	/* 2/2^6 = .031, 2/2^7 = .016, 2/2^9 = .0039; E is 20.1 after six and 38.4 after seven. */
	static const struct {
		double level;
		size_t fixed, looks, open;
	} levels[] = {{.05, 6, 7, 6}, {.025, 7, 9, 8}, {.005, 9, 11, 10}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct need fixed = need_by(NEED_FIXED, 0, levels[i].level);
		struct need looks = need_by(NEED_LOOKS, 40, levels[i].level);
		struct need open = need_by(NEED_OPEN, 0, levels[i].level);

		assert_int_equal(need_least(&fixed), levels[i].fixed);
		assert_int_equal(need_least(&looks), levels[i].looks);
		assert_int_equal(need_least(&open), levels[i].open);
		/* However large the effect is. */
		assert_int_equal(need_pairs(&fixed, 1e6, 1), levels[i].fixed);
		assert_int_equal(need_pairs(&open, 1e6, 1), levels[i].open);
		assert_int_equal(need_pairs(&fixed, 1, 0), levels[i].fixed);
		assert_int_equal(need_pairs(&looks, 1, 0), levels[i].looks);
	}
}

static void test_rules(void **state)
{
	struct need fixed = need_by(NEED_FIXED, 0, .05), looks = need_by(NEED_LOOKS, 40, .05);
	struct need open = need_by(NEED_OPEN, 0, .05);

	(void)state;
	/* Method (h): 1.5 % for 1 %, and 2 % for 1 % with 80 % power. */
	assert_int_equal(need_pairs(&fixed, 1, 1.5), 20);
	assert_int_equal(need_pairs(&fixed, -1, 2), 34);
	assert_int_equal(need_pairs(&open, 1, 1.5), forecast_open_pairs(1, 1.5, .05, .8));
	/* Of 40 the looks see 1 % at 1.5 %, and have seen it before the last. */
	assert_true(forecast(40, 1, 1.5, .05).power > .8);
	assert_int_equal(need_pairs(&looks, 1, 1.5), forecast_pairs(40, 1, 1.5, .05, .8));
	assert_in_range(need_pairs(&looks, 1, 1.5), 20, 40);
	/* They do not see it at 2 %: the e-process goes on alone, with what is its own of alpha. */
	assert_true(forecast(40, 1, 2.2, .05).power < .8);
	assert_int_equal(need_pairs(&looks, 1, 2.2),
			 forecast_open_pairs(1, 2.2, .05 * SEQUENTIAL_E_PROCESS_SHARE, .8));
	/* That takes more than the maximum in any case. */
	looks.max_pairs = 12;
	assert_true(forecast(12, 1, 1.1, .05).power < .8);
	assert_true(need_pairs(&looks, 1, 1.1) > 12);
	/* An effect that is none, or that no bet is small enough for, is never seen. */
	assert_int_equal(need_pairs(&fixed, 0, 1), 0);
	assert_int_equal(need_pairs(&open, .2, 1), 0);
	assert_int_equal(need_pairs(&fixed, 1e-6, 1), 0);
}

static void test_more(void **state)
{
	static const struct metric metric = {.better = BETTER_LOWER};
	struct metric_verdict v = {
		.metric = &metric,
		.pairs = 8,
		.scale = SCALE_LOG,
		.rule = RULE_SIGN_FLIP,
		.spread = .015,
		.level = .05,
		.comparisons = 1,
	};
	const double d[] = {.01, .01, .01, .01, .01, .01, .01, .01};

	(void)state;
	/* The estimate decides, or the margin where that is larger. */
	assert_int_equal(need_more_pairs(&v, d, .002), 20 - 8);
	assert_int_equal(need_more_pairs(&v, d, .02), 1);
	v.comparisons = 2;
	assert_int_equal(need_more_pairs(&v, d, .002),
			 plan_pairs_for_effect(.01, .015, .025, .8) - 8);
	v.comparisons = 1;
	v.rule = RULE_E_PROCESS;
	assert_int_equal(need_more_pairs(&v, d, .002), forecast_open_pairs(.01, .015, .05, .8) - 8);
	v.rule = RULE_SEQUENTIAL;
	v.plan = sequential_plan(40, 1);
	v.looks_spent = 1;
	assert_int_equal(need_more_pairs(&v, d, .002), forecast_pairs(40, .01, .015, .05, .8) - 8);
	/* With the looks behind only the e-process is left, at its share. */
	sequential_plan_end(&v.plan, 8);
	v.rule = RULE_SEQUENTIAL_END;
	assert_int_equal(need_more_pairs(&v, d, .002),
			 forecast_open_pairs(.01, .015, .05 * SEQUENTIAL_E_PROCESS_SHARE, .8) - 8);
	/* One pair has no spread. */
	v.plan = sequential_plan(40, 1);
	v.rule = RULE_SEQUENTIAL;
	v.looks_spent = 0;
	v.pairs = 1;
	v.spread = NAN;
	assert_int_equal(need_more_pairs(&v, d, .002), 7 - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
