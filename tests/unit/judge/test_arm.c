// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/arm.h"

static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],\"metrics\":["
	"{\"name\":\"size\",\"unit\":\"bytes\",\"better\":\"neither\",\"summary\":\"total\","
	"\"of\":\"task.size\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"peak\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"max\","
	"\"of\":\"task.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"fairness\",\"unit\":\"ratio\",\"better\":\"higher\","
	"\"summary\":\"fairness\",\"of\":\"task.cost\",\"primary\":false,\"multitask\":true,"
	"\"help\":\"\"}]}";

/* Cleaned up by the end of each test. */
struct bench {
	struct experiment *e;
	struct entries runs;
	struct arm_description *d;
};

static void bench_done(struct bench *b)
{
	arm_description_free(b->d);
	entries_done(&b->runs);
	experiment_free(b->e);
}

#define __bench __cleanup(bench_done) = {0}

static void bench_init(struct bench *b)
{
	json_t *object __free(json) = NULL;
	struct subject *s;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	b->e = experiment_new();
	b->e->plan = PLAN_SINGLE;
	b->e->arm_count = 1;
	b->e->alpha = 0.05;
	b->e->subjects = s = memory_array(1, sizeof(*s));
	b->e->subject_count = 1;
	assert_true(description_from_json(object, &s->description, &err));
	s->primary = description_primary(s->description)->name;
}

static void add(struct bench *b, int64_t cost, int64_t size)
{
	char *text __free(memory) = text_format(
		"{\"outcome\":\"ok\",\"reason\":\"\",\"tasks\":[{\"role\":\"task\",\"task\":0,"
		"\"window_ns\":1000,\"counters\":{\"cost\":%lld,\"size\":%lld}}],\"series\":[]}",
		(long long)cost, (long long)size);
	json_t *record __free(json) = NULL;
	struct run *run = NULL;
	struct error err;

	assert_true(json_parse(text, strlen(text), &record, &err));
	assert_true(run_from_record(record, &run, &err));
	entries_add(&b->runs, (struct entry){.pair = (int64_t)b->runs.count, .run = run});
}

static void add_bad(struct bench *b, enum outcome outcome)
{
	entries_add(&b->runs, (struct entry){.pair = (int64_t)b->runs.count,
					     .run = run_without_record(outcome, "as said")});
}

static const struct arm_metric *describe(struct bench *b)
{
	arm_description_free(b->d);
	b->d = arm_describe(b->e, &b->runs, 0);
	assert_string_equal(b->d->metrics[0].metric->name, "cost");
	assert_true(b->d->metrics[0].primary);
	return &b->d->metrics[0];
}

/* cmocka compares floats only. */
static void check_near(double value, double wanted, double tolerance)
{
	if (!(fabs(value - wanted) <= tolerance))
		fail_msg("%.12g, not %.12g", value, wanted);
}

/*
 * What `perf stat -r 5 --table` said of five runs, here in units of 0.1 us: 0.0111866 0.0110404
 * 0.0111165 0.0110210 0.0109607, and 0.0110650 +- 0.0000393 seconds ( +- 0.35% ).
 */
static void as_perf_stat(void **state)
{
	static const int64_t elapsed[] = {111866, 110404, 111165, 110210, 109607};
	struct bench b __bench;
	const struct arm_metric *m;

	(void)state;
	bench_init(&b);
	for (size_t i = 0; i < 5; i++)
		add(&b, elapsed[i], 1);
	m = describe(&b);
	assert_int_equal(m->n, 5);
	check_near(m->mean, 110650, .5);
	check_near(m->sd / sqrt(5), 393, .5);
	check_near(100 * m->error_ratio, .35, .005);
	check_near(m->median, 110404, 0);
	check_near(m->min, 109607, 0);
	check_near(m->max, 111866, 0);
	assert_int_equal(m->centre, ARM_GEOMETRIC_MEAN);
}

/*
 * Three boot means 10.125 10.65 9.95 and by hand Student's t on their logarithms, t =
 * 4.302652729911275: exp(2.3257 -+ 0.08771) is [9.377618, 11.175988].
 */
static void t_interval(void **state)
{
	struct bench b __bench;
	const struct arm_metric *m;

	(void)state;
	bench_init(&b);
	add(&b, 10125, 1);
	add(&b, 10650, 1);
	add(&b, 9950, 1);
	m = describe(&b);
	assert_int_equal(m->centre, ARM_GEOMETRIC_MEAN);
	check_near(m->interval.low, 9377.618365, 1e-5);
	check_near(m->interval.high, 11175.987972, 1e-5);
	check_near(m->coverage, .95, 1e-12);
}

/*
 * Of figures that spread by more than themselves the mean's interval would reach below zero. With a
 * zero among them there are no logarithms: 0 1 5 have mean 2, sd sqrt(7), and 2 + 4.3026527
 * sqrt(7/3).
 */
static void positive_figures_stay_positive(void **state)
{
	struct bench b __bench;
	const struct arm_metric *m;

	(void)state;
	bench_init(&b);
	add(&b, 1, 0);
	add(&b, 2, 1);
	add(&b, 90, 5);
	m = describe(&b);
	assert_int_equal(m->centre, ARM_GEOMETRIC_MEAN);
	assert_true(m->interval.low > 0);
	assert_true(m->interval.low < 1);
	assert_string_equal(b.d->metrics[1].metric->name, "size");
	assert_int_equal(b.d->metrics[1].centre, ARM_MEAN);
	check_near(b.d->metrics[1].interval.low, 0, 0);
	check_near(b.d->metrics[1].interval.high, 2 + 4.302652729911275 * sqrt(7. / 3), 1e-9);
}

/* The same notes: twenty maxima, the 95.86 % interval of their median is [9.896, 9.958]. */
static void median_interval(void **state)
{
	/* In no order; the interval sorts. */
	static const int64_t maxima[] = {9952, 9737, 9982, 9890, 9892, 10014, 9894,
					 9896, 9918, 9927, 9937, 9940, 9942,  9944,
					 9834, 9952, 9958, 9967, 9974, 9975};
	struct bench b __bench;
	const struct arm_metric *m;

	(void)state;
	bench_init(&b);
	for (size_t i = 0; i < 20; i++)
		add(&b, maxima[i], 1);
	m = describe(&b);
	assert_int_equal(m->centre, ARM_MEDIAN);
	assert_int_equal(m->rank, 6);
	check_near(m->coverage, .9586, .00005);
	check_near(m->interval.low, 9896, 0);
	check_near(m->interval.high, 9958, 0);
	check_near(m->median, 9941, 0);
	check_near(m->values[0], 9952, 0);
}

/* Six is the least n that bounds a median at 95 %: by its extremes, 1 - 2/2^6. */
static void kinds_by_n(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b);
	for (size_t n = 1; n <= 7; n++) {
		const struct arm_metric *m;

		add(&b, (int64_t)(100 + n * n), 1);
		m = describe(&b);
		assert_int_equal(m->n, n);
		assert_int_equal(m->centre, n < 3   ? ARM_NONE
					    : n < 6 ? ARM_GEOMETRIC_MEAN
						    : ARM_MEDIAN);
		assert_int_equal(isnan(m->sd), n == 1);
		assert_int_equal(isnan(m->error_ratio), n == 1);
		if (n == 6)
			check_near(m->coverage, 1 - 2 / 64.0, 1e-12);
	}
}

/* Values without a spread know nothing of it, until there are enough of them. */
static void alike(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b);
	for (size_t n = 1; n <= 6; n++) {
		const struct arm_metric *m;

		add(&b, 0, 4096);
		m = describe(&b);
		assert_int_equal(m->centre, n < 6 ? ARM_NONE : ARM_MEDIAN);
		assert_true(isnan(m->error_ratio));
		check_near(b.d->metrics[1].median, 4096, 0);
		if (n > 1)
			check_near(b.d->metrics[1].error_ratio, 0, 0);
		assert_false(m->drifts);
	}
}

/* The notes' drifting series, by R: tau -.8666667, exact p 1.151895944e-4. */
static void drift(void **state)
{
	static const int64_t series[] = {1040, 1020, 1010, 990, 1000, 980, 970, 975, 960, 965};
	struct bench b __bench;
	const struct arm_metric *m;

	(void)state;
	bench_init(&b);
	for (size_t i = 0; i < 10; i++)
		add(&b, series[i], 4096);
	m = describe(&b);
	check_near(m->drift.tau, -.8666667, 5e-8);
	check_near(m->drift.p, 1.151895944e-4, 5e-14);
	assert_true(m->drift.exact);
	assert_true(m->drifts);
	assert_false(b.d->metrics[1].drifts);
}

/* Four in a row are no drift: 2 of 24 orders are as straight. Five are: 2 of 120. */
static void drift_needs_five(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b);
	for (int64_t n = 1; n <= 5; n++) {
		add(&b, 100 + n, 1);
		assert_int_equal(describe(&b)->drifts, n == 5);
	}
}

/* The primary is asked alone; of the others, size and peak, each counts for two. */
static void drift_of_others_is_corrected(void **state)
{
	static const int64_t peaks[] = {3, 1, 2, 5, 4};
	struct bench b __bench;
	const struct arm_metric *size;

	(void)state;
	bench_init(&b);
	for (int64_t i = 0; i < 5; i++) {
		json_t *series;

		add(&b, 100 - i, 100 + i);
		series = json_object_get(b.runs.list[i].run->record, "series");
		json_array_append_new(
			series,
			json_pack("{s:s, s:s, s:s, s:{s:I, s:I, s:I, s:I, s:[[I,I]]}}", "role",
				  "task", "name", "latency", "unit", "ns", "histogram", "count",
				  (json_int_t)1, "sum", (json_int_t)peaks[i], "min",
				  (json_int_t)peaks[i], "max", (json_int_t)peaks[i], "buckets",
				  (json_int_t)peaks[i], (json_int_t)1));
	}
	assert_true(describe(&b)->drifts);
	size = &b.d->metrics[1];
	assert_string_equal(size->metric->name, "size");
	check_near(size->drift.p, 2 / 120.0, 1e-12);
	check_near(size->drift_p_adjusted, 4 / 120.0, 1e-12);
	assert_true(size->drifts);
	assert_string_equal(b.d->metrics[2].metric->name, "peak");
	assert_false(b.d->metrics[2].drifts);
	b.e->alpha = .03;
	assert_true(describe(&b)->drifts);
	assert_false(b.d->metrics[1].drifts);
}

/* What is not ok has no figure, and is counted. */
static void bad_runs(void **state)
{
	struct bench b __bench;
	const struct arm_metric *m;

	(void)state;
	bench_init(&b);
	describe(&b);
	assert_int_equal(arm_status(b.d), 4);
	add(&b, 10, 1);
	add_bad(&b, OUTCOME_INVALID);
	add(&b, 30, 1);
	add_bad(&b, OUTCOME_CRASHED);
	add_bad(&b, OUTCOME_INTERRUPTED);
	m = describe(&b);
	assert_int_equal(b.d->runs, 5);
	assert_int_equal(b.d->ok, 2);
	assert_int_equal(b.d->failures_in_row, 1);
	assert_int_equal(m->n, 2);
	check_near(m->median, 20, 0);
	assert_int_equal(arm_status(b.d), 0);
	/*
	 * No series: no figure, and the reason. A single task has no fairness, which goes unsaid.
	 */
	assert_int_equal(b.d->metric_count, 3);
	assert_int_equal(b.d->metrics[2].n, 0);
	assert_int_equal(b.d->metrics[2].refused, 2);
	assert_non_null(b.d->metrics[2].refusal);
	add_bad(&b, OUTCOME_FAILED);
	add_bad(&b, OUTCOME_TIMEOUT);
	describe(&b);
	assert_int_equal(b.d->failures_in_row, 3);
	assert_int_equal(arm_status(b.d), 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_perf_stat),
		cmocka_unit_test(t_interval),
		cmocka_unit_test(positive_figures_stay_positive),
		cmocka_unit_test(median_interval),
		cmocka_unit_test(kinds_by_n),
		cmocka_unit_test(alike),
		cmocka_unit_test(drift),
		cmocka_unit_test(drift_needs_five),
		cmocka_unit_test(drift_of_others_is_corrected),
		cmocka_unit_test(bad_runs),
	};

	json_use_memory();
	return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}
