// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: rules EXPERIMENTS OTHERS SEED
 *
 * The judge and the rules of peer.h on the data of scenario.h, as TAP: how often each claims a
 * difference where there is none and where B is 2 % slower, as tables, and assertions about the
 * rows that are ours. The others see the first OTHERS of the EXPERIMENTS.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "judged.h"
#include "peer.h"
#include "scenario.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

enum { MOST_BOOTS = 10 };

/* One of each: the null hypothesis and the effect. */
enum { NO_SHIFT, SHIFT, SHIFTS };

static const double shifts[SHIFTS] = {0, .02};
static const double alpha = .05;

/* Where the level is promised: pairs in random order, more than one boot. */
static const char promised[] = "abdfghijmn";

/* And the power at +2 %; 100 % is what is that when it is rounded. */
static const struct {
	char name;
	double power;
} powers[] = {{'a', .995}, {'d', .995}, {'m', .995}, {'h', .95}, {'n', .75}};

struct counts {
	size_t experiments[PEERS];
	size_t claimed[PEERS]; /* in the right direction, or any where there is none */
	size_t wrong[PEERS];
	/* Of the judge, all pairs planned, with boots as runs: */
	size_t covered;	  /* by the interval that it prints */
	size_t cleared;	  /* the margin is 2 % */
	size_t undecided; /* with the reason that there are too few pairs for a test */
	size_t disagree;  /* p, interval and verdict do not say the same of 0 */
};

static struct counts results[SCENARIOS][SHIFTS];

struct experiment_data {
	double values[2][SCENARIO_MOST_VALUES];
	double means[2][MOST_BOOTS], medians[2][MOST_BOOTS];
	double log_means[MOST_BOOTS], log_medians[MOST_BOOTS];
};

static struct peer_data summarize(const struct scenario *s, struct experiment_data *e)
{
	for (int arm = 0; arm < 2; arm++) {
		for (size_t boot = 0; boot < s->boots; boot++) {
			const double *values = e->values[arm] + boot * s->iterations;

			e->means[arm][boot] = summary_mean(values, s->iterations);
			e->medians[arm][boot] = summary_median(values, s->iterations);
		}
	}
	for (size_t boot = 0; boot < s->boots; boot++) {
		e->log_means[boot] = log(e->means[1][boot] / e->means[0][boot]);
		e->log_medians[boot] = log(e->medians[1][boot] / e->medians[0][boot]);
	}
	return (struct peer_data){
		.boots = s->boots,
		.iterations = s->iterations,
		.values = {e->values[0], e->values[1]},
		.means = {e->means[0], e->means[1]},
		.medians = {e->medians[0], e->medians[1]},
		.log_means = e->log_means,
		.log_medians = e->log_medians,
	};
}

/* The judge's verdict, and what it prints. */
static int judge_planned(const struct experiment_data *e, size_t boots, double shift,
			 struct counts *counts)
{
	struct judgement *j __free(judgement) =
		judged(PLAN_PAIRS, boots, e->medians[0], e->medians[1], boots, JUDGE_END);
	const struct metric_verdict *v = &j->comparisons[0].metrics[0];

	counts->covered += v->interval.low <= shift && shift <= v->interval.high;
	counts->cleared += v->verdict == VERDICT_CLEARED;
	counts->undecided += v->verdict == VERDICT_UNDECIDED && v->rule == RULE_PAIRED_T;
	if (v->rule == RULE_SIGN_FLIP)
		counts->disagree +=
			(v->p <= alpha) != (judged_claim(v) != 0) ||
			(v->interval.low > 0 || v->interval.high < 0) != (judged_claim(v) != 0);
	return judged_claim(v);
}

static void simulate(const struct scenario *s, double shift, size_t experiments, size_t others,
		     uint64_t seed, struct counts *ret_counts)
{
	static struct experiment_data e;
	struct random r;

	random_seed(&r, seed, (uint64_t)s->name * 1000 + (uint64_t)(shift * 1000));
	for (size_t i = 0; i < experiments; i++) {
		struct peer_data data;

		scenario_draw(s, s->boots, shift, &r, e.values[0], e.values[1]);
		data = summarize(s, &e);
		data.planned = judge_planned(&e, s->boots, shift, ret_counts);
		for (size_t p = 0; p < PEERS; p++) {
			int claim;

			if ((peers[p].needs_boots && s->boots == 1) ||
			    (peers[p].kind != PEER_OURS && i >= others))
				continue;
			claim = peers[p].decide(&data);
			ret_counts->experiments[p]++;
			ret_counts->claimed[p] += shift > 0 ? claim > 0 : claim != 0;
			ret_counts->wrong[p] += shift > 0 && claim < 0;
		}
	}
}

static double rate(const struct counts *c, size_t peer)
{
	return (double)c->claimed[peer] / (double)c->experiments[peer];
}

/* Two standard errors of a rate at its bound. */
static double error_of(const struct counts *c, size_t peer, double bound)
{
	return 2 * sqrt(bound * (1 - bound) / (double)c->experiments[peer]);
}

/*
 * What is asked of a row: no more false positives than promised, as far as the simulation can tell.
 */
static bool holds_level(size_t peer)
{
	for (const char *name = promised; *name; name++) {
		const struct counts *c = &results[*name - 'a'][NO_SHIFT];

		if (rate(c, peer) > .055 + error_of(c, peer, .055))
			return false;
	}
	return true;
}

/* And 2 % are seen where they can be. */
static bool sees_effect(size_t peer)
{
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++) {
		const struct counts *c = &results[powers[i].name - 'a'][SHIFT];

		if (rate(c, peer) < powers[i].power - error_of(c, peer, powers[i].power))
			return false;
	}
	return true;
}

static void print_table(const char *title, int shift, const char *mark, bool (*has)(size_t peer))
{
	printf("#\n# %s, %%\n# %-38s", title, "rule");
	for (size_t k = 0; k < SCENARIOS; k++)
		printf("%6c", scenarios[k].name);
	printf("  %s\n", mark);
	for (size_t p = 0; p < PEERS; p++) {
		printf("# %-38s", peers[p].name);
		for (size_t k = 0; k < SCENARIOS; k++) {
			if (peers[p].needs_boots && scenarios[k].boots == 1)
				printf("%6s", "-");
			else
				printf("%6.1f", 100 * rate(&results[k][shift], p));
		}
		printf("  %s\n", has(p) ? "yes" : "no");
	}
}

/* Who is right in both ways. */
static void print_both(const char *title, enum peer_kind kind)
{
	size_t both = 0, all = 0;

	printf("# %s:", title);
	for (size_t p = 0; p < PEERS; p++) {
		if (peers[p].kind != kind)
			continue;
		all++;
		if (holds_level(p) && sees_effect(p))
			printf("%s %s", both++ ? ";" : "", peers[p].name);
	}
	printf("%s (%zu of %zu)\n", both ? "" : " none", both, all);
}

static void print_tables(size_t experiments, size_t others)
{
	printf("# scenarios, boots an arm x iterations a boot\n");
	for (size_t k = 0; k < SCENARIOS; k++)
		printf("#   %c  %2zu x %4zu  %s\n", scenarios[k].name, scenarios[k].boots,
		       scenarios[k].iterations, scenarios[k].what);
	print_table("false positives: no difference", NO_SHIFT, "holds its level", holds_level);
	print_table("power: B 2 % slower", SHIFT, "sees 2 %", sees_effect);
	printf("#\n# %zu experiments for ours, %zu for the others; standard errors %.1f and %.1f "
	       "points at 5 %%, %.1f and %.1f at 50 %%\n",
	       experiments, others, 100 * sqrt(.05 * .95 / (double)experiments),
	       100 * sqrt(.05 * .95 / (double)others), 50 / sqrt((double)experiments),
	       50 / sqrt((double)others));
	printf("# holds its level: at most 5.5 %% and two standard errors in each of %s\n# sees 2 %%:",
	       promised);
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++)
		printf(" %g %% in %c,", 100 * powers[i].power, powers[i].name);
	printf(" less two standard errors\n# both:\n");
	print_both("  of what tools and their users do", PEER_PRACTICE);
	print_both("  of tests from the textbook on one figure a boot", PEER_TEXTBOOK);
	print_both("  of ours", PEER_OURS);
	printf("#\n");
}

static size_t find_peer(const char *name)
{
	size_t p = 0;

	while (strcmp(peers[p].name, name) != 0)
		p++;
	return p;
}

/* Both of our rows. */
static void check_errors(const struct scenario *s, const struct counts *null,
			 const struct counts *shifted)
{
	char what[100];

	for (size_t p = 0; p < PEERS; p++) {
		if (peers[p].kind != PEER_OURS)
			continue;
		snprintf(what, sizeof(what), "%c, %s: false positives", s->name, peers[p].name);
		check_at_most(what, null->claimed[p], null->experiments[p], .055);
		snprintf(what, sizeof(what), "%c, %s: wrong direction", s->name, peers[p].name);
		check_at_most(what, shifted->wrong[p], shifted->experiments[p], .025);
	}
}

static void check_planned(const struct scenario *s, const struct counts *null,
			  const struct counts *shifted, size_t experiments)
{
	size_t planned = find_peer("contend, pairs planned");
	double attained = sign_flip_attained_level(s->boots, alpha);
	char what[100];

	/* The test is exact, so its rate is known: the largest step of p up to 5 %. */
	snprintf(what, sizeof(what), "%c, pairs planned: attained level", s->name);
	check_near(what, null->claimed[planned], experiments, attained);
	if (attained >= .03) {
		snprintf(what, sizeof(what), "%c, pairs planned: false positives", s->name);
		check_at_least(what, null->claimed[planned], experiments, .03);
	} else {
		/* Under six pairs there is no test, and that is what is said. */
		snprintf(what, sizeof(what), "%c, %zu pairs are too few for a verdict", s->name,
			 s->boots);
		check_that(what,
			   null->undecided == experiments && shifted->undecided == experiments);
	}
	snprintf(what, sizeof(what), "%c, pairs planned: p, interval and verdict agree", s->name);
	check_that(what, null->disagree + shifted->disagree == 0);
	/* Of the interval that is printed, also where it is Student's. */
	for (int shift = 0; shift < SHIFTS; shift++) {
		size_t covered = (shift == SHIFT ? shifted : null)->covered;

		snprintf(what, sizeof(what), "%c, pairs planned: coverage at %g %%", s->name,
			 100 * shifts[shift]);
		check_at_least(what, covered, experiments, .94);
		check_at_most(what, covered, experiments, .96);
	}
}

/* What is promised, in the scenarios in which it is. */
static void check_ours(size_t experiments)
{
	size_t planned = find_peer("contend, pairs planned");
	char what[100];

	for (const char *name = promised; *name; name++) {
		const struct scenario *s = scenario_find(*name);
		const struct counts *null = &results[*name - 'a'][NO_SHIFT];
		const struct counts *shifted = &results[*name - 'a'][SHIFT];

		check_errors(s, null, shifted);
		check_planned(s, null, shifted, experiments);
		/* B is slower by just the margin. */
		snprintf(what, sizeof(what), "%c, pairs planned: cleared at the margin", *name);
		check_at_most(what, shifted->cleared, experiments, .055);
	}
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++) {
		snprintf(what, sizeof(what), "%c, pairs planned: power at +2 %%", powers[i].name);
		check_at_least(what, results[powers[i].name - 'a'][SHIFT].claimed[planned],
			       experiments, powers[i].power);
	}
	check_at_least("n, pairs planned: cleared where there is no difference",
		       results['n' - 'a'][NO_SHIFT].cleared, experiments, .85);
}

/* The faults that the others have are in the data, or the table says nothing. */
static void check_others(size_t experiments, size_t others)
{
	char what[100];

	check_at_least("h: pooled iterations claim what is not there",
		       results['h' - 'a'][NO_SHIFT].claimed[find_peer("Welch, iterations")], others,
		       .5);
	check_at_most("h: sd bars see nothing at +2 %",
		      results['h' - 'a'][SHIFT].claimed[find_peer("sd bars disjoint")], others,
		      .01);
	check_at_least("k: A before B is hopeless for ours as well",
		       results['k' - 'a'][NO_SHIFT].claimed[find_peer("contend, pairs planned")],
		       experiments, .9);
	for (size_t p = 0; p < PEERS; p++) {
		if (peers[p].kind != PEER_PRACTICE)
			continue;
		snprintf(what, sizeof(what), "%s: does not both hold its level and see 2 %%",
			 peers[p].name);
		check_that(what, !(holds_level(p) && sees_effect(p)));
	}
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	size_t others = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;

	if (argc != 4 || !others || experiments < others) {
		fprintf(stderr, "usage: rules EXPERIMENTS OTHERS SEED\n");
		return 2;
	}
	json_use_memory();
	for (size_t k = 0; k < SCENARIOS; k++)
		for (int shift = 0; shift < SHIFTS; shift++)
			simulate(&scenarios[k], shifts[shift], experiments, others, seed,
				 &results[k][shift]);
	printf("# seed %llu\n", (unsigned long long)seed);
	print_tables(experiments, others);
	check_others(experiments, others);
	check_ours(experiments);
	return check_finish();
}
