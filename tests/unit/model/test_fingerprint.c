// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/fingerprint.h"

static json_t *made(const char *words)
{
	json_error_t where;
	json_t *object = json_loads(words, 0, &where);

	if (!object)
		fail_msg("%s: %s", words, where.text);
	return object;
}

static void test_kinds(void **state)
{
	(void)state;
	assert_false(fingerprint_is_reading("governor"));
	assert_false(fingerprint_is_reading("CONFIG_HZ"));
	/* What a later agent says is reported when it changes, rather than passed over. */
	assert_false(fingerprint_is_reading("what_is_this"));
	assert_true(fingerprint_is_reading("load1"));
	assert_true(fingerprint_is_reading("steal_ratio"));
	assert_true(fingerprint_is_reading("memory_available_bytes"));
	assert_true(fingerprint_is_reading("uptime_ns"));
	assert_true(fingerprint_is_known("kernel"));
	assert_false(fingerprint_is_known("CONFIG_HZ"));
	assert_true(fingerprint_is_config("CONFIG_HZ"));
	assert_false(fingerprint_is_config("kernel"));
}

/* Facts are listed once, group by group. */
static void test_table(void **state)
{
	(void)state;
	for (const struct fact *f = fingerprint_facts(); f->key; f++) {
		assert_true(f->group < FACT_GROUPS);
		assert_non_null(fact_group_words[f->group]);
		if (f[1].key)
			assert_true(f[1].group >= f->group);
		for (const struct fact *other = f + 1; other->key; other++)
			assert_string_not_equal(f->key, other->key);
	}
}

static void check_value(const char *key, const char *json, const char *expected)
{
	json_error_t where;
	json_t *value __free(json) = json_loads(json, JSON_DECODE_ANY, &where);
	struct text out __text = {0};

	assert_non_null(value);
	fingerprint_put_value(&out, key, value);
	assert_string_equal(text_string(&out), expected);
}

static void test_values(void **state)
{
	(void)state;
	check_value("memory_bytes", "25276510208", "23.54 GiB");
	check_value("memory_limit_bytes", "\"none\"", "none");
	check_value("steal_ratio", "0.0123", "1.23 %");
	check_value("uptime_ns", "86400500000000", "86400 s");
	check_value("load1", "0.87", "0.87");
	check_value("CONFIG_HZ", "250", "250");
	check_value("max_map_count", "2147483642", "2147483642");
	check_value("swap", "\"none\"", "none");
	check_value("later", "[1,true]", "[1,true]");
}

static void test_diff(void **state)
{
	json_t *before __free(json) = made("{\"governor\":\"powersave\",\"thp\":\"never\","
					   "\"load1\":1.5,\"memory_limit_bytes\":\"none\","
					   "\"gone\":\"x\",\"deep\":{\"a\":1},\"new_kind\":1}");
	json_t *after __free(json) = made("{\"thp\":\"never\",\"load1\":9.5,"
					  "\"memory_limit_bytes\":4096,\"come\":\"y\","
					  "\"governor\":\"performance\",\"deep\":{\"a\":2},"
					  "\"new_kind\":2}");
	struct fact_changes c __cleanup(fact_changes_done) = fingerprint_diff(before, after);

	(void)state;
	assert_int_equal(c.count, 3);
	assert_string_equal(c.list[0].key, "governor");
	assert_string_equal(json_string_value(c.list[0].before), "powersave");
	assert_string_equal(json_string_value(c.list[0].after), "performance");
	assert_string_equal(c.list[1].key, "memory_limit_bytes");
	assert_string_equal(json_string_value(c.list[1].before), "none");
	assert_int_equal(json_integer_value(c.list[1].after), 4096);
	assert_string_equal(c.list[2].key, "new_kind");
}

/* What is not known on one side has not changed. */
static void test_no_diff(void **state)
{
	json_t *some __free(json) = made("{\"governor\":\"powersave\"}");
	json_t *none __free(json) = made("{}");
	struct fact_changes a __cleanup(fact_changes_done) = fingerprint_diff(some, none);
	struct fact_changes b __cleanup(fact_changes_done) = fingerprint_diff(none, some);
	struct fact_changes c __cleanup(fact_changes_done) = fingerprint_diff(some, some);
	struct fact_changes d __cleanup(fact_changes_done) = fingerprint_diff(NULL, some);

	(void)state;
	assert_int_equal(a.count + b.count + c.count + d.count, 0);
}

static void test_cpu_lists(void **state)
{
	(void)state;
	assert_int_equal(fingerprint_cpu_count("0"), 1);
	assert_int_equal(fingerprint_cpu_count("0-1"), 2);
	assert_int_equal(fingerprint_cpu_count("0-3,8,10-11"), 7);
	assert_int_equal(fingerprint_cpu_count(""), 0);
	assert_int_equal(fingerprint_cpu_count("many"), 0);
	assert_int_equal(fingerprint_cpu_count("3-1"), 0);
	assert_int_equal(fingerprint_cpu_count("0-"), 0);
	assert_int_equal(fingerprint_cpu_count("-1"), 0);
	assert_int_equal(fingerprint_cpu_count("0 1"), 0);
	assert_int_equal(fingerprint_cpu_count("0-99999999999999999999"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_no_diff),
		cmocka_unit_test(test_cpu_lists),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
