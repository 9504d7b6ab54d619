// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: looks EXPERIMENTS INTERVALS SEED
 *
 * The judge with looks, as TAP: on experiments of at most 40 pairs it says what the rule of
 * stats/sequential.h does, whose errors stopping.c finds with many more: which way, after how many
 * pairs, and when a worsening by the margin was excluded. The interval, which takes long, of the
 * first INTERVALS of each kind, where it stopped.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "judged.h"
#include "scenario.h"
#include "stats/sequential.h"

enum { PAIRS = 40 };

static const double alpha = .05, sd = .015, margin = .02;

static const double effects[] = {0, .01, .02, -.02};

enum { EFFECTS = sizeof(effects) / sizeof(*effects) };

struct counts {
	size_t rejected, wrong, cleared;
	size_t other_stop, other_clearing; /* than the rule */
	size_t intervals, covered, contradicts;
};

/* The figures of an experiment: B is above A by exp(d). */
struct figures {
	double a[PAIRS], b[PAIRS], d[PAIRS];
};

static void draw(double effect, struct random *r, struct figures *f)
{
	for (size_t i = 0; i < PAIRS; i++) {
		f->a[i] = 100 * exp(sd * M_SQRT1_2 * scenario_normal(r));
		f->b[i] = 100 * (1 + effect) * exp(sd * M_SQRT1_2 * scenario_normal(r));
		f->d[i] = log(f->b[i] / f->a[i]);
	}
}

/*
 * The verdict where the experiment ended: by a rejection, or with its last pair. Returns its claim.
 */
static int judge_stop(const struct figures *f, size_t stop, double effect, bool whole,
		      struct counts *c)
{
	struct judgement *j __free(judgement) = judged(PLAN_DECIDED, PAIRS, f->a, f->b, stop,
						       !whole	      ? JUDGE_GLANCE
						       : stop < PAIRS ? JUDGE_LOOK
								      : JUDGE_END);
	const struct metric_verdict *v = &j->comparisons[0].metrics[0];
	int claim = judged_claim(v);

	if (whole) {
		c->intervals++;
		c->covered += v->interval.low <= effect && effect <= v->interval.high;
		c->contradicts += claim != 0 && v->interval.low < 0 && v->interval.high > 0;
	}
	c->rejected += claim != 0;
	c->wrong += claim * effect < 0;
	c->cleared += v->verdict == VERDICT_CLEARED;
	return claim;
}

static struct counts simulate(double effect, size_t experiments, size_t intervals, struct random *r)
{
	const struct sequential_plan plan = sequential_plan(PAIRS, 1);
	struct counts c = {0};

	for (size_t e = 0; e < experiments; e++) {
		struct judgement *j __free(judgement) = NULL;
		const struct metric_verdict *v;
		struct figures f;
		size_t at, cleared;
		int claim;

		draw(effect, r, &f);
		j = judged(PLAN_DECIDED, PAIRS, f.a, f.b, PAIRS, JUDGE_GLANCE);
		v = &j->comparisons[0].metrics[0];
		at = sequential_rejected_at(&plan, f.d, PAIRS, 0, E_PROCESS_TWO_SIDED, alpha);
		cleared = sequential_rejected_at(&plan, f.d, PAIRS, log1p(margin),
						 E_PROCESS_SMALLER, alpha);
		claim = judge_stop(&f, at ? at : PAIRS, effect, e < intervals, &c);
		c.other_stop += v->rejected_at != at || (claim != 0) != (at > 0);
		c.other_clearing += v->cleared_at != cleared;
	}
	return c;
}

static void check(double effect, const struct counts *c, size_t experiments)
{
	char what[100];

	printf("# %+.0f %%: %zu of %zu told apart, %zu in the wrong direction, %zu cleared\n",
	       100 * effect, c->rejected, experiments, c->wrong, c->cleared);
	snprintf(what, sizeof(what), "%+.0f %%: verdicts, and after how many pairs, are the rule's",
		 100 * effect);
	check_that(what, c->other_stop == 0);
	snprintf(what, sizeof(what), "%+.0f %%: and so is what is cleared", 100 * effect);
	check_that(what, c->other_clearing == 0);
	snprintf(what, sizeof(what), "%+.0f %%: an interval on both sides of 0 with a verdict",
		 100 * effect);
	check_that(what, c->contradicts == 0);
	snprintf(what, sizeof(what), "%+.0f %%: coverage at the stop", 100 * effect);
	check_at_least(what, c->covered, c->intervals, .94);
	if (effect == 0)
		check_at_most("+0 %: false positives", c->rejected, experiments, alpha);
	else
		check_at_most("and in the wrong direction", c->wrong, experiments, .025);
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	size_t intervals = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	struct random r;

	if (argc != 4 || !intervals || experiments < intervals) {
		fprintf(stderr, "usage: looks EXPERIMENTS INTERVALS SEED\n");
		return 2;
	}
	json_use_memory();
	printf("# seed %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < EFFECTS; i++) {
		struct counts c;

		random_seed(&r, seed, i);
		c = simulate(effects[i], experiments, intervals, &r);
		check(effects[i], &c, experiments);
	}
	return check_finish();
}
