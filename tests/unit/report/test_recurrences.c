// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/recurrences.h"

static void starved(struct recurrences *r, unsigned int task, unsigned int percent, int arm,
		    size_t run)
{
	char *text __free(memory) =
		text_format("task %u: could not run for %u %% of its window", task, percent);

	recurrences_add_alike(r, text, arm, run);
}

static void expect(const struct recurrences *r, size_t index, const char *text, size_t a, size_t b)
{
	assert_true(index < r->count);
	assert_string_equal(r->list[index].text, text);
	assert_int_equal(r->list[index].runs[ARM_A], a);
	assert_int_equal(r->list[index].runs[ARM_B], b);
}

/* Two tasks remark the same of one run, and another of both: three remarks in two runs. */
static void test_runs_count_once(void **state)
{
	struct recurrences r __cleanup(recurrences_done) = {0};

	(void)state;
	starved(&r, 0, 53, ARM_A, 0);
	starved(&r, 1, 64, ARM_A, 0);
	starved(&r, 1, 60, ARM_A, 1);
	recurrences_finish(&r);
	assert_int_equal(r.count, 1);
	expect(&r, 0, "task 0, 1: could not run for 53 .. 64 % of its window", 2, 0);
	assert_true(r.list[0].varies);
}

/* The same note twice in a run, and in another: nothing varies. */
static void test_one_text(void **state)
{
	struct recurrences r __cleanup(recurrences_done) = {0};

	(void)state;
	starved(&r, 0, 53, ARM_B, 4);
	starved(&r, 0, 53, ARM_B, 4);
	starved(&r, 0, 53, ARM_A, 5);
	recurrences_finish(&r);
	assert_int_equal(r.count, 1);
	expect(&r, 0, "task 0: could not run for 53 % of its window", 1, 1);
	assert_false(r.list[0].varies);
}

static void test_arms(void **state)
{
	static const unsigned int tasks[] = {11, 0, 1, 2, 3, 6, 7, 9};
	struct recurrences r __cleanup(recurrences_done) = {0};

	(void)state;
	recurrences_add_alike(&r, "only of B", ARM_B, 0);
	for (size_t i = 0; i < 2 * sizeof(tasks) / sizeof(*tasks); i++) {
		bool second = i >= sizeof(tasks) / sizeof(*tasks);
		unsigned int task = tasks[i % (sizeof(tasks) / sizeof(*tasks))];

		starved(&r, task, 62 + second + task % 2, second ? ARM_A : ARM_B, 1 + second);
	}
	recurrences_add_alike(&r, "9.5 of 10 in page_fault1", ARM_A, 3);
	recurrences_add_alike(&r, "12 of 10 in page_fault1", ARM_A, 4);
	recurrences_add_alike(&r, "100 of 10 in page_fault1", ARM_B, 5);
	recurrences_add_alike(&r, "1 of 10 in page_fault2", ARM_A, 6);
	recurrences_finish(&r);
	assert_int_equal(r.count, 4);
	expect(&r, 0, "task 0 .. 3, 6, 7, 9, 11: could not run for 62 .. 64 % of its window", 1, 1);
	/* What lies apart may be what is compared. */
	expect(&r, 1, "A 9.5 .. 12, B 100 of 10 in page_fault1", 2, 1);
	expect(&r, 2, "1 of 10 in page_fault2", 1, 0);
	expect(&r, 3, "only of B", 0, 1);
}

static void test_alike(void **state)
{
	(void)state;
	assert_true(recurrences_are_alike("load 7.00 on 2 CPUs", "load 2172.5 on 16 CPUs"));
	assert_false(recurrences_are_alike("load 7.00", "load 7.00 on"));
	/* Digits of a word or of a version are no number. */
	assert_false(recurrences_are_alike("brk1", "brk2"));
	assert_false(recurrences_are_alike("0x1f", "0x2f"));
	assert_false(recurrences_are_alike("6.18.44", "6.18.45"));
}

/* Of three arms those whose numbers lie apart are told apart, and all arms then have theirs. */
static void three_arms(void **state)
{
	struct recurrences r __cleanup(recurrences_done) = {0};

	(void)state;
	recurrences_add_alike(&r, "lost 3 samples", ARM_A, 0);
	recurrences_add_alike(&r, "lost 7 samples", ARM_A, 1);
	recurrences_add_alike(&r, "lost 5 samples", ARM_B, 2);
	recurrences_add_alike(&r, "lost 9 samples", ARM_C, 3);
	recurrences_add_alike(&r, "late by 3 ms", ARM_B, 2);
	recurrences_add_alike(&r, "late by 4 ms", ARM_C, 3);
	recurrences_add_alike(&r, "late by 3 ms", ARM_C, 4);
	recurrences_finish(&r);
	assert_int_equal(r.count, 2);
	assert_string_equal(r.list[0].text, "lost A 3 .. 7, B 5, C 9 samples");
	assert_int_equal(r.list[0].runs[ARM_C], 1);
	assert_string_equal(r.list[1].text, "late by 3 .. 4 ms");
	assert_int_equal(r.list[1].runs[ARM_C], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_count_once),
		cmocka_unit_test(test_one_text),
		cmocka_unit_test(test_arms),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(three_arms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
