// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "model/reading.h"

static void takes(const char *text, const char *name, const char *pattern, const char *unit,
		  enum better better)
{
	struct reading r __cleanup(reading_done) = {0};
	struct error err;

	if (!reading_parse(text, &r, &err))
		fail_msg("%s: %s", text, err.text);
	assert_string_equal(r.name, name);
	assert_string_equal(r.pattern, pattern);
	assert_string_equal(r.unit, unit);
	assert_int_equal(r.better, better);
}

static void test_parse(void **state)
{
	(void)state;
	takes("tps:([0-9.]+) per sec:1/s:higher", "tps", "([0-9.]+) per sec", "1/s", BETTER_HIGHER);
	/* Colons in the middle are the expression's. */
	takes("lag:max: ([0-9]+):ms:lower", "lag", "max: ([0-9]+)", "ms", BETTER_LOWER);
	takes("a:([[:digit:]]+):pages:higher", "a", "([[:digit:]]+)", "pages", BETTER_HIGHER);
}

static void refuses(const char *text, const char *words)
{
	struct reading r __cleanup(reading_done) = {0};
	struct error err = {0};

	assert_false(reading_parse(text, &r, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_null(r.name);
	if (!strstr(err.text, words))
		fail_msg("%s: '%s' has no '%s'", text, err.text, words);
}

static void test_refusals(void **state)
{
	(void)state;
	refuses("", "'' is not NAME:REGEX:UNIT:higher or :lower");
	refuses("a", "is not NAME:REGEX:UNIT:higher or :lower");
	refuses("a:(b):higher", "is not NAME:REGEX:UNIT:higher or :lower");
	refuses("a:(b):s:more", "'more' at its end must be higher or lower");
	refuses("a:(b):s:", "'' at its end must be higher or lower");
	refuses("a:(b)::higher", "the unit of a is empty");
	refuses(":(b):s:higher", "'' is not a name for a metric");
	refuses("A b:(b):s:higher", "'A b' is not a name for a metric");
	refuses("a:b:s:higher", "the regular expression of a: 'b' has 0 groups");
	refuses("a:(b:s:higher", "the regular expression of a: character 1, '(b': ");
}

/* It survives as a metric, and times become ns. */
static void metric_of(const char *text, const char *unit, double scale)
{
	struct reading r __cleanup(reading_done) = {0};
	json_t *object __free(json) = NULL;
	struct metric m;
	struct error err;

	assert_true(reading_parse(text, &r, &err));
	object = reading_metric(&r, "program");
	if (!metric_from_json(object, &m, &err))
		fail_msg("%s", err.text);
	assert_string_equal(m.name, r.name);
	assert_string_equal(m.unit, unit);
	assert_string_equal(m.of, "program.a");
	assert_string_equal(m.reader, METRIC_READER_PATTERN);
	assert_string_equal(m.pattern, r.pattern);
	assert_int_equal(m.summary, SUMMARY_READING);
	assert_int_equal(m.better, r.better);
	assert_false(m.primary);
	assert_true(m.scale == scale);
}

static void test_metric(void **state)
{
	(void)state;
	metric_of("a:(b):s:lower", "ns", 1e9);
	metric_of("a:(b):ms:lower", "ns", 1e6);
	metric_of("a:(b):us:higher", "ns", 1e3);
	metric_of("a:(b):ns:lower", "ns", 1);
	metric_of("a:(b):1/s:higher", "1/s", 1);
}

static void test_metric_refusals(void **state)
{
	static const char *const members[] = {"reader", "pattern", "scale"};
	struct reading r __cleanup(reading_done) = {0};
	struct error err;

	(void)state;
	assert_true(reading_parse("a:(b):s:lower", &r, &err));
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		json_t *object __free(json) = reading_metric(&r, "program");
		struct metric m;

		json_object_del(object, members[i]);
		assert_false(metric_from_json(object, &m, &err));
		assert_non_null(strstr(err.text, members[i]));
	}
	json_t *object __free(json) = reading_metric(&r, "program");
	struct metric m;

	json_object_set_new(object, "reader", json_string("tea_leaves"));
	assert_false(metric_from_json(object, &m, &err));
	assert_non_null(strstr(err.text, "tea_leaves"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_metric),
		cmocka_unit_test(test_metric_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
