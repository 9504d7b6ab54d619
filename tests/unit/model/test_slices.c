// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "made.h"
#include "model/slices.h"

static json_t *record_with(const char *slices)
{
	json_t *record = made("{'outcome':'ok','reason':'','tasks':[],'series':[]}");

	if (slices)
		json_object_set_new(record, "slices", made(slices));
	return record;
}

static struct run *run_with(const char *slices)
{
	json_t *record __free(json) = record_with(slices);
	struct run *r = NULL;
	struct error err;

	if (!run_from_record(record, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

static void test_rates(void **state)
{
	struct run *r __free(run) =
		run_with("[{'role':'reader','at_ns':[0,5],'operations':[0,0]},"
			 "{'role':'writer','at_ns':[12,1000000012,1500000012,2500000012],"
			 "'operations':[3,1003,1003,9223372036854775807]}]");
	struct slice s[SLICES_MAX];

	(void)state;
	assert_int_equal(run_slices(r, "writer", s), 3);
	assert_int_equal(s[0].begin_ns, 12);
	assert_int_equal(s[0].end_ns, 1000000012);
	assert_int_equal(s[0].operations, 1000);
	assert_true(s[0].rate == 1000);
	assert_int_equal(s[1].begin_ns, 1000000012);
	assert_int_equal(s[1].operations, 0);
	assert_true(s[1].rate == 0);
	assert_true(s[2].rate == 0x1p63 - 1024); /* 1003 less, rounded */
	assert_int_equal(run_slices(r, "reader", s), 1);
	assert_true(s[0].rate == 0);
	assert_int_equal(run_slices(r, "read", s), 0);
}

/* A run of an older agent, of a short window, without a record. */
static void test_none(void **state)
{
	static const char *const cases[] = {
		NULL,
		"[]",
		"[{'role':'writer','at_ns':[],'operations':[]}]",
		"[{'role':'writer','at_ns':[7],'operations':[1]}]",
	};
	struct run *without __free(run) = run_without_record(OUTCOME_FAILED, "x");
	struct slice s[SLICES_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run *r __free(run) = run_with(cases[i]);

		assert_int_equal(run_slices(r, "writer", s), 0);
	}
	assert_int_equal(run_slices(without, "writer", s), 0);
}

static void refuse(const char *slices, const char *why)
{
	json_t *record __free(json) = record_with(slices);
	struct run *r = NULL;
	struct error err;

	if (run_from_record(record, &r, &err))
		fail_msg("%s: taken", slices);
	assert_int_equal(err.code, ERROR_DATA);
	if (!text_equal(err.text, why))
		fail_msg("%s: '%s', not '%s'", slices, err.text, why);
}

static void test_refuses(void **state)
{
	(void)state;
	refuse("{}", "run record: field 'slices' is not an array");
	refuse("[7]", "run record: slices 0: field 'role' is not a string");
	refuse("[{'role':'a b'}]",
	       "run record: slices 0: field 'role' is not a name (letters, digits, _ and -)");
	refuse("[{'role':'a','operations':[]}]",
	       "run record: slices 0: field 'at_ns' is not an array");
	refuse("[{'role':'a','at_ns':[1]}]",
	       "run record: slices 0: field 'operations' is not an array");
	refuse("[{'role':'a','at_ns':[1,1],'operations':[0,0]}]",
	       "run record: slices 0: field 'at_ns': 1 is no more than the one before");
	refuse("[{'role':'a','at_ns':[1,2,3],'operations':[5,6,5]}]",
	       "run record: slices 0: field 'operations': 2 is less than the one before");
	refuse("[{'role':'a','at_ns':[-1],'operations':[0]}]",
	       "run record: slices 0: field 'at_ns': 0 is not a count");
	refuse("[{'role':'a','at_ns':[0],'operations':[0.5]}]",
	       "run record: slices 0: field 'operations': 0 is not a count");
	refuse("[{'role':'a','at_ns':[0,1],'operations':[0]}]",
	       "run record: slices 0: not as many operations as moments");
	refuse("[{'role':'a','at_ns':[0],'operations':[0]},{'role':'a','at_ns':[0],'operations':[0]}]",
	       "run record: slices 1: another a");
}

/* One moment more than slices is taken, and no more; so many roles, and no more. */
static void test_caps(void **state)
{
	struct slice s[SLICES_MAX];

	(void)state;
	for (int moments = SLICES_MAX + 1; moments <= SLICES_MAX + 2; moments++) {
		struct text at __text = {0}, counts __text = {0};

		for (int i = 0; i < moments; i++) {
			text_printf(&at, "%s%d", i ? "," : "", i);
			text_printf(&counts, "%s%d", i ? "," : "", 2 * i);
		}
		char *slices __free(memory) =
			text_format("[{'role':'a','at_ns':[%s],'operations':[%s]}]",
				    text_string(&at), text_string(&counts));

		if (moments > SLICES_MAX + 1) {
			refuse(slices,
			       "run record: slices 0: field 'at_ns' has more than 257 moments");
			continue;
		}
		struct run *r __free(run) = run_with(slices);

		assert_int_equal(run_slices(r, "a", s), SLICES_MAX);
		assert_int_equal(s[SLICES_MAX - 1].operations, 2);
	}
	struct text many __text = {0};

	for (int i = 0; i < 65; i++)
		text_printf(&many, "%s{'role':'a%d','at_ns':[],'operations':[]}", i ? "," : "[", i);
	text_printf(&many, "]");
	refuse(text_string(&many), "run record: more than 64 slices");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_caps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
