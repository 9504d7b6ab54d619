// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/forecast.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/random.h"
#include "near.h"
#include "stats/e_process.h"
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
		/*
		 * Three standard errors of the simulation below, and five points for the rest
		 * above.
		 */
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

/* By which look that share has rejected, and the smallest effect for a number of pairs. */
static void test_pairs(void **state)
{
	(void)state;
	for (double effect = .6; effect < 1.3; effect += .2) {
		size_t by = forecast_pairs(40, effect, 1, .05, .8);

		assert_true(by > 0 && by <= 40);
		/* No more than this many are ever needed, and half of them hardly ever. */
		assert_true(by <= 40 && (double)by >= forecast(40, effect, 1, .05).pairs / 2);
	}
	/* At the first look, of 8 pairs, the share is below 2/2^8: no pattern can be rejected. */
	assert_int_equal(forecast_pairs(20, 100, 1, .05, .8), 12);
	assert_int_equal(forecast_pairs(40, .2, 1, .05, .8), 0);
	for (size_t pairs = 10; pairs <= 80; pairs *= 2) {
		double effect = forecast_detectable_effect(pairs, 1, .05, .8);

		assert_near(forecast(pairs, effect, 1, .05).power, .8, 1e-6);
		assert_near(forecast_detectable_effect(pairs, 3, .05, .8), 3 * effect, 1e-9);
		/* Looks cost something, though not much. */
		assert_true(effect > plan_detectable_effect(pairs, 1, .05, .8));
		assert_true(effect < 1.25 * plan_detectable_effect(pairs, 1, .05, .8));
	}
	assert_near(forecast_detectable_effect(5, 1, .05, .8), INFINITY, 0);
}

/* After how many pairs the e-process rejected in four of five experiments. */
static size_t simulate_open(double effect, double alpha, struct random *random)
{
	enum { EXPERIMENTS = 1000, PAIRS = 200 };
	size_t by_pairs[PAIRS + 1] = {0}, rejected = 0, pairs = 0;

	for (int e = 0; e < EXPERIMENTS; e++) {
		struct e_process process __cleanup(e_process_done) = {0};

		e_process_init(&process, 0, E_PROCESS_TWO_SIDED);
		while (process.n < PAIRS && e_process_max(&process) < 1 / alpha)
			e_process_push(&process, effect + draw_normal(random));
		by_pairs[e_process_max(&process) < 1 / alpha ? 0 : process.n]++;
	}
	while (rejected < EXPERIMENTS * 8 / 10 && pairs < PAIRS)
		rejected += by_pairs[++pairs];
	return pairs;
}

static void test_open(void **state)
{
	static const double effects[] = {.5, .7, 1, 1.5, 2, 4};
	static const double alphas[] = {.05, .005};
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (size_t i = 0; i < 6; i++) {
		for (size_t k = 0; k < 2; k++) {
			size_t seen = simulate_open(effects[i], alphas[k], &random);
			size_t planned = forecast_open_pairs(effects[i], 1, alphas[k], .8);

			printf("# effect %.1f sd at %g: %zu pairs, forecast %zu\n", effects[i],
			       alphas[k], seen, planned);
			assert_true((double)planned >= .85 * (double)seen - 1);
			assert_true((double)planned <= 1.1 * (double)seen + 1);
			assert_int_equal(forecast_open_pairs(-3 * effects[i], 3, alphas[k], .8),
					 planned);
		}
	}
	/* E is 20.1 after six differences that are all alike: 1/8 sum (1 + tanh lambda)^6. */
	assert_int_equal(forecast_open_pairs(1e6, 1, .05, .8), 6);
	assert_int_equal(forecast_open_pairs(1e6, 1, 1 / 20.2, .8), 7);
	/* Below about .3 sd the smallest bet loses on average. */
	assert_int_equal(forecast_open_pairs(.2, 1, .05, .8), 0);
	assert_int_equal(forecast_open_pairs(0, 1, .05, .8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_rule),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
