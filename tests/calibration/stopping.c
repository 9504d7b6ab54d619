// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: stopping EXPERIMENTS SEED
 *
 * What looks on the way cost and save, as TAP: at most 40 pairs whose differences have an sd of
 * 1.5 %, normal and with heavy tails, decided by several rules; and the realistic scenario n with at
 * most 40 pairs of boots. Errors, power, pairs used, coverage and bias at the stop.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "check.h"
#include "scenario.h"
#include "stats/e_process.h"
#include "stats/paired.h"
#include "stats/sequential.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

enum { PAIRS = 40 };

static const double alpha = .05, sd = .015, margin = .02;

/* Each rule: after how many of PAIRS differences it rejects, 0 never. */
static size_t every_pair(const double *d)
{
	for (size_t n = 5; n <= PAIRS; n++)
		if (paired_test(d, n, alpha).p <= alpha)
			return n;
	return 0;
}

static size_t fixed_10(const double *d)
{
	return sign_flip_p(d, 10, 0) <= alpha ? 10 : 0;
}

static size_t fixed_40(const double *d)
{
	return paired_test(d, PAIRS, alpha).p <= alpha ? PAIRS : 0;
}

static size_t open_end(const double *d)
{
	struct sequential_plan plan = sequential_plan(0, 1);

	return sequential_rejected_at(&plan, d, PAIRS, 0, E_PROCESS_TWO_SIDED, alpha);
}

static size_t with_looks(const double *d)
{
	struct sequential_plan plan = sequential_plan(PAIRS, 1);

	return sequential_rejected_at(&plan, d, PAIRS, 0, E_PROCESS_TWO_SIDED, alpha);
}

struct rule {
	const char *name;
	size_t at_most; /* pairs when it does not reject */
	size_t (*decide)(const double *d);
};

enum { EVERY_PAIR, FIXED_10, FIXED_40, OPEN_END, WITH_LOOKS, RULES };

static const struct rule rules[RULES] = {
	[EVERY_PAIR] = {"t at 5 % after every pair from 5 on", PAIRS, every_pair},
	[FIXED_10] = {"10 pairs planned (sign-flip)", 10, fixed_10},
	[FIXED_40] = {"40 pairs planned (t)", PAIRS, fixed_40},
	[OPEN_END] = {"e-process alone", PAIRS, open_end},
	[WITH_LOOKS] = {"e-process and looks", PAIRS, with_looks},
};

struct noise {
	const char *name;
	double (*draw)(struct random *r); /* NULL: pairs of scenario n */
};

static const struct noise noises[] = {
	{"normal", scenario_normal},
	{"t with 3 df", scenario_heavy},
	{"scenario n", NULL},
};

struct counts {
	size_t rejected[RULES];
	size_t wrong; /* of the last rule: the other direction */
	size_t pairs[RULES];
	size_t covered, naively_covered;
	size_t cleared, cleared_pairs;
	size_t early; /* stopped before PAIRS */
	double early_mean, mean;
};

static void draw_pairs(const struct noise *noise, double effect, struct random *r, double d[PAIRS])
{
	static double a[SCENARIO_MOST_VALUES], b[SCENARIO_MOST_VALUES];
	const struct scenario *s = scenario_find('n');

	if (noise->draw) {
		for (size_t i = 0; i < PAIRS; i++)
			d[i] = log1p(effect) + sd * noise->draw(r);
		return;
	}
	scenario_draw(s, PAIRS, effect, r, a, b);
	for (size_t i = 0; i < PAIRS; i++)
		d[i] = log(summary_median(b + i * s->iterations, s->iterations) /
			   summary_median(a + i * s->iterations, s->iterations));
}

/* What is said where the rule with looks stopped. */
static void judge_stop(const double *d, size_t n, double effect, struct counts *c)
{
	struct sequential_plan plan = sequential_plan(PAIRS, 1);
	struct interval naive = paired_test(d, n, alpha).interval;
	double centre = log1p(effect), mean = summary_mean(d, n);

	/* The interval holds what the rule for d - centre has not rejected. */
	c->covered += !sequential_rejected_at(&plan, d, n, centre, E_PROCESS_TWO_SIDED, alpha);
	c->naively_covered += naive.low <= centre && centre <= naive.high;
	c->mean += mean - centre;
	if (n < PAIRS) {
		c->early++;
		c->early_mean += mean - centre;
	}
}

static void judge_margin(const double *d, struct counts *c)
{
	struct sequential_plan plan = sequential_plan(PAIRS, 1);
	size_t at =
		sequential_rejected_at(&plan, d, PAIRS, log1p(margin), E_PROCESS_SMALLER, alpha);

	c->cleared += at > 0;
	c->cleared_pairs += at ? at : PAIRS;
}

static struct counts simulate(size_t noise, double effect, size_t experiments, uint64_t seed)
{
	struct counts c = {0};
	struct random r;

	random_seed(&r, seed, noise * 1000 + (uint64_t)(effect * 1e4));
	for (size_t e = 0; e < experiments; e++) {
		double d[PAIRS];
		size_t at = 0;

		draw_pairs(&noises[noise], effect, &r, d);
		for (size_t rule = 0; rule < RULES; rule++) {
			at = rules[rule].decide(d);
			c.rejected[rule] += at > 0;
			c.pairs[rule] += at ? at : rules[rule].at_most;
		}
		c.wrong += at && summary_median(d, at) < 0 && effect > 0;
		judge_stop(d, at ? at : PAIRS, effect, &c);
		judge_margin(d, &c);
	}
	return c;
}

static void print_counts(const struct counts *c, double effect, size_t experiments)
{
	double n = (double)experiments;

	printf("# at %+.1f %%:\n", 100 * effect);
	for (size_t rule = 0; rule < RULES; rule++)
		printf("#   %-36s rejects %6.2f %%, pairs %5.1f\n", rules[rule].name,
		       100 * (double)c->rejected[rule] / n, (double)c->pairs[rule] / n);
	printf("#   at its stop: coverage %.2f %% (paired t %.2f %%), mean off by %+.3f points, "
	       "%+.3f in the %.0f %% that stopped early\n",
	       100 * (double)c->covered / n, 100 * (double)c->naively_covered / n,
	       100 * c->mean / n, c->early ? 100 * c->early_mean / (double)c->early : 0,
	       100 * (double)c->early / n);
	printf("#   worse by 2 %% or more is excluded in %.2f %%, pairs %.1f\n",
	       100 * (double)c->cleared / n, (double)c->cleared_pairs / n);
	fflush(stdout);
}

static void check_counts(const struct noise *noise, double effect, const struct counts *c,
			 size_t experiments)
{
	const double n = (double)experiments;
	char what[120];

	snprintf(what, sizeof(what), "%s, %+.1f %%", noise->name, 100 * effect);
	printf("# %s\n", what);
	if (effect == 0) {
		check_at_most("false positives with looks", c->rejected[WITH_LOOKS], experiments,
			      .05);
		if (noise->draw == scenario_normal)
			check_at_least("and they are not given away", c->rejected[WITH_LOOKS],
				       experiments, .03);
		check_at_most("false positives of the e-process", c->rejected[OPEN_END],
			      experiments, .05);
		check_at_least("a test after every pair has many", c->rejected[EVERY_PAIR],
			       experiments, .15);
	} else {
		check_at_most("wrong direction", c->wrong, experiments, .025);
	}
	check_at_least("coverage at the stop", c->covered, experiments, .94);
	if (effect == margin)
		check_at_most("cleared at the margin, with looks", c->cleared, experiments, .055);
	if (noise->draw != scenario_normal)
		return;
	if (effect == 0)
		check_at_least("cleared at zero", c->cleared, experiments, .99);
	if (effect == .01) {
		check_at_least("+1 % is found", c->rejected[WITH_LOOKS], experiments, .95);
		check_value_at_most("pairs for it", (double)c->pairs[WITH_LOOKS] / n, 26);
	}
	if (effect == .02)
		check_value_at_most("pairs for +2 %", (double)c->pairs[WITH_LOOKS] / n, 12);
	if (effect == .05)
		check_value_at_most("pairs for +5 %", (double)c->pairs[WITH_LOOKS] / n, 8);
}

int main(int argc, char **argv)
{
	static const double effects[] = {0, .005, .01, .02, .05};
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc != 3 || !experiments) {
		fprintf(stderr, "usage: stopping EXPERIMENTS SEED\n");
		return 2;
	}
	printf("# seed %llu, %zu experiments each: standard error %.2f points at 5 %%\n",
	       (unsigned long long)seed, experiments, 100 * sqrt(.05 * .95 / (double)experiments));
	for (size_t noise = 0; noise < sizeof(noises) / sizeof(*noises); noise++) {
		printf("#\n# at most %d pairs, %s\n", PAIRS, noises[noise].name);
		for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++) {
			struct counts c = simulate(noise, effects[i], experiments, seed);

			print_counts(&c, effects[i], experiments);
			check_counts(&noises[noise], effects[i], &c, experiments);
		}
	}
	return check_finish();
}
