// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "model/metric.h"

static const struct metric latency = {
	.name = "writer_latency_p99",
	.unit = "ns",
	.better = BETTER_LOWER,
	.summary = SUMMARY_P99,
	.of = "writer.latency",
	.primary = true,
	.help = "time of one mmap() and munmap()",
};

static const struct metric ratio = {
	.name = "failure_ratio",
	.unit = "ratio",
	.better = BETTER_NEITHER,
	.summary = SUMMARY_RATIO,
	.of = "writer.failures",
	.per = "writer.operations",
	.multitask = true,
	.help = "",
};

static void same(const struct metric *a, const struct metric *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->unit, b->unit);
	assert_int_equal(a->better, b->better);
	assert_int_equal(a->summary, b->summary);
	assert_string_equal(a->of, b->of);
	assert_int_equal(!a->per, !b->per);
	if (a->per)
		assert_string_equal(a->per, b->per);
	assert_int_equal(a->primary, b->primary);
	assert_int_equal(a->multitask, b->multitask);
	assert_string_equal(a->help, b->help);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (int summary = SUMMARY_P50; summary <= SUMMARY_FAIRNESS; summary++) {
		for (int better = BETTER_LOWER; better <= BETTER_NEITHER; better++) {
			struct metric m = summary == SUMMARY_RATIO ? ratio : latency;
			json_t *object __free(json) = NULL;
			struct metric back;
			struct error err;

			m.summary = (enum summary)summary;
			m.better = (enum better)better;
			object = metric_to_json(&m);
			if (!metric_from_json(object, &back, &err))
				fail_msg("%s", err.text);
			same(&m, &back);
		}
	}
}

static void test_json(void **state)
{
	json_t *object __free(json) = metric_to_json(&latency);
	json_t *expected __free(json) =
		made("{'name':'writer_latency_p99','unit':'ns','better':'lower','summary':'p99',"
		     "'of':'writer.latency','primary':true,'multitask':false,"
		     "'help':'time of one mmap() and munmap()'}");

	(void)state;
	assert_true(json_equal(object, expected));
}

static void refuse(const char *key, json_t *value, const char *text)
{
	json_t *object __free(json) = metric_to_json(&ratio);
	struct metric m = {.name = "untouched"};
	struct error err;

	if (value)
		json_object_set_new(object, key, value);
	else
		json_object_del(object, key);
	assert_false(metric_from_json(object, &m, &err));
	assert_string_equal(m.name, "untouched");
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, text);
}

static void test_refuses(void **state)
{
	(void)state;
	refuse("name", NULL, "metric: field 'name' is not a string");
	refuse("name", json_string("a b"),
	       "metric: field 'name' is not a name (letters, digits, _ and -)");
	refuse("unit", NULL, "metric 'failure_ratio': field 'unit' is not a string");
	refuse("better", json_string("best"),
	       "metric 'failure_ratio': field 'better': unknown word 'best'");
	refuse("summary", json_string("p999"),
	       "metric 'failure_ratio': field 'summary': unknown word 'p999'");
	refuse("of", json_string("latency"), "metric 'failure_ratio': field 'of' is not role.name");
	refuse("of", json_string("a.b.c"), "metric 'failure_ratio': field 'of' is not role.name");
	refuse("of", json_string(".b"), "metric 'failure_ratio': field 'of' is not role.name");
	refuse("of", json_string("a."), "metric 'failure_ratio': field 'of' is not role.name");
	refuse("per", NULL, "metric 'failure_ratio': field 'per' is not a string");
	refuse("per", json_string("x"), "metric 'failure_ratio': field 'per' is not role.name");
	refuse("primary", json_integer(1),
	       "metric 'failure_ratio': field 'primary' is not true or false");
	refuse("multitask", NULL, "metric 'failure_ratio': field 'multitask' is not true or false");
	refuse("help", NULL, "metric 'failure_ratio': field 'help' is not a string");
	/* A divisor that would be read by nobody is a mistake in the declaration. */
	refuse("summary", json_string("rate"),
	       "metric 'failure_ratio': field 'per' without a ratio");
}

/* The smallest n with 1 - q^n - (1 - q)^n >= 0.95. */
static unsigned int least(double q)
{
	unsigned int n = 1;

	while (1 - pow(q, n) - pow(1 - q, n) < 0.95)
		n++;
	return n;
}

static void test_least_samples(void **state)
{
	(void)state;
	assert_int_equal(summary_least_samples(SUMMARY_P50), 6);
	assert_int_equal(summary_least_samples(SUMMARY_P95), 59);
	assert_int_equal(summary_least_samples(SUMMARY_P99), 299);
	assert_int_equal(summary_least_samples(SUMMARY_P999), 2995);
	assert_int_equal(summary_least_samples(SUMMARY_P50), least(0.5));
	assert_int_equal(summary_least_samples(SUMMARY_P95), least(0.95));
	assert_int_equal(summary_least_samples(SUMMARY_P99), least(0.99));
	assert_int_equal(summary_least_samples(SUMMARY_P999), least(0.999));
	for (int summary = SUMMARY_MAX; summary <= SUMMARY_FAIRNESS; summary++)
		assert_int_equal(summary_least_samples((enum summary)summary), 0);
}

static void test_quantiles(void **state)
{
	static const struct metric list[] = {
		METRIC_QUANTILES("one", "task.one", "of one"),
		METRIC_QUANTILES_PRIMARY("two", "task.two", "of two", SUMMARY_P99),
		{"mean", "ns", BETTER_LOWER, SUMMARY_MEAN, "task.one", .help = "mean"},
		{.name = NULL},
	};
	static const enum summary five[] = {SUMMARY_P50, SUMMARY_P95, SUMMARY_P99, SUMMARY_P999,
					    SUMMARY_MAX};
	static const double quantiles[] = {.5, .95, .99, .999, 0};

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		assert_int_equal(list[i].summary, five[i % 5]);
		assert_string_equal(list[i].of, i < 5 ? "task.one" : "task.two");
		assert_int_equal(list[i].primary, i == 7);
		assert_true(summary_quantile_of(list[i].summary) == quantiles[i % 5]);
		assert_int_equal(metric_shares_shift(&list[0], &list[i]), i < 5);
	}
	assert_string_equal(list[0].name, "one_p50");
	assert_string_equal(list[3].name, "one_p999");
	assert_string_equal(list[9].name, "two_max");
	assert_string_equal(list[5].help, "median time of two");
	/* A mean is read alone. */
	assert_false(metric_shares_shift(&list[0], &list[10]));
	assert_false(metric_shares_shift(&list[10], &list[10]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_least_samples),
		cmocka_unit_test(test_quantiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
