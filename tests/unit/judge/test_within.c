// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/within.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "stats/order.h"

static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],\"metrics\":["
	"{\"name\":\"rate\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"rate\","
	"\"of\":\"task.operations\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"p50\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"p50\","
	"\"of\":\"task.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"other_p50\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"p50\","
	"\"of\":\"task.other\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"p99\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"p99\","
	"\"of\":\"task.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"max\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"max\","
	"\"of\":\"task.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"}]}";

enum { RATE, P50, OTHER, P99, MAX, METRICS };

static struct description *description_new(void)
{
	json_t *object __free(json) = NULL;
	struct description *d;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	assert_true(description_from_json(object, &d, &err));
	assert_int_equal(d->metric_count, METRICS);
	return d;
}

/* A run with these latencies, of which `kept` are also there as they are, in two tasks. */
static struct run *run_new(const int64_t *latencies, size_t n, size_t kept)
{
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	json_t *record __free(json) = NULL;
	json_t *raw = json_array(), *tasks[] = {json_array(), json_array()};
	struct run *run = NULL;
	struct error err;

	for (size_t i = 0; i < n; i++) {
		histogram_record(h, latencies[i]);
		if (i < kept)
			json_array_append_new(tasks[i % 3 == 0], json_integer(latencies[i]));
	}
	json_array_append_new(raw, tasks[0]);
	json_array_append_new(raw, tasks[1]);
	record = json_pack(
		"{s:s, s:s, s:[{s:s, s:i, s:i, s:{s:i}}], s:[{s:s, s:s, s:s, s:o, s:o}]}",
		"outcome", "ok", "reason", "", "tasks", "role", "task", "task", 0, "window_ns",
		1000, "counters", "operations", 5, "series", "role", "task", "name", "latency",
		"unit", "ns", "histogram", histogram_to_json(h), "raw", raw);
	assert_non_null(record);
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	return run;
}

/* 1000 different latencies of some hundred us in random order; sorted[k] is that of rank k + 1. */
static void make_latencies(int64_t *latencies, int64_t *sorted)
{
	struct random r;

	for (size_t i = 0; i < 1000; i++)
		sorted[i] = latencies[i] = 100000 + (int64_t)(i * i);
	random_seed(&r, 5, 0);
	for (size_t i = 1000; i-- > 1;) {
		size_t k = (size_t)random_below(&r, i + 1);
		int64_t swap = latencies[i];

		latencies[i] = latencies[k];
		latencies[k] = swap;
	}
}

/* The ends are samples where all are at hand, and otherwise lie beyond these within a bucket. */
static void test_ends(void **state)
{
	struct description *d __free(description) = description_new();
	int64_t latencies[1000], sorted[1000];
	/* docs/method.md: n = 1000, q = .99; of the median by the binomial. */
	const struct order_ranks median = order_find_ranks(1000, .5, .95);
	const double low[] = {[P50] = (double)median.low, [P99] = 983};
	const double high[] = {[P50] = (double)median.high, [P99] = 997};

	(void)state;
	make_latencies(latencies, sorted);
	for (int exact = 0; exact < 2; exact++) {
		struct run *run __free(run) = run_new(latencies, 1000, exact ? 1000 : 999);
		struct within *w __free(memory) = within_run(run, d, .95);

		assert_false(w[RATE].known);
		assert_false(w[OTHER].known);
		assert_false(w[MAX].known);
		for (int m = P50; m <= P99; m += P99 - P50) {
			double inner_low = (double)sorted[(size_t)low[m] - 1];
			double inner_high = (double)sorted[(size_t)high[m] - 1];
			double room = exact ? 0 : 1. / 128;

			assert_true(w[m].known);
			assert_int_equal(w[m].exact, exact);
			assert_true(w[m].interval.low <= inner_low);
			assert_true(w[m].interval.low >= inner_low * (1 - room));
			assert_true(w[m].interval.high >= inner_high);
			assert_true(w[m].interval.high <= inner_high * (1 + room));
			assert_true(w[m].value >= w[m].interval.low);
			assert_true(w[m].value <= w[m].interval.high);
		}
		assert_true(fabs(w[P99].coverage - .976095) < 5.1e-7);
		/* Of the same rank, whether by bucket or by sample. */
		assert_true(fabs(w[P99].value - (double)sorted[989]) <=
			    (exact ? 0 : (double)sorted[989] / 256));
	}
}

/* A figure has its least number of samples, the interval another one, and is refused below it. */
static void test_least(void **state)
{
	struct description *d __free(description) = description_new();
	static const struct {
		size_t n;
		bool median, p99;
	} cases[] = {{5, false, false},
		     {6, true, false},
		     {299, true, false},
		     {367, true, false},
		     {368, true, true}};
	int64_t latencies[1000], sorted[1000];

	(void)state;
	make_latencies(latencies, sorted);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_new(latencies, cases[i].n, 0);
		struct within *w __free(memory) = within_run(run, d, .95);
		struct error why;
		double value;

		assert_int_equal(w[P50].known, cases[i].median);
		assert_int_equal(w[P99].known, cases[i].p99);
		assert_int_equal(run_figure(run, &d->metrics[P99], &value, &why),
				 cases[i].n >= 299);
	}
	assert_int_equal(within_least_samples(SUMMARY_P50, .95), 6);
	assert_int_equal(within_least_samples(SUMMARY_P95, .95), 72);
	assert_int_equal(within_least_samples(SUMMARY_P99, .95), 368);
	assert_int_equal(within_least_samples(SUMMARY_P999, .95), 3688);
	assert_int_equal(within_least_samples(SUMMARY_MAX, .95), 0);
	assert_int_equal(within_least_samples(SUMMARY_MEAN, .95), 0);
}

/* Nothing is known of a run that is not ok. */
static void test_not_ok(void **state)
{
	struct description *d __free(description) = description_new();
	struct run *run __free(run) = run_without_record(OUTCOME_CRASHED, "as said");
	struct within *w __free(memory) = within_run(run, d, .95);

	(void)state;
	for (size_t i = 0; i < METRICS; i++)
		assert_false(w[i].known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_not_ok),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
