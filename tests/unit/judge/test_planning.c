// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "judge/planning.h"
#include "model/histogram.h"
#include "stats/forecast.h"
#include "stats/plan.h"

/* A workload whose figures the test writes down. */
static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],\"metrics\":["
	"{\"name\":\"size\",\"unit\":\"bytes\",\"better\":\"neither\",\"summary\":\"total\","
	"\"of\":\"task.size\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"operations\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"rate\","
	"\"of\":\"task.operations\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"latency_p50\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"p50\","
	"\"of\":\"task.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"}]}";

static const struct planning_terms terms = {
	.effect = 0.01,
	.power = 0.8,
	.margin = 0.02,
	.alpha = 0.05,
};

static struct experiment *made(void)
{
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	e->plan = PLAN_PAIRS;
	e->pairs = e->looked = 8;
	e->alpha = 0.05;
	e->margin = 0.02;
	e->subjects = memory_array(1, sizeof(*e->subjects));
	e->subject_count = 1;
	assert_true(description_from_json(object, &e->subjects[0].description, &err));
	e->subjects[0].params[ARM_A] = json_object();
	e->subjects[0].params[ARM_B] = json_object();
	e->subjects[0].primary = "cost";
	return e;
}

struct made_run {
	int cost;
	int64_t operations;
	json_t *slices;	   /* taken; NULL: none */
	json_t *histogram; /* taken; NULL: none */
};

/* A run of 1 s and 200 ms more; B follows A at once. */
static void add(struct entries *runs, int64_t pair, int arm, const struct made_run *r)
{
	const int64_t begin = INT64_C(1000000000000) + (2 * pair + arm) * 1200000000;
	json_t *record __free(json) = json_pack(
		"{s:s, s:s, s:I, s:[{s:s, s:i, s:i, s:I, s:{s:I, s:i, s:i}}], s:[], s:[], s:{}}",
		"outcome", "ok", "reason", "", "window_ns", (json_int_t)1000000000, "tasks", "role",
		"task", "task", 0, "cpu", 0, "window_ns", (json_int_t)1000000000, "counters",
		"operations", (json_int_t)r->operations, "cost", r->cost, "size", 4096, "series",
		"notes", "host");
	struct run *run = NULL;
	struct error err;

	if (r->slices)
		json_object_set_new(record, "slices", r->slices);
	if (r->histogram)
		json_array_append_new(json_object_get(record, "series"),
				      json_pack("{s:s, s:s, s:s, s:o}", "role", "task", "name",
						"latency", "unit", "ns", "histogram",
						r->histogram));
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	run->started_ns = begin;
	run->ended_ns = begin + 1200000000;
	entries_add(runs, (struct entry){.pair = pair, .arm = arm, .run = run});
}

static void add_costs(struct entries *runs, const int *a, const int *b, size_t pairs)
{
	for (size_t i = 0; i < pairs; i++) {
		add(runs, (int64_t)i, ARM_A, &(struct made_run){.cost = a[i], .operations = 1000});
		add(runs, (int64_t)i, ARM_B, &(struct made_run){.cost = b[i], .operations = 1000});
	}
}

/* The eight worked pairs of the method; sd of d 0.0065602. */
static const int worked_a[] = {1002, 1015, 998, 1020, 1009, 1011, 995, 1007};
static const int worked_b[] = {1019, 1024, 1021, 1033, 1017, 1030, 1016, 1012};

static struct planning *plan_of(const struct experiment *e, const struct entries *runs,
				const char *primary, struct planning_source *source)
{
	*source = (struct planning_source){.experiment = e, .runs = runs, .primary = primary};
	return planning_make(&terms, source, 1);
}

static void test_worked(void **state)
{
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	struct planning_source source;
	const struct planning_subject *s;
	const struct planning_metric *m;
	/* t of the worked pairs is mean / (sd / sqrt 8). */
	const double sd = 0.014181982 / 6.11458026 * sqrt(8);
	double upper;

	(void)state;
	add_costs(&runs, worked_a, worked_b, 8);
	p = plan_of(e, &runs, "cost", &source);
	s = &p->subjects[0];
	m = &s->metrics[0];
	assert_true(s->aa);
	assert_int_equal(s->pairs, 8);
	assert_int_equal(s->pair_ns, 2400000000);
	assert_string_equal(m->metric->name, "cost");
	assert_int_equal(m->state, PLANNING_KNOWN);
	assert_float_equal(m->sd, sd, 1e-9);
	/* R: sqrt(7 / qchisq(.2, 7)) */
	assert_float_equal(m->sd_upper, 1.353272916 * sd, 1e-8);
	upper = m->sd_upper;
	assert_int_equal(m->row_count, 4);
	for (size_t i = 0; i < m->row_count; i++) {
		const struct planning_row *r = &m->rows[i];
		size_t fixed = plan_pairs_for_effect(log1p(r->effect), upper, .05, .8);

		assert_int_equal(r->fixed, fixed < 6 ? 6 : fixed);
		size_t most = forecast_max_pairs(log1p(r->effect), upper, .05, .8);

		/* Under ten pairs there is no plan with looks. */
		assert_int_equal(r->most, most < EXPERIMENT_LEAST_MAXIMUM ? 10 : most);
		assert_float_equal(r->used, forecast(r->most, log1p(r->effect), upper, .05).pairs,
				   1e-9);
		assert_int_equal(r->asked, r->effect == 0.01);
	}
	assert_float_equal(planning_asked(m)->effect, 0.01, 0);
	assert_int_equal(m->clearing, fmax(6, plan_pairs_for_margin(log1p(.02), upper, .05, .8)));
	assert_int_equal(m->enclosing,
			 fmax(6, plan_pairs_for_equivalence(log1p(.02), upper, .05, .8)));
	/* 6, 8 (its own), 10, 20 and 40 pairs; MDE / s of the method: 1.4345 at 6, .99600 at 10. */
	assert_int_equal(m->floor_count, 5);
	assert_int_equal(m->floors[1].pairs, 8);
	assert_true(m->floors[1].own && !m->floors[0].own);
	assert_float_equal(log1p(m->floors[0].fixed), 1.4345 * upper, 5e-5 * upper);
	assert_float_equal(log1p(m->floors[1].fixed), 1.1560 * upper, 5e-5 * upper);
	assert_float_equal(log1p(m->floors[2].fixed), .99600 * upper, 5e-6 * upper);
	assert_float_equal(log1p(m->floors[3].fixed), .66044 * upper, 5e-6 * upper);
	/* With looks six pairs cannot reject: the e-process takes seven. */
	assert_true(isinf(m->floors[0].looks));
	assert_true(m->floors[3].looks > m->floors[3].fixed);
	/*
	 * A total says nothing about windows; size is not judged, and latencies were not recorded.
	 */
	assert_int_equal(s->windows.source, WINDOWS_UNKNOWN);
	assert_non_null(s->windows.why_not);
	assert_int_equal(s->other_count, 0);
	assert_int_equal(s->metric_count, 3);
	assert_int_equal(s->metrics[1].comparisons, 2);
	assert_int_equal(s->metrics[1].state, PLANNING_ALIKE);
	assert_int_equal(s->metrics[2].state, PLANNING_FEW);
	assert_string_equal(s->metrics[2].refusal, "no latencies were recorded");
}

static void test_family(void **state)
{
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	const struct planning_metric *m;

	(void)state;
	add_costs(&runs, worked_a, worked_b, 8);

	const struct planning_source source = {e, &runs, 0, "cost"};
	const struct planning_source sources[] = {source, source, source};

	p = planning_make(&terms, sources, 3);
	for (size_t i = 0; i < 3; i++) {
		m = &p->subjects[i].metrics[0];
		assert_int_equal(m->comparisons, 3);
		assert_float_equal(m->level, .05 / 3, 1e-12);
		/* 2/2^7 = .0156 is the first below. */
		assert_int_equal(m->least_fixed, 7);
		assert_true(isinf(m->floors[0].fixed));
	}
}

/* What can be known of figures that have no spread, of too few, of zeros. */
static void test_degenerate(void **state)
{
	static const int alike_a[] = {100, 200, 300}, alike_b[] = {110, 220, 330};
	static const int zeros[] = {0, 0, 0}, some[] = {0, 10, 20};
	static const struct {
		const int *a, *b;
		size_t pairs;
		enum planning_state state;
	} cases[] = {
		{worked_a, worked_b, 1, PLANNING_FEW},	 {worked_a, worked_a, 8, PLANNING_ALIKE},
		{zeros, zeros, 3, PLANNING_NOTHING},	 {zeros, some, 3, PLANNING_NOTHING},
		{worked_a, worked_b, 0, PLANNING_FEW},	 {some, alike_a, 3, PLANNING_KNOWN},
		{worked_a, worked_b, 2, PLANNING_KNOWN}, {some, some, 3, PLANNING_ALIKE},
		{alike_a, alike_b, 1, PLANNING_FEW},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct experiment *e __free(experiment) = made();
		struct entries runs __cleanup(entries_done) = {0};
		struct planning *p __free(planning) = NULL;
		struct planning_source source;
		const struct planning_metric *m;

		add_costs(&runs, cases[i].a, cases[i].b, cases[i].pairs);
		p = plan_of(e, &runs, "cost", &source);
		m = &p->subjects[0].metrics[0];
		if (m->state != cases[i].state)
			fail_msg("case %zu: %s", i, planning_state_words[m->state]);
		if (m->state != PLANNING_KNOWN) {
			assert_null(planning_asked(m));
			assert_true(isnan(m->sd_upper));
		}
	}
}

/* Some figure is zero: the effect is a part of A's median, in the unit. */
static void test_difference(void **state)
{
	static const int a[] = {0, 100, 110, 90, 120, 100, 105, 95},
			 b[] = {5, 99, 100, 95, 110, 90, 100, 99};
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	struct planning_source source;
	const struct planning_metric *m;

	(void)state;
	add_costs(&runs, a, b, 8);
	p = plan_of(e, &runs, "cost", &source);
	m = &p->subjects[0].metrics[0];
	assert_int_equal(m->scale, SCALE_DIFFERENCE);
	assert_float_equal(m->middle, 100, 0);
	assert_int_equal(planning_asked(m)->fixed, plan_pairs_for_effect(1, m->sd_upper, .05, .8));
	assert_int_equal(m->clearing, 0);
}

/* ---- windows ---- */

/*
 * Cumulative counts at 21 moments of a second, of a rate that each of four batches has of its own.
 */
static json_t *slices(const double *batch_rates)
{
	json_t *at = json_array(), *operations = json_array();
	double count = 0;

	for (int i = 0; i <= 20; i++) {
		json_array_append_new(at, json_integer((json_int_t)i * 50000000));
		json_array_append_new(operations, json_integer((json_int_t)count));
		count += batch_rates[i / 5 < 3 ? i / 5 : 3] / 20;
	}
	return json_pack("[{s:s, s:[], s:[]}, {s:s, s:o, s:o}]", "role", "other", "at_ns",
			 "operations", "role", "task", "at_ns", at, "operations", operations);
}

static void add_slices(struct entries *runs, int64_t pair, int arm, double level,
		       const double *batches)
{
	double rates[4], sum = 0;

	for (size_t k = 0; k < 4; k++) {
		rates[k] = 1e9 * exp(level + batches[k]);
		sum += rates[k] / 4;
	}
	add(runs, pair, arm,
	    &(struct made_run){.cost = 1, .operations = (int64_t)sum, .slices = slices(rates)});
}

/* The worked analysis of variance of the method, as differences of pairs in hundredths. */
static void test_slices(void **state)
{
	static const double worked[3][4] = {
		{10.1, 10.3, 9.9, 10.2}, {10.6, 10.8, 10.7, 10.5}, {10.0, 9.8, 10.1, 9.9}};
	static const double none[4] = {0};
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	struct planning_source source;
	const struct planning_subject *s;
	const struct windows *w;

	(void)state;
	for (int64_t i = 0; i < 3; i++) {
		double batches[4];

		for (size_t k = 0; k < 4; k++)
			batches[k] = worked[i][k] / 100;
		add_slices(&runs, i, ARM_A, 0, none);
		add_slices(&runs, i, ARM_B, 0, batches);
	}
	p = plan_of(e, &runs, "operations", &source);
	s = &p->subjects[0];
	w = &s->windows;
	assert_int_equal(w->source, WINDOWS_SLICES);
	assert_int_equal(w->pairs, 3);
	/* sb2 .1275; MSW .0208333 is of one batch, and a window has four. */
	assert_float_equal(w->between, .1275e-4, 1e-9);
	assert_float_equal(w->within, .0208333e-4 / 4, 1e-9);
	assert_float_equal(w->p, 1.966590712e-4, 1e-7);
	assert_int_equal(w->window_ns, 1000000000);
	assert_int_equal(w->fixed_ns, 200000000);
	/*
	 * .2 s a run, .25 s a batch: sqrt(.2 / .25 * .0208333 / .1275) = .36 of one, so it is one.
	 */
	assert_float_equal(w->cheapest_ns, 250000000, 1e-3);
	/* Longer windows leave .1275 of .1275 + .0052; a quarter of it has all of .0208. */
	assert_int_equal(s->other_count, 5);
	assert_true(s->others[2].own);
	assert_float_equal(s->others[2].sd_upper, s->metrics[0].sd_upper, 1e-12);
	assert_float_equal(s->others[0].sd_upper / s->metrics[0].sd_upper,
			   sqrt((.1275 + .0208333) / (.1275 + .0208333 / 4)), 1e-4);
	assert_float_equal(s->others[4].sd_upper / s->metrics[0].sd_upper,
			   sqrt((.1275 + .0208333 / 16) / (.1275 + .0208333 / 4)), 1e-4);
	/*
	 * What a pair took, 2.4 s, and six seconds more of windows; as it was it is what a pair
	 * took.
	 */
	assert_float_equal(s->others[4].time_ns, (double)s->others[4].pairs * (2.4e9 + 6e9), 1);
	assert_int_equal(s->pair_ns, 2400000000);
	assert_float_equal(s->others[2].time_ns, (double)s->others[2].pairs * 2.4e9, 1);
	for (size_t i = 0; i < s->other_count; i++)
		assert_int_equal(s->others[i].extrapolated, i > 2);
	assert_null(w->left_out);
}

/* Pairs whose batches tell no rate, and why. */
static void test_left_out(void **state)
{
	static const double none[4] = {0}, stalled[4] = {0, -INFINITY, 0, 0};
	static const double batches[3][4] = {
		{.1, .11, .1, .09}, {.1, .1, .12, .1}, {.1, .1, .1, .1}};
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	struct planning_source source;

	(void)state;
	for (int64_t i = 0; i < 3; i++) {
		add_slices(&runs, i, ARM_A, 0, none);
		add_slices(&runs, i, ARM_B, 0, i == 1 ? stalled : batches[i]);
	}
	p = plan_of(e, &runs, "operations", &source);
	assert_int_equal(p->subjects[0].windows.source, WINDOWS_SLICES);
	assert_int_equal(p->subjects[0].pairs, 3);
	assert_int_equal(p->subjects[0].windows.pairs, 2);
	assert_string_equal(p->subjects[0].windows.left_out, "a batch has no operation");
}

/* So much noise that hours would not do: no number is named, but what the usual one sees. */
static void test_too_noisy(void **state)
{
	static const int a[] = {100, 300, 150, 600, 100, 400, 90, 110};
	static const int b[] = {400, 100, 450, 100, 200, 100, 300, 90};
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	struct planning_source source;
	const struct planning_metric *m;

	(void)state;
	add_costs(&runs, a, b, 8);
	p = plan_of(e, &runs, "cost", &source);
	m = &p->subjects[0].metrics[0];
	assert_int_equal(m->state, PLANNING_KNOWN);
	assert_true(plan_pairs_for_effect(log1p(.01), m->sd_upper, .05, .8) > PLANNING_PAIRS_MAX);
	assert_int_equal(planning_asked(m)->fixed, 0);
	assert_int_equal(planning_asked(m)->most, 0);
	assert_int_equal(m->clearing, 0);
	assert_int_equal(m->enclosing, 0);
	assert_non_null(planning_usual(m));
	assert_float_equal(planning_usual(m)->fixed,
			   expm1(plan_detectable_effect(40, m->sd_upper, .05, .8)), 1e-9);
}

static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/*
 * What is planned for other windows is what they have: runs that differ by 1 %, batches by 3 %, so
 * that of the variance of the means of four 1 / (1 + 9/4) lies between them.
 */
static void test_shares(void **state)
{
	enum { PAIRS = 2500 };
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	struct planning_source source;
	const struct windows *w;
	struct random random;

	(void)state;
	random_seed(&random, 1, 0);
	for (int64_t i = 0; i < PAIRS; i++) {
		for (int arm = ARM_A; arm <= ARM_B; arm++) {
			double batches[4];

			for (size_t k = 0; k < 4; k++)
				batches[k] = .03 * draw_normal(&random);
			add_slices(&runs, i, arm, .01 * draw_normal(&random), batches);
		}
	}
	p = plan_of(e, &runs, "operations", &source);
	w = &p->subjects[0].windows;
	/* Of differences, so twice that of a run; four standard errors of so many pairs. */
	assert_float_equal(w->between, 2e-4, .8e-4);
	assert_float_equal(w->within, 2 * 9e-4 / 4, .5e-4);
	/* And the whole is what the pairs have. */
	assert_float_equal(w->between + w->within, pow(p->subjects[0].metrics[0].sd, 2), 2e-6);
	/* sqrt(.2 / .25 * 9) = 2.68 batches. */
	assert_float_equal(w->cheapest_ns, 2.68 * .25e9, .2e9);
}

/* Slices that tell nothing: too few, of another role, that stand still, of other lengths. */
static void test_no_slices(void **state)
{
	static const char *const bad[] = {
		"null",
		"[]",
		"[{\"role\":\"other\",\"at_ns\":[0,1,2,3,4],\"operations\":[0,1,2,3,4]}]",
		"[{\"role\":\"task\",\"at_ns\":[0,1,2,3],\"operations\":[0,1,2,3]}]",
		"[{\"role\":\"task\",\"at_ns\":[0,1,2,3,4],\"operations\":[0,1,2,2,3]}]",
		"[{\"role\":\"task\",\"at_ns\":[0,1,2,2,4],\"operations\":[0,1,2,3,4]}]",
		"[{\"role\":\"task\",\"at_ns\":[0,1,2,3,4],\"operations\":[0,1,2,3]}]",
		"[{\"role\":\"task\",\"operations\":[0,1,2,3,4]}]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct experiment *e __free(experiment) = made();
		struct entries runs __cleanup(entries_done) = {0};
		struct planning *p __free(planning) = NULL;
		struct planning_source source;

		for (int64_t pair = 0; pair < 3; pair++) {
			for (int arm = ARM_A; arm <= ARM_B; arm++) {
				struct made_run r = {.cost = 1, .operations = 1000 + pair * arm};

				add(&runs, pair, arm, &r);
				json_object_set_new(runs.list[runs.count - 1].run->record, "slices",
						    json_loads(bad[i], JSON_DECODE_ANY, NULL));
			}
		}
		p = plan_of(e, &runs, "operations", &source);
		assert_int_equal(p->subjects[0].metrics[0].state, PLANNING_KNOWN);
		assert_int_equal(p->subjects[0].windows.source, WINDOWS_UNKNOWN);
		assert_string_equal(p->subjects[0].windows.why_not,
				    "the stored runs have no slices of their windows");
	}
}

/* Latencies that are uniform: the sd of the median of n is about width / (2 sqrt n). */
static void test_quantiles(void **state)
{
	enum { PAIRS = 20, SAMPLES = 2500, WIDTH = 100000, LEAST = 100000 };
	struct experiment *e __free(experiment) = made();
	struct entries runs __cleanup(entries_done) = {0};
	struct planning *p __free(planning) = NULL;
	struct planning_source source;
	const struct windows *w;
	struct random random;
	/* Of the logarithm, at the median of 150000; of both arms. */
	const double expected = 2 * pow(WIDTH / (2 * sqrt(SAMPLES)) / (LEAST + WIDTH / 2.), 2);

	(void)state;
	random_seed(&random, 1, 0);
	for (int64_t i = 0; i < PAIRS; i++) {
		for (int arm = ARM_A; arm <= ARM_B; arm++) {
			struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
			struct made_run r = {.cost = 1, .operations = 1};
			double level = 1 + .05 * draw_normal(&random);

			for (int k = 0; k < SAMPLES; k++)
				histogram_record(
					h,
					(int64_t)(level * (LEAST + WIDTH * random_unit(&random))));
			r.histogram = histogram_to_json(h);
			add(&runs, i, arm, &r);
		}
	}
	p = plan_of(e, &runs, "latency_p50", &source);
	w = &p->subjects[0].windows;
	assert_int_equal(w->source, WINDOWS_QUANTILES);
	assert_int_equal(w->pairs, PAIRS);
	assert_float_equal(w->within, expected, .25 * expected);
	assert_float_equal(w->between + w->within, pow(p->subjects[0].metrics[0].sd, 2), 1e-9);
	assert_true(isnan(w->p));
	assert_int_equal(p->subjects[0].other_count, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked),	   cmocka_unit_test(test_family),
		cmocka_unit_test(test_degenerate), cmocka_unit_test(test_difference),
		cmocka_unit_test(test_slices),	   cmocka_unit_test(test_shares),
		cmocka_unit_test(test_left_out),   cmocka_unit_test(test_too_noisy),
		cmocka_unit_test(test_no_slices),  cmocka_unit_test(test_quantiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
