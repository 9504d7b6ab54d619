// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/forecast.h"

#include <stdio.h>

#include "base/random.h"
#include "near.h"
#include "stats/plan.h"
#include "stats/sequential.h"

static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Against the rule itself: what the e-process adds on top is small where the effect is. */
static void test_against_rule(void **state)
{
	enum { EXPERIMENTS = 150, PAIRS = 20 };
	static const double effects[] = {.4, .7, 1};
	struct sequential_plan plan = sequential_plan(PAIRS, 1);
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (size_t i = 0; i < 3; i++) {
		struct forecast f = forecast(PAIRS, effects[i], 1, .05);
		size_t rejected = 0, pairs = 0;

		for (int e = 0; e < EXPERIMENTS; e++) {
			double d[PAIRS];
			size_t at;

			for (size_t k = 0; k < PAIRS; k++)
				d[k] = effects[i] + draw_normal(&random);
			at = sequential_rejected_at(&plan, d, PAIRS, 0, E_PROCESS_TWO_SIDED, .05);
			rejected += at > 0;
			pairs += at ? at : PAIRS;
		}
		printf("# effect %.1f sd: power %.1f %%, forecast %.1f %%; pairs %.1f, forecast %.1f\n",
		       effects[i], 100. * rejected / EXPERIMENTS, 100 * f.power,
		       (double)pairs / EXPERIMENTS, f.pairs);
		/* Three standard errors of the simulation below, and five points for the rest above. */
		assert_true((double)rejected / EXPERIMENTS >= f.power - .12);
		assert_true((double)rejected / EXPERIMENTS <= f.power + .12 + .05);
		assert_true((double)pairs / EXPERIMENTS <= f.pairs + 1);
	}
}

static void test_limits(void **state)
{
	(void)state;
	/* Nothing but false alarms: at most those of the looks. */
	assert_true(forecast(40, 0, 1, .05).power < .05 * (1 - SEQUENTIAL_E_PROCESS_SHARE));
	assert_true(forecast(40, 0, 1, .05).power > .01);
	assert_near(forecast(40, 100, 1, .05).power, 1, 1e-9);
	assert_near(forecast(40, -.5, 1, .05).power, forecast(40, .5, 1, .05).power, 1e-9);
	/* Looks cost more pairs at most, and fewer on average, than a number planned before. */
	for (double effect = .3; effect < 1.3; effect += .2) {
		size_t fixed = plan_pairs_for_effect(effect, 1, .05, .8);
		size_t most = forecast_max_pairs(effect, 1, .05, .8);

		assert_true(most > fixed && most < 2 * fixed + 6);
		assert_true(forecast(most, effect, 1, .05).power >= .8);
		assert_true(forecast(most, effect, 1, .05).pairs < 1.1 * (double)fixed + 6);
	}
	assert_int_equal(forecast_max_pairs(.001, 1, .05, .8), 0);
	assert_int_equal(forecast_max_pairs(0, 1, .05, .8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_rule),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
