// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/diagnosis.h"
#include "model/histogram.h"

enum { SLICES = 20 };

static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":["
	"{\"name\":\"window\",\"type\":\"duration\",\"preset\":\"1s\",\"help\":\"\"},"
	"{\"name\":\"warmup\",\"type\":\"duration\",\"preset\":\"100ms\",\"help\":\"\"},"
	"{\"name\":\"seed\",\"type\":\"count\",\"preset\":\"1\",\"help\":\"\"}],\"metrics\":["
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"latency_p50\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"p50\","
	"\"of\":\"task.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"}]}";

/* Cleaned up by the end of each test. */
struct bench {
	struct experiment *e;
	struct entries runs;
	struct diagnoses all;
};

static void bench_done(struct bench *b)
{
	diagnoses_done(&b->all);
	entries_done(&b->runs);
	experiment_free(b->e);
}

#define __bench __cleanup(bench_done) = {0}

static void bench_init(struct bench *b, enum plan plan)
{
	json_t *object __free(json) = NULL;
	struct subject *s;
	struct error err;

	if (!json_parse(description_text, strlen(description_text), &object, &err))
		fail_msg("%s", err.text);
	b->e = experiment_new();
	b->e->plan = plan;
	if (plan == PLAN_SINGLE)
		b->e->arm_count = 1;
	b->e->alpha = 0.05;
	b->e->subjects = s = memory_array(1, sizeof(*s));
	b->e->subject_count = 1;
	if (!description_from_json(object, &s->description, &err))
		fail_msg("%s", err.text);
	s->primary = description_primary(s->description)->name;
}

/* A run with a figure; rates: operations of each slice, NULL: it has none. */
static struct run *run_of(double cost, const int64_t *rates)
{
	struct text text __text = {0};
	json_t *record __free(json) = NULL;
	struct run *run = NULL;
	int64_t sum = 5;
	struct error err;

	text_printf(&text,
		    "{\"outcome\":\"ok\",\"reason\":\"\",\"tasks\":[{\"role\":\"task\",\"task\":0,"
		    "\"window_ns\":1000,\"counters\":{\"cost\":%.0f}}],\"series\":[]",
		    cost);
	if (rates) {
		text_puts(&text, ",\"slices\":[{\"role\":\"task\",\"at_ns\":[3");
		for (int i = 1; i <= SLICES; i++)
			text_printf(&text, ",%d", 3 + i * 50000000);
		text_puts(&text, "],\"operations\":[5");
		for (int i = 0; i < SLICES; i++)
			text_printf(&text, ",%lld", (long long)(sum += rates[i]));
		text_puts(&text, "]}]");
	}
	text_puts(&text, "}");
	if (!json_parse(text_string(&text), text.length, &record, &err) ||
	    !run_from_record(record, &run, &err)) {
		fail_msg("%s", err.text);
		abort();
	}
	return run;
}

static void add(struct bench *b, int64_t pair, int arm, struct run *run)
{
	entries_add(&b->runs, (struct entry){.pair = pair, .arm = arm, .run = run});
}

/* A pair of two figures, the first one to run first. */
static void add_pair(struct bench *b, int first, double first_cost, double second_cost)
{
	int64_t pair = (int64_t)(b->runs.count / 2);

	add(b, pair, first, run_of(first_cost, NULL));
	add(b, pair, first == ARM_A ? ARM_B : ARM_A, run_of(second_cost, NULL));
}

static const struct diagnosis *diagnose(struct bench *b, enum diagnosis_kind kind, int arm)
{
	diagnoses_done(&b->all);
	b->all = diagnosis_find(b->e, &b->runs, 0);
	for (size_t i = 0; i < b->all.count; i++) {
		if (b->all.list[i].kind == kind && b->all.list[i].arm == arm)
			return &b->all.list[i];
	}
	fail_msg("no %s of arm %d", diagnosis_words[kind], arm);
	abort();
}

static void near(double is, double should)
{
	if (!(fabs(is - should) <= 1e-9 * (1 + fabs(should))))
		fail_msg("%.17g, not %.17g", is, should);
}

/* The coins of the tests: no run of them tells one thing from another. */
static const int coins[] = {0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0};

/* Figures that rise from pair to pair, B twice as dear: that is no drift of the difference. */
static void test_drift(void **state)
{
	struct bench b __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	for (int i = 0; i < 9; i++) {
		double cost = 1e9 * (1 + .01 * i), other = 2 * cost * (1 + .001 * (i * 7 % 5));

		add_pair(&b, coins[i], coins[i] ? other : cost, coins[i] ? cost : other);
	}
	d = diagnose(&b, DIAGNOSIS_DRIFT, ARM_A);
	assert_int_equal(d->n, 9);
	/* All 36 pairs of values rise: 2 of 9! orders are so. */
	near(d->p, 2. / 362880);
	assert_true(d->found && d->matters);
	assert_null(d->untested);
	/* From the median of the first three to that of the last three. */
	assert_true(d->size > .05 && d->size < .065);
	d = diagnose(&b, DIAGNOSIS_DRIFT_DIFFERENCE, ARM_B);
	assert_int_equal(d->n, 9);
	assert_false(d->found);
	near(d->first, 2 * 1.002 - 1);
	assert_false(diagnose(&b, DIAGNOSIS_ORDER, ARM_B)->found);
	assert_int_equal(diagnose(&b, DIAGNOSIS_WARMUP, ARM_A)->n, 0);
	assert_string_equal(diagnose(&b, DIAGNOSIS_WARMUP, ARM_A)->untested,
			    "no slices of the windows");
}

/* A drift that is found and is no hundredth has no line. */
static void test_small_drift(void **state)
{
	struct bench b __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	for (int i = 0; i < 9; i++)
		add_pair(&b, coins[i], 1e9 * (1 + .001 * i), 1e9 * (1 + .001 * i));
	d = diagnose(&b, DIAGNOSIS_DRIFT, ARM_A);
	assert_true(d->found);
	assert_false(d->matters);
}

static void test_drift_of_difference(void **state)
{
	struct bench b __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	for (int i = 0; i < 12; i++) {
		double cost = 1e9 * (1 + .01 * (i * 5 % 7)), other = cost * (.97 + .006 * i);

		add_pair(&b, coins[i], coins[i] ? other : cost, coins[i] ? cost : other);
	}
	d = diagnose(&b, DIAGNOSIS_DRIFT_DIFFERENCE, ARM_B);
	assert_true(d->found && d->matters);
	near(d->first, sqrt(.976 * .982) - 1);
	near(d->last, sqrt(1.024 * 1.03) - 1);
	near(d->size, (1 + d->last) / (1 + d->first) - 1);
	assert_false(diagnose(&b, DIAGNOSIS_DRIFT, ARM_A)->found);
}

/* The second run of a pair takes 4 % longer, whichever it is. */
static void test_order(void **state)
{
	struct bench b __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	for (int i = 0; i < 12; i++) {
		double cost = 1e9 * (1 + .01 * (i * 5 % 7));

		add_pair(&b, coins[i], cost, cost * (1.04 + .001 * (i * 3 % 5)));
	}
	d = diagnose(&b, DIAGNOSIS_ORDER, ARM_B);
	assert_int_equal(d->n, 12);
	assert_true(d->found && d->matters);
	assert_true(d->size > .04 && d->size < .044);
}

/* All in one order: nothing can be said of it. */
static void test_one_order(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	for (int i = 0; i < 8; i++)
		add_pair(&b, ARM_A, 1e9 * (1 + .01 * (i * 5 % 7)), 1.1e9);
	assert_string_equal(diagnose(&b, DIAGNOSIS_ORDER, ARM_B)->untested,
			    "nothing to tell two orders by");
	assert_true(isnan(diagnose(&b, DIAGNOSIS_ORDER, ARM_B)->p));
}

/* The i-th figure of one group or of another, 20 % above; `which` has a bit for each run. */
static void add_groups(struct bench *b, unsigned int which)
{
	for (int i = 0; i < 16; i++) {
		double cost = (which >> i & 1 ? 1.2e9 : 1e9) * (1 + .0005 * (i * 5 % 17));
		double other = 1e9 * (1 + .01 * (i * 9 % 16));

		add_pair(b, coins[i % 12], coins[i % 12] ? other : cost,
			 coins[i % 12] ? cost : other);
	}
}

static void test_groups(void **state)
{
	struct bench b __bench, halves __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	add_groups(&b, 0x5a59);
	d = diagnose(&b, DIAGNOSIS_GROUPS, ARM_A);
	assert_int_equal(d->n, 16);
	assert_true(d->found && d->matters);
	assert_int_equal(d->low_runs, 8);
	assert_int_equal(d->high_runs, 8);
	assert_true(d->low >= 1e9 && d->low < 1.01e9);
	assert_true(d->high >= 1.2e9 && d->high < 1.21e9);
	assert_false(d->in_turn);
	assert_false(diagnose(&b, DIAGNOSIS_GROUPS, ARM_B)->found);

	bench_init(&halves, PLAN_DECIDED);
	add_groups(&halves, 0xff00);
	assert_true(diagnose(&halves, DIAGNOSIS_GROUPS, ARM_A)->in_turn);
}

/* A clock that has coarse steps makes heaps of anything. */
static void test_coarse_groups(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	for (int i = 0; i < 16; i++)
		add_pair(&b, coins[i % 12], i % 2 ? 27 : 28, 30 + i);
	assert_string_equal(diagnose(&b, DIAGNOSIS_GROUPS, ARM_A)->untested,
			    "the figures have coarse steps");
	assert_int_equal(diagnose(&b, DIAGNOSIS_GROUPS, ARM_A)->n, 0);
}

/* Runs whose slices all follow a shape, with some noise, and whose figures say nothing. */
static void add_windows(struct bench *b, int pairs, double head, double fall, double sway)
{
	for (int i = 0; i < 2 * pairs; i++) {
		int64_t rates[SLICES];

		for (int k = 0; k < SLICES; k++) {
			double rate = 1e6 * (1 + .001 * ((i * 7 + k * 13 + k * k * 5) % 11 - 5));

			rate *= k < 2 ? 1 + head : 1;
			rate *= 1 + fall * k / (SLICES - 1);
			rate *= 1 + sway * sin((k + 3 * i) * .6);
			rates[k] = (int64_t)rate;
		}
		add(b, i / 2, coins[i / 2 % 12] == i % 2 ? ARM_A : ARM_B,
		    run_of(1e9 + 1e6 * (i * 7 % 31), rates));
	}
}

static void test_warmup(void **state)
{
	struct bench b __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	add_windows(&b, 8, -.08, 0, 0);
	d = diagnose(&b, DIAGNOSIS_WARMUP, ARM_A);
	assert_int_equal(d->n, 16);
	/* Of 2^16 patterns of signs only these two. */
	near(d->p, 2. / 65536);
	assert_true(d->found && d->matters);
	assert_true(fabs(d->size + .08) < .003);
	assert_true(fabs(d->by_arm[ARM_A] + .08) < .003);
	assert_true(fabs(d->by_arm[ARM_B] + .08) < .003);
	assert_int_equal(d->span_ns, 100000000);
	assert_false(diagnose(&b, DIAGNOSIS_TREND, ARM_A)->matters);
	assert_false(diagnose(&b, DIAGNOSIS_DEPENDENCE, ARM_A)->matters);
}

/* One that falls throughout has no warm-up to speak of, and its neighbours are alike for that. */
static void test_trend(void **state)
{
	struct bench b __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	add_windows(&b, 8, 0, -.1, 0);
	d = diagnose(&b, DIAGNOSIS_TREND, ARM_A);
	assert_true(d->found && d->matters);
	assert_true(d->size < -.05 && d->size > -.08);
	assert_true(diagnose(&b, DIAGNOSIS_WARMUP, ARM_A)->found);
	assert_false(diagnose(&b, DIAGNOSIS_WARMUP, ARM_A)->matters);
	assert_true(diagnose(&b, DIAGNOSIS_DEPENDENCE, ARM_A)->found);
	assert_false(diagnose(&b, DIAGNOSIS_DEPENDENCE, ARM_A)->matters);
}

static void test_dependence(void **state)
{
	struct bench b __bench;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_SINGLE);
	add_windows(&b, 8, 0, 0, .05);
	for (size_t i = 0; i < b.runs.count; i++) {
		b.runs.list[i].pair = (int64_t)i;
		b.runs.list[i].arm = ARM_A;
	}
	d = diagnose(&b, DIAGNOSIS_DEPENDENCE, ARM_A);
	assert_int_equal(d->n, 16);
	assert_true(d->found && d->matters);
	assert_true(d->size > .7 && d->size < .95);
	assert_int_equal(d->span_ns, 50000000);
	/* Of one arm there is no pair, and its drift is its description's. */
	for (size_t i = 0; i < b.all.count; i++) {
		assert_true(b.all.list[i].kind >= DIAGNOSIS_GROUPS);
		assert_int_equal(b.all.list[i].arm, ARM_A);
	}
}

/* Slices of hardly an operation each are steps, not rates. */
static void test_few_operations(void **state)
{
	static const int64_t few[SLICES] = {4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5};
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	for (int i = 0; i < 16; i++)
		add(&b, i / 2, i % 2, run_of(1e9 + i, few));
	assert_string_equal(diagnose(&b, DIAGNOSIS_TREND, ARM_A)->untested,
			    "no slices of the windows");
}

/* A histogram of `low` latencies around 1 us and `high` ones around 2 us, or all in one slope. */
static struct run *run_timed(int low, int high, bool slope)
{
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	struct run *run = run_of(1e9 + low, NULL);

	for (int i = 0; i < low; i++)
		histogram_record(h, slope ? 1000 + i * i / 100 : 950 + i % 100);
	for (int i = 0; i < high; i++)
		histogram_record(h, 1950 + i % 100);
	json_array_append_new(json_object_get(run->record, "series"),
			      json_pack("{s:s, s:s, s:s, s:o}", "role", "task", "name", "latency",
					"unit", "ns", "histogram", histogram_to_json(h)));
	return run;
}

static void test_valley(void **state)
{
	static const struct {
		int low, high;
		bool slope, found;
		size_t n;
	} cases[] = {
		{5050, 4950, false, true, 8},
		/* The median is in the one heap, or there is one only, or too little to say. */
		{6000, 4000, false, false, 8},
		{10000, 0, true, false, 8},
		{505, 494, false, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b __bench;
		const struct diagnosis *d;

		bench_init(&b, PLAN_DECIDED);
		for (int k = 0; k < 8; k++) {
			/* In half of the runs of A; in all of the other arm there is none. */
			struct run *a =
				k % 2 ? run_timed(cases[i].low, cases[i].high, cases[i].slope)
				      : run_timed(cases[i].n ? 2000 : 10, 0, false);

			add(&b, k, ARM_A, a);
			add(&b, k, ARM_B, run_timed(cases[i].n ? 2000 : 10, 0, false));
		}
		d = diagnose(&b, DIAGNOSIS_VALLEY, ARM_A);
		assert_string_equal(d->metric->name, "latency_p50");
		assert_int_equal(d->n, 2 * cases[i].n);
		assert_int_equal(d->found, cases[i].found);
		assert_int_equal(d->matters, cases[i].found);
		assert_true(isnan(d->p));
		assert_string_equal(d->untested,
				    cases[i].n ? "no test is needed" : "too few latencies");
		if (cases[i].found) {
			assert_int_equal(d->low_runs, 4);
			near(d->by_arm[ARM_A], .5);
			near(d->by_arm[ARM_B], 0);
			assert_true(d->low > 1000 && d->low < 1060);
			assert_true(d->high > 1940 && d->high < 2000);
		}
	}
}

/* Runs that failed or were set aside, a figure of zero, too few pairs. */
static void test_nothing_to_test(void **state)
{
	struct bench b __bench, zero __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	assert_int_equal(diagnose(&b, DIAGNOSIS_DRIFT, ARM_A)->n, 0);
	for (int i = 0; i < 5; i++)
		add_pair(&b, coins[i], 1e9 + i, 2e9 + i);
	add(&b, 5, ARM_A, run_of(3e9, NULL));
	add(&b, 5, ARM_B, run_without_record(OUTCOME_FAILED, "as said"));
	add(&b, 6, ARM_A, run_of(4e9, NULL));
	add(&b, 6, ARM_B, run_of(1e9, NULL));
	b.runs.list[b.runs.count - 1].set_aside = true;
	assert_string_equal(diagnose(&b, DIAGNOSIS_DRIFT, ARM_A)->untested, "too few of them");
	/* The run of A is one of its runs all the same. */
	assert_int_equal(diagnose(&b, DIAGNOSIS_GROUPS, ARM_A)->n, 7);

	bench_init(&zero, PLAN_DECIDED);
	for (int i = 0; i < 8; i++)
		add_pair(&zero, coins[i], 1e9 + i, i == 5 ? 0 : 1e9);
	assert_string_equal(diagnose(&zero, DIAGNOSIS_DRIFT, ARM_A)->untested,
			    "some figure is zero");
}

static void test_protocol(void **state)
{
	struct bench b __bench;
	struct subject *s;
	const struct diagnosis *d;

	(void)state;
	bench_init(&b, PLAN_DECIDED);
	s = &b.e->subjects[0];
	s->params[ARM_A] = json_pack("{s:s}", "window", "1000ms");
	s->params[ARM_B] = json_pack("{s:s, s:s}", "warmup", "1s", "seed", "2");
	d = diagnose(&b, DIAGNOSIS_PROTOCOL, ARM_B);
	assert_string_equal(d->param, "warmup");
	assert_string_equal(d->value_a, "100ms");
	assert_string_equal(d->value, "1s");
	assert_true(d->found && d->matters);
	/* 1000ms is 1s, and another seed is measured no other way. */
	for (size_t i = 0; i < b.all.count; i++)
		assert_true(b.all.list[i].kind != DIAGNOSIS_PROTOCOL || &b.all.list[i] == d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_small_drift),
		cmocka_unit_test(test_drift_of_difference),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_one_order),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_coarse_groups),
		cmocka_unit_test(test_warmup),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_dependence),
		cmocka_unit_test(test_few_operations),
		cmocka_unit_test(test_valley),
		cmocka_unit_test(test_nothing_to_test),
		cmocka_unit_test(test_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
