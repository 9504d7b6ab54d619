// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: diagnoses EXPERIMENTS SEED
 *
 * What the diagnoses find, as TAP: in made-up experiments where nothing is amiss, hardly anything;
 * in ones that drift, in which it matters who runs first, whose runs are of two kinds, whose
 * windows begin before the machine is warm, just that.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "judge/diagnosis.h"
#include "judge/judge.h"
#include "scenario.h"

enum { SLICES = 20, SLICE_MS = 50, PAIRS_MOST = 40 };

/* What is amiss; each a ratio, 0 is nothing. */
struct amiss {
	double drift;	   /* of both arms, from the first pair to the last */
	double difference; /* of B alone, likewise */
	double order;	   /* second in a pair over first */
	double groups;	   /* half of the runs of A, at random */
	double warmup;	   /* the first tenth of the window over the rest */
	double trend;	   /* from the begin of the window to its end */
};

static struct experiment *experiment_made(void)
{
	static const char text[] =
		"{\"name\":\"made\",\"summary\":\"\",\"needs\":\"\",\"roles\":[{\"name\":\"task\","
		"\"help\":\"\"}],\"params\":[],\"metrics\":[{\"name\":\"rate\",\"unit\":\"1/s\","
		"\"better\":\"higher\",\"summary\":\"rate\",\"of\":\"task.operations\",\"primary\":"
		"true,\"multitask\":false,\"help\":\"\"}]}";
	struct experiment *e = experiment_new();
	struct subject *s = memory_array(1, sizeof(*s));
	json_t *object = NULL;
	struct error err;

	if (!json_parse(text, strlen(text), &object, &err) ||
	    !description_from_json(object, &s->description, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	json_decref(object);
	s->primary = description_primary(s->description)->name;
	e->subjects = s;
	e->subject_count = 1;
	e->plan = PLAN_DECIDED;
	e->pairs = PAIRS_MOST;
	e->margin = .02;
	e->alpha = .05;
	e->seed = 7;
	return e;
}

/* A run whose slices have these rates, in operations a slice. */
static struct run *run_made(const double rates[SLICES])
{
	json_t *at = json_array(), *counts = json_array(), *record;
	int64_t window_ns = SLICES * SLICE_MS * 1000000LL;
	struct run *run = NULL;
	double sum = 0;
	struct error err;

	for (int i = 0; i <= SLICES; i++) {
		json_array_append_new(at, json_integer(i * SLICE_MS * 1000000LL));
		json_array_append_new(counts, json_integer((json_int_t)sum));
		sum += i < SLICES ? rates[i] : 0;
	}
	record = json_pack("{s:s, s:s, s:[{s:s, s:i, s:I, s:{s:I}}], s:[], s:[{s:s, s:o, s:o}]}",
			   "outcome", "ok", "reason", "", "tasks", "role", "task", "task", 0,
			   "window_ns", (json_int_t)window_ns, "counters", "operations",
			   (json_int_t)sum, "series", "slices", "role", "task", "at_ns", at,
			   "operations", counts);
	if (!run_from_record(record, &run, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	json_decref(record);
	return run;
}

/* `iterations` values of a boot, each a time, to slices; what is amiss with the run is added. */
static struct run *run_drawn(const double *times, size_t iterations, double level,
			     const struct amiss *amiss)
{
	size_t each = iterations / SLICES;
	double rates[SLICES];

	for (size_t i = 0; i < SLICES; i++) {
		double sum = 0;

		for (size_t k = 0; k < each; k++)
			sum += times[i * each + k];
		rates[i] = level * 1e6 * (double)each / sum;
		rates[i] *= 1 + amiss->trend * (double)i / (SLICES - 1);
		if (i < SLICES / 10)
			rates[i] *= 1 + amiss->warmup;
	}
	return run_made(rates);
}

static struct entries entries_drawn(const struct scenario *s, size_t pairs, double shift,
				    const struct amiss *amiss, struct random *r)
{
	static double times[2][SCENARIO_MOST_VALUES];
	struct entries runs = {0};

	scenario_draw(s, pairs, shift, r, times[ARM_A], times[ARM_B]);
	for (size_t i = 0; i < pairs; i++) {
		double share = (double)i / (double)(pairs - 1);
		int first = (int)random_below(r, 2);
		bool high = random_below(r, 2);

		for (int place = 0; place < 2; place++) {
			int arm = place ? !first : first;
			double level = 1 + amiss->drift * share;

			if (arm == ARM_B)
				level *= 1 + amiss->difference * share;
			if (place)
				level *= 1 + amiss->order;
			if (arm == ARM_A && high)
				level *= 1 + amiss->groups;
			entries_add(&runs, (struct entry){
						   .pair = (int64_t)i,
						   .arm = arm,
						   .first = !place,
						   .run = run_drawn(times[arm] + i * s->iterations,
								    s->iterations, level, amiss),
					   });
		}
	}
	return runs;
}

struct tally {
	size_t any, lines; /* experiments in which something was found, and was worth a line */
	size_t found[DIAGNOSIS_KIND_COUNT];
};

static void count(const struct experiment *e, const struct entries *runs, struct tally *t)
{
	struct diagnoses all __cleanup(diagnoses_done) = diagnosis_find(e, runs, 0);
	bool found[DIAGNOSIS_KIND_COUNT] = {false}, any = false, line = false;

	for (size_t i = 0; i < all.count; i++) {
		found[all.list[i].kind] |= all.list[i].found;
		any |= all.list[i].found;
		line |= all.list[i].matters;
	}
	t->any += any;
	t->lines += line;
	for (int i = 0; i < DIAGNOSIS_KIND_COUNT; i++)
		t->found[i] += found[i];
}

/*
 * The experiment ends when it is decided, as by default: what is left of it is what is diagnosed.
 */
static void cut_when_decided(const struct experiment *e, struct entries *runs)
{
	size_t all = runs->count;

	for (runs->count = 2UL * JUDGE_LEAST_PAIRS; runs->count < all; runs->count += 2) {
		struct judgement *j __free(judgement) = judge(e, runs, JUDGE_GLANCE);

		if (judgement_decided(j))
			break;
	}
	for (size_t i = runs->count; i < all; i++)
		run_free(runs->list[i].run);
}

static struct tally simulate(const struct scenario *s, size_t pairs, double shift,
			     const struct amiss *amiss, bool cut, size_t experiments, uint64_t seed)
{
	struct experiment *e __free(experiment) = experiment_made();
	struct tally t = {0};
	struct random r;

	random_seed(&r, seed, (uint64_t)s->name * 100 + pairs);
	for (size_t i = 0; i < experiments; i++) {
		struct entries runs __cleanup(entries_done) =
			entries_drawn(s, pairs, shift, amiss, &r);

		if (cut)
			cut_when_decided(e, &runs);
		count(e, &runs, &t);
	}
	return t;
}

static void print_tally(const char *what, const struct tally *t, size_t experiments)
{
	printf("# %s: any %.1f %%, a line %.1f %%;", what,
	       100 * (double)t->any / (double)experiments,
	       100 * (double)t->lines / (double)experiments);
	for (int i = DIAGNOSIS_DRIFT; i < DIAGNOSIS_KIND_COUNT; i++)
		printf(" %s %.1f", diagnosis_words[i],
		       100 * (double)t->found[i] / (double)experiments);
	printf("\n");
	fflush(stdout);
}

/* The scenario of that letter with as many iterations as make whole slices. */
static struct scenario sliced(char name)
{
	struct scenario s = *scenario_find(name);

	s.iterations = 100;
	return s;
}

/* Nothing is amiss but noise: boots that differ, spikes, heavy tails, a difference of the arms. */
static void check_clean(size_t experiments, uint64_t seed)
{
	static const struct {
		const char *what;
		char scenario;
		size_t pairs;
		double shift;
		bool cut;
	} cases[] = {
		{"normal iterations", 'a', 7, 0, false},
		{"normal iterations, 40 pairs", 'a', 40, 0, false},
		{"boots differ by 1 %", 'h', 10, 0, false},
		{"boots differ by 2 %, and the arms by 5 %", 'i', 12, .05, false},
		{"log-normal iterations with spikes", 'b', 14, 0, false},
		{"boots differ by 2 %, ended when decided, the arms alike", 'i', 40, 0, true},
		{"boots differ by 2 %, ended when decided, the arms by 2 %", 'i', 40, .02, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scenario s = sliced(cases[i].scenario);
		static const struct amiss nothing;
		struct tally t = simulate(&s, cases[i].pairs, cases[i].shift, &nothing,
					  cases[i].cut, experiments, seed);

		print_tally(cases[i].what, &t, experiments);
		check_at_most(cases[i].what, t.any, experiments, DIAGNOSIS_LEVEL);
	}
}

/* One thing is amiss, and is found; of the others no more than where nothing is. */
static void check_power(size_t experiments, uint64_t seed)
{
	static const struct {
		const char *what;
		char scenario;
		size_t pairs;
		struct amiss amiss;
		enum diagnosis_kind kind;
		double power;
	} cases[] = {
		{"drift of 10 %, 14 pairs", 'h', 14, {.drift = .1}, DIAGNOSIS_DRIFT, .9},
		{"drift of 5 %, 40 pairs", 'i', 40, {.drift = .05}, DIAGNOSIS_DRIFT, .8},
		{"difference drifts by 10 %, 14 pairs",
		 'h',
		 14,
		 {.difference = .1},
		 DIAGNOSIS_DRIFT_DIFFERENCE,
		 .8},
		{"second run 4 % faster, 14 pairs", 'h', 14, {.order = .04}, DIAGNOSIS_ORDER, .9},
		{"two kinds of A, 15 % apart, 14 pairs",
		 'h',
		 14,
		 {.groups = .15},
		 DIAGNOSIS_GROUPS,
		 .5},
		{"two kinds of A, 15 % apart, 30 pairs",
		 'h',
		 30,
		 {.groups = .15},
		 DIAGNOSIS_GROUPS,
		 .9},
		{"first 100 ms 8 % slower, 7 pairs", 'h', 7, {.warmup = -.08}, DIAGNOSIS_WARMUP, .95},
		{"first 100 ms 8 % slower among spikes, 14 pairs",
		 'n',
		 14,
		 {.warmup = -.08},
		 DIAGNOSIS_WARMUP,
		 .5},
		{"windows that fall by 5 %, 10 pairs",
		 'h',
		 10,
		 {.trend = -.05},
		 DIAGNOSIS_TREND,
		 .95},
		{"autocorrelation 0.7 of iterations, 10 pairs",
		 'd',
		 10,
		 {.drift = 0},
		 DIAGNOSIS_DEPENDENCE,
		 .5},
		{"drift of 3 %, 20 pairs", 'm', 20, {.drift = 0}, DIAGNOSIS_DRIFT, .8},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scenario s = sliced(cases[i].scenario);
		struct tally t =
			simulate(&s, cases[i].pairs, 0, &cases[i].amiss, false, experiments, seed);

		print_tally(cases[i].what, &t, experiments);
		check_at_least(cases[i].what, t.found[cases[i].kind], experiments, cases[i].power);
	}
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc != 3 || !experiments) {
		fprintf(stderr, "usage: diagnoses EXPERIMENTS SEED\n");
		return 2;
	}
	printf("# seed %llu, %zu experiments each: standard error %.2f points at 1 %%\n",
	       (unsigned long long)seed, experiments, 100 * sqrt(.01 * .99 / (double)experiments));
	check_clean(experiments, seed);
	check_power(experiments / 2, seed);
	return check_finish();
}
