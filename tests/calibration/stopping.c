// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: stopping EXPERIMENTS BOOTED SEED
 *
 * What looks on the way cost and save, as TAP: at most 40 pairs whose differences have an sd of
 * 1.5 %, normal and with heavy tails, decided by several rules, EXPERIMENTS for each effect; and at
 * most 40 pairs of boots of the scenarios in which the level is promised, BOOTED for each; twice as
 * many without an effect. Errors, power, pairs used, coverage and bias at the stop.
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

/* Where differences come from: made-up noise, or pairs of boots of a scenario. */
struct source {
	const char *name;
	double (*draw)(struct random *r);
	char scenario;
	double power; /* with looks at +2 %, at least; 100 % is what is that when it is rounded */
};

static const struct source sources[] = {
	{"normal", scenario_normal, .power = .995},
	{"t with 3 df", scenario_heavy, .power = .995},
	{"a", .scenario = 'a', .power = .995},
	{"b", .scenario = 'b'},
	{"d", .scenario = 'd', .power = .995},
	{"f", .scenario = 'f'},
	{"g", .scenario = 'g'},
	{"h", .scenario = 'h', .power = .95},
	{"i", .scenario = 'i'},
	{"j", .scenario = 'j'},
	{"m", .scenario = 'm', .power = .995},
	{"n", .scenario = 'n', .power = .75},
};

enum { SOURCES = sizeof(sources) / sizeof(*sources) };

static const double effects[] = {0, .005, .01, .02, .05};

enum { EFFECTS = sizeof(effects) / sizeof(*effects) };

struct counts {
	size_t rejected[RULES];
	size_t wrong; /* of the last rule: the other direction */
	size_t pairs[RULES];
	size_t covered, naively_covered;
	size_t cleared, cleared_pairs;
	size_t early; /* stopped before PAIRS */
	double early_mean, mean;
	double variance, whole_variance; /* of d, sums: at the stop, and of all PAIRS */
	size_t experiments;		 /* 0: not simulated */
};

static struct counts results[SOURCES][EFFECTS];

static void draw_pairs(const struct source *source, double effect, struct random *r,
		       double d[PAIRS])
{
	static double a[SCENARIO_MOST_VALUES], b[SCENARIO_MOST_VALUES];
	const struct scenario *s;

	if (source->draw) {
		for (size_t i = 0; i < PAIRS; i++)
			d[i] = log1p(effect) + sd * source->draw(r);
		return;
	}
	s = scenario_find(source->scenario);
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
	c->variance += pow(summary_sd(d, n), 2);
	c->whole_variance += pow(summary_sd(d, PAIRS), 2);
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

static void simulate(size_t source, size_t effect, size_t experiments, uint64_t seed)
{
	struct counts *c = &results[source][effect];
	double size = effects[effect];
	struct random r;

	c->experiments = experiments;
	random_seed(&r, seed, source * 1000 + effect);
	for (size_t e = 0; e < experiments; e++) {
		double d[PAIRS];
		size_t at = 0;

		draw_pairs(&sources[source], size, &r, d);
		for (size_t rule = 0; rule < RULES; rule++) {
			at = rules[rule].decide(d);
			c->rejected[rule] += at > 0;
			c->pairs[rule] += at ? at : rules[rule].at_most;
		}
		c->wrong += at && summary_median(d, at) < 0 && size > 0;
		judge_stop(d, at ? at : PAIRS, size, c);
		judge_margin(d, c);
	}
}

static void print_counts(size_t source, size_t effect)
{
	const struct counts *c = &results[source][effect];
	double n = (double)c->experiments;

	printf("# %s, %+.1f %%:\n", sources[source].name, 100 * effects[effect]);
	for (size_t rule = 0; rule < RULES; rule++)
		printf("#   %-36s rejects %6.2f %%, pairs %5.1f\n", rules[rule].name,
		       100 * (double)c->rejected[rule] / n, (double)c->pairs[rule] / n);
	printf("#   at its stop: coverage %.2f %% (paired t %.2f %%), mean off by %+.3f points, "
	       "%+.3f in the %.0f %% that stopped early\n",
	       100 * (double)c->covered / n, 100 * (double)c->naively_covered / n,
	       100 * c->mean / n, c->early ? 100 * c->early_mean / (double)c->early : 0,
	       100 * (double)c->early / n);
	/* Root mean squares: the sd of a few values is low by itself, their variance is not. */
	printf("#   sd of the pairs at its stop: %.3f of that of all %d\n",
	       sqrt(c->variance / c->whole_variance), PAIRS);
	printf("#   worse by 2 %% or more is excluded in %.2f %%, pairs %.1f\n",
	       100 * (double)c->cleared / n, (double)c->cleared_pairs / n);
	fflush(stdout);
}

/* `count` of them at most or at least, for one source and effect. */
static void at_most(size_t source, size_t effect, const char *what, size_t count, double bound)
{
	char text[120];

	snprintf(text, sizeof(text), "%s, %+.1f %%: %s", sources[source].name,
		 100 * effects[effect], what);
	check_at_most(text, count, results[source][effect].experiments, bound);
}

static void at_least(size_t source, size_t effect, const char *what, size_t count, double bound)
{
	char text[120];

	snprintf(text, sizeof(text), "%s, %+.1f %%: %s", sources[source].name,
		 100 * effects[effect], what);
	check_at_least(text, count, results[source][effect].experiments, bound);
}

/* How much the spread at the stop is too small, by which docs/planning.md has it planned. */
static void check_spread(size_t source, size_t effect)
{
	const struct counts *c = &results[source][effect];
	char text[120];

	if (sources[source].scenario)
		return;
	snprintf(text, sizeof(text), "%s, %+.1f %%: sd of all pairs by that at the stop",
		 sources[source].name, 100 * effects[effect]);
	check_value_at_most(text, sqrt(c->whole_variance / c->variance), 1.2);
}

/* What is promised everywhere. */
static void check_errors(size_t source, size_t effect)
{
	const struct counts *c = &results[source][effect];

	if (effects[effect] == 0) {
		at_most(source, effect, "false positives with looks", c->rejected[WITH_LOOKS],
			.055);
		at_most(source, effect, "false positives of the e-process", c->rejected[OPEN_END],
			.055);
		at_least(source, effect, "a test after every pair has many",
			 c->rejected[EVERY_PAIR], .15);
	} else {
		at_most(source, effect, "wrong direction", c->wrong, .025);
	}
	at_least(source, effect, "coverage at the stop", c->covered, .94);
	check_spread(source, effect);
	if (effects[effect] == margin) {
		at_most(source, effect, "cleared at the margin, with looks", c->cleared, .055);
		if (sources[source].power > 0)
			at_least(source, effect, "power with looks", c->rejected[WITH_LOOKS],
				 sources[source].power);
	}
}

/* Of normal noise. */
static void check_pairs(size_t effect)
{
	static const struct {
		double effect, pairs;
	} most[] = {{.01, 26}, {.02, 12}, {.05, 8}};
	const struct counts *c = &results[0][effect];
	char text[120];

	if (effects[effect] == 0) {
		at_most(0, effect, "false positives with looks, at most alpha",
			c->rejected[WITH_LOOKS], .05);
		at_least(0, effect, "cleared", c->cleared, .99);
	}
	if (effects[effect] == .01)
		at_least(0, effect, "power with looks", c->rejected[WITH_LOOKS], .95);
	for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
		if (effects[effect] != most[i].effect)
			continue;
		snprintf(text, sizeof(text), "normal, %+.1f %%: pairs on average",
			 100 * effects[effect]);
		check_value_at_most(text, (double)c->pairs[WITH_LOOKS] / (double)c->experiments,
				    most[i].pairs);
	}
}

/* All sources together, which says more than each for itself. */
static void check_together(void)
{
	size_t experiments = 0, rejected = 0, covered = 0, all = 0, cleared = 0, margins = 0;

	for (size_t source = 0; source < SOURCES; source++) {
		for (size_t effect = 0; effect < EFFECTS; effect++) {
			const struct counts *c = &results[source][effect];

			all += c->experiments;
			covered += c->covered;
			if (effects[effect] == 0) {
				experiments += c->experiments;
				rejected += c->rejected[WITH_LOOKS];
			} else if (effects[effect] == margin) {
				margins += c->experiments;
				cleared += c->cleared;
			}
		}
	}
	/* The rule holds alpha itself, not a little more. */
	check_at_most("all sources: false positives with looks", rejected, experiments, alpha);
	check_at_least("all sources: and they are not given away", rejected, experiments, .03);
	check_at_least("all sources: coverage at the stop", covered, all, .94);
	check_at_most("all sources: cleared at the margin, with looks", cleared, margins, .055);
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	size_t booted = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;

	if (argc != 4 || !experiments || !booted) {
		fprintf(stderr, "usage: stopping EXPERIMENTS BOOTED SEED\n");
		return 2;
	}
	printf("# seed %llu; standard error at 5 %%: %.2f points of %zu experiments, %.2f of %zu\n",
	       (unsigned long long)seed, 100 * sqrt(.05 * .95 / (double)experiments), experiments,
	       100 * sqrt(.05 * .95 / (double)booted), booted);
	for (size_t source = 0; source < SOURCES; source++) {
		char scenario = sources[source].scenario;

		printf("#\n# at most %d pairs, %s%s%s\n", PAIRS, scenario ? "scenario " : "",
		       sources[source].name, scenario ? "" : " noise of 1.5 %");
		for (size_t effect = 0; effect < EFFECTS; effect++) {
			/* Of most scenarios only what is promised. */
			if (scenario && scenario != 'n' && effects[effect] != 0 &&
			    effects[effect] != margin)
				continue;
			/* Twice as many where the level itself is in question. */
			simulate(source, effect,
				 (scenario ? booted : experiments) * (effects[effect] == 0 ? 2 : 1),
				 seed);
			print_counts(source, effect);
			check_errors(source, effect);
			if (source == 0)
				check_pairs(effect);
		}
	}
	check_together();
	return check_finish();
}
