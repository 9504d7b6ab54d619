// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: tails EXPERIMENTS SEED
 *
 * Quantiles of latencies, as TAP: ten boots an arm, a thousand operations each, of which about one
 * in a hundred takes a slow path; how many do differs from boot to boot. The judge on p50 to max as
 * figures of runs, beside an interval for the quantile of all operations pooled; false positives,
 * and what is seen when B's slow path alone is slower.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "judged.h"
#include "scenario.h"
#include "stats/distribution.h"
#include "stats/quantiles.h"
#include "stats/sign_flip.h"

enum { BOOTS = 10, OPERATIONS = 1000, POOLED = BOOTS * OPERATIONS };

static const double alpha = .05;

/* 1 stands for the maximum. */
static const double quantiles[] = {.5, .95, .99, .999, 1};
static const char *const names[] = {"p50", "p95", "p99", "p99.9", "max"};

enum { QUANTILES = sizeof(quantiles) / sizeof(*quantiles) };

/* Of B's slow path alone. */
static const double slower[] = {1, 1.3};

enum { NO_SHIFT, SHIFT, SHIFTS };

struct counts {
	size_t judged[QUANTILES], pooled[QUANTILES], wrong[QUANTILES];
};

static void draw_boot(double slow, struct random *r, double ret_x[OPERATIONS])
{
	/* Log-normal, CV 40 %. */
	const double sigma = sqrt(log1p(.4 * .4));
	double level = 1 + .01 * scenario_normal(r);
	double share = .01 * exp(sigma * scenario_normal(r) - sigma * sigma / 2);

	for (size_t i = 0; i < OPERATIONS; i++) {
		double x = level * exp(.1 * scenario_normal(r));

		if (random_unit(r) < share)
			x *= slow * 3 * exp(.3 * scenario_normal(r));
		ret_x[i] = x;
	}
}

/* The figures of a run: each quantile. */
static void measure(const double *x, size_t n, double ret[QUANTILES])
{
	struct quantile list[QUANTILES - 1];
	struct quantiles all;

	for (size_t q = 0; q < QUANTILES - 1; q++)
		list[q].q = quantiles[q];
	quantiles_find(x, n, 1 - alpha, list, QUANTILES - 1, &all);
	for (size_t q = 0; q < QUANTILES - 1; q++)
		ret[q] = list[q].value;
	ret[QUANTILES - 1] = all.max;
}

/* z of the quantiles of all operations, with standard errors from their order statistics. */
static bool pooled_rejects(const double *a, const double *b, double q)
{
	struct quantile of[2] = {{.q = q}, {.q = q}};
	double reach = distribution_normal_critical(alpha / 2), errors = 0;

	quantiles_find(a, POOLED, 1 - alpha, &of[0], 1, NULL);
	quantiles_find(b, POOLED, 1 - alpha, &of[1], 1, NULL);
	for (int arm = 0; arm < 2; arm++) {
		double error = (of[arm].interval.high - of[arm].interval.low) / 2 / reach;

		errors += error * error;
	}
	return fabs(of[1].value - of[0].value) > reach * sqrt(errors);
}

static struct counts simulate(double slow, size_t experiments, struct random *r)
{
	static double x[2][POOLED];
	double figures[2][QUANTILES][BOOTS];
	struct counts c = {0};

	for (size_t e = 0; e < experiments; e++) {
		for (int arm = 0; arm < 2; arm++)
			for (size_t boot = 0; boot < BOOTS; boot++) {
				double run[QUANTILES];

				draw_boot(arm ? slow : 1, r, x[arm] + boot * OPERATIONS);
				measure(x[arm] + boot * OPERATIONS, OPERATIONS, run);
				for (size_t q = 0; q < QUANTILES; q++)
					figures[arm][q][boot] = run[q];
			}
		for (size_t q = 0; q < QUANTILES; q++) {
			struct judgement *j __free(judgement) = judged(
				PLAN_PAIRS, BOOTS, figures[0][q], figures[1][q], BOOTS, JUDGE_END);
			int claim = judged_claim(&j->comparisons[0].metrics[0]);

			c.judged[q] += slow > 1 ? claim > 0 : claim != 0;
			c.wrong[q] += slow > 1 && claim < 0;
			/* The maximum is no quantile of all. */
			c.pooled[q] += quantiles[q] < 1 && pooled_rejects(x[0], x[1], quantiles[q]);
		}
	}
	return c;
}

static void print_counts(const char *title, const struct counts *c, size_t experiments)
{
	printf("# %s, %%\n# %-30s", title, "");
	for (size_t q = 0; q < QUANTILES; q++)
		printf("%7s", names[q]);
	printf("\n# %-30s", "contend, pairs planned");
	for (size_t q = 0; q < QUANTILES; q++)
		printf("%7.1f", 100 * (double)c->judged[q] / (double)experiments);
	printf("\n# %-30s", "z of the pooled operations");
	for (size_t q = 0; q < QUANTILES - 1; q++)
		printf("%7.1f", 100 * (double)c->pooled[q] / (double)experiments);
	printf("%7s\n", "-");
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	struct counts results[SHIFTS];
	struct random r;
	char what[100];

	if (argc != 3 || !experiments) {
		fprintf(stderr, "usage: tails EXPERIMENTS SEED\n");
		return 2;
	}
	json_use_memory();
	for (int shift = 0; shift < SHIFTS; shift++) {
		random_seed(&r, seed, (uint64_t)shift);
		results[shift] = simulate(slower[shift], experiments, &r);
	}
	printf("# seed %llu, %zu experiments, ten boots an arm x a thousand operations: standard "
	       "error %.1f points at 5 %%\n",
	       (unsigned long long)seed, experiments, 100 * sqrt(.05 * .95 / (double)experiments));
	print_counts("false positives: no difference", &results[NO_SHIFT], experiments);
	print_counts("power: B's slow path 30 % slower", &results[SHIFT], experiments);
	for (size_t q = 0; q < QUANTILES; q++) {
		snprintf(what, sizeof(what), "%s: false positives", names[q]);
		check_at_most(what, results[NO_SHIFT].judged[q], experiments, .055);
		snprintf(what, sizeof(what), "%s: attained level", names[q]);
		check_near(what, results[NO_SHIFT].judged[q], experiments,
			   sign_flip_attained_level(BOOTS, alpha));
		snprintf(what, sizeof(what), "%s: wrong direction", names[q]);
		check_at_most(what, results[SHIFT].wrong[q], experiments, .025);
	}
	/* The faults of pooling are in the data, and the tail is where the difference is. */
	check_at_least("p99 of the pooled operations: false positives", results[NO_SHIFT].pooled[2],
		       experiments, .15);
	check_at_most("p50: nothing is seen of the slow path", results[SHIFT].judged[0],
		      experiments, .055);
	check_at_least("p99.9: the slow path is seen", results[SHIFT].judged[3], experiments, .4);
	return check_finish();
}
