// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: rules EXPERIMENTS SEED
 *
 * The rules of peer.h on the data of scenario.h, as TAP: how often each claims a difference where
 * there is none and where B is 2 % slower, as tables, and assertions about the rows that are ours.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "peer.h"
#include "scenario.h"
#include "stats/paired.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

enum { MOST_BOOTS = 40 };

/* One of each: the null hypothesis and the effect. */
enum { NO_SHIFT, SHIFT, SHIFTS };

static const double shifts[SHIFTS] = {0, .02};
static const double alpha = .05, margin = .02;

struct counts {
	size_t claimed[PEERS]; /* in the right direction, or any where there is none */
	size_t wrong[PEERS];
	size_t covered; /* by the sign-flip interval */
	size_t cleared; /* by the one-sided bound at the end */
};

static struct counts results[SCENARIOS][SHIFTS];

struct experiment {
	double values[2][SCENARIO_MOST_VALUES];
	double means[2][MOST_BOOTS], medians[2][MOST_BOOTS];
	double log_means[MOST_BOOTS], log_medians[MOST_BOOTS];
};

static struct peer_data summarize(const struct scenario *s, struct experiment *e)
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

static void simulate(const struct scenario *s, double shift, size_t experiments, uint64_t seed,
		     struct counts *ret_counts)
{
	static struct experiment e;
	struct random r;

	random_seed(&r, seed, (uint64_t)s->name * 1000 + (uint64_t)(shift * 1000));
	for (size_t i = 0; i < experiments; i++) {
		struct peer_data data;
		struct interval interval;

		scenario_draw(s, s->boots, shift, &r, e.values[0], e.values[1]);
		data = summarize(s, &e);
		for (size_t p = 0; p < PEERS; p++) {
			int claim;

			if (peers[p].needs_boots && s->boots == 1)
				continue;
			claim = peers[p].decide(&data);
			ret_counts->claimed[p] += shift > 0 ? claim > 0 : claim != 0;
			ret_counts->wrong[p] += shift > 0 && claim < 0;
		}
		interval = sign_flip_interval(data.log_medians, s->boots, alpha, 0);
		ret_counts->covered +=
			interval.low <= log1p(shift) && log1p(shift) <= interval.high;
		ret_counts->cleared +=
			paired_upper_bound(data.log_medians, s->boots, alpha) < log1p(margin);
	}
}

static void print_table(const char *title, int shift, size_t experiments)
{
	printf("#\n# %s, %% of %zu experiments\n# %-38s", title, experiments, "rule");
	for (size_t k = 0; k < SCENARIOS; k++)
		printf("%6c", scenarios[k].name);
	printf("\n");
	for (size_t p = 0; p < PEERS; p++) {
		printf("# %-38s", peers[p].name);
		for (size_t k = 0; k < SCENARIOS; k++) {
			double rate =
				100. * (double)results[k][shift].claimed[p] / (double)experiments;

			if (peers[p].needs_boots && scenarios[k].boots == 1)
				printf("%6s", "-");
			else
				printf("%6.1f", rate);
		}
		printf("\n");
	}
}

static void print_tables(size_t experiments)
{
	printf("# scenarios, boots an arm x iterations a boot\n");
	for (size_t k = 0; k < SCENARIOS; k++)
		printf("#   %c  %2zu x %4zu  %s\n", scenarios[k].name, scenarios[k].boots,
		       scenarios[k].iterations, scenarios[k].what);
	print_table("false positives: no difference", NO_SHIFT, experiments);
	print_table("power: B 2 % slower", SHIFT, experiments);
	printf("#\n# standard error of the simulation: %.1f points at 5 %%, %.1f at 50 %%\n#\n",
	       100 * sqrt(.05 * .95 / (double)experiments),
	       100 * sqrt(.5 * .5 / (double)experiments));
}

static size_t find_peer(const char *name)
{
	size_t p = 0;

	while (strcmp(peers[p].name, name) != 0)
		p++;
	return p;
}

/* What is promised, in the scenarios in which it is. */
static void check_ours(size_t experiments)
{
	static const struct {
		char name;
		double power;
	} powers[] = {{'a', .995}, {'d', .995}, {'m', .995}, {'h', .95}, {'n', .75}};
	size_t planned = find_peer("contend, pairs planned");
	char what[100];

	for (const char *name = "abdfghijmn"; *name; name++) {
		const struct scenario *s = scenario_find(*name);
		struct counts *null = &results[*name - 'a'][NO_SHIFT];
		struct counts *shifted = &results[*name - 'a'][SHIFT];

		for (size_t p = 0; p < PEERS; p++) {
			if (!peers[p].is_ours)
				continue;
			snprintf(what, sizeof(what), "%c, %s: false positives", *name,
				 peers[p].name);
			check_at_most(what, null->claimed[p], experiments, .055);
			snprintf(what, sizeof(what), "%c, %s: wrong direction", *name,
				 peers[p].name);
			check_at_most(what, shifted->wrong[p], experiments, .025);
		}
		/* Under six pairs it cannot reject, and covers always. */
		if (sign_flip_attained_level(s->boots, alpha) < .03)
			continue;
		snprintf(what, sizeof(what), "%c, pairs planned: false positives", *name);
		check_at_least(what, null->claimed[planned], experiments, .03);
		snprintf(what, sizeof(what), "%c, pairs planned: coverage", *name);
		check_at_least(what, shifted->covered, experiments, .94);
		check_at_most(what, shifted->covered, experiments, .96);
	}
	for (size_t i = 0; i < sizeof(powers) / sizeof(*powers); i++) {
		snprintf(what, sizeof(what), "%c, pairs planned: power at +2 %%", powers[i].name);
		check_at_least(what, results[powers[i].name - 'a'][SHIFT].claimed[planned],
			       experiments, powers[i].power);
	}
	check_at_most("n, margin 2 %: cleared at the margin", results['n' - 'a'][SHIFT].cleared,
		      experiments, .055);
	check_at_least("n, margin 2 %: cleared at zero", results['n' - 'a'][NO_SHIFT].cleared,
		       experiments, .85);
}

/* The rules that hold their level wherever pairs are in random order, and see 2 % in n. */
static void check_others(size_t experiments)
{
	char what[100];

	for (size_t p = 0; p < PEERS; p++) {
		double worst = 0, seen = (double)results['n' - 'a'][SHIFT].claimed[p];

		for (size_t k = 0; k < SCENARIOS; k++)
			if (scenarios[k].order == SCENARIO_PAIRS)
				worst = fmax(worst, (double)results[k][NO_SHIFT].claimed[p]);
		printf("# %-38s worst false positives %5.1f %%, power in n %5.1f %%\n",
		       peers[p].name, 100 * worst / (double)experiments,
		       100 * seen / (double)experiments);
	}
	/* The faults that the others have are in the data, or the table says nothing. */
	snprintf(what, sizeof(what), "h: pooled iterations claim what is not there");
	check_at_least(what, results['h' - 'a'][NO_SHIFT].claimed[find_peer("Welch, iterations")],
		       experiments, .5);
	check_at_most("h: sd bars see nothing at +2 %",
		      results['h' - 'a'][SHIFT].claimed[find_peer("sd bars disjoint")], experiments,
		      .01);
	check_at_least("k: A before B is hopeless for ours as well",
		       results['k' - 'a'][NO_SHIFT].claimed[find_peer("contend, pairs planned")],
		       experiments, .9);
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc != 3 || !experiments) {
		fprintf(stderr, "usage: rules EXPERIMENTS SEED\n");
		return 2;
	}
	for (size_t k = 0; k < SCENARIOS; k++)
		for (int shift = 0; shift < SHIFTS; shift++)
			simulate(&scenarios[k], shifts[shift], experiments, seed,
				 &results[k][shift]);
	printf("# seed %llu\n", (unsigned long long)seed);
	print_tables(experiments);
	check_others(experiments);
	check_ours(experiments);
	return check_finish();
}
