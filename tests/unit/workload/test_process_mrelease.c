// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

static const char *const outcomes[] = {"released", "again", "lost", "refused"};

/* With two CPUs, on one, and without the call. Not where this machine cannot. */
static void test_outcomes(void **state)
{
	static const char *const cases[] = {
		"window=500ms size=1M",
		"window=500ms size=1M vmas=20 threads=3",
		"window=300ms size=64k victim_cpu=same",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_named("process_mrelease", cases[i]);
		json_t *killer = run ? task_of(run, 0) : NULL;
		int64_t victims, sum = 0;

		if (!run)
			continue;
		victims = counter_of(killer, "victim");
		for (size_t k = 0; k < 4; k++)
			sum += counter_of(killer, outcomes[k]);
		assert_true(victims > 0);
		assert_int_equal(counter_of(killer, "failures"), 0);
		/* Each victim was called for once, and each call has one outcome. */
		assert_int_equal(counter_of(killer, "operations"), victims);
		assert_int_equal(counter_of(killer, "calls"), victims);
		assert_int_equal(sum, victims);
		/* Whoever sleeps when it is killed is about to die. */
		assert_int_equal(counter_of(killer, "refused"), 0);
		assert_int_equal(field_of(histogram_of(run, "exit"), "count"), victims);
		/* No call that did nothing is among those that are timed. */
		assert_int_equal(field_of(histogram_of(run, "call"), "count"),
				 counter_of(killer, "released"));
	}
}

static void test_control(void **state)
{
	struct run *run __free(run) =
		run_named("process_mrelease", "window=300ms size=1M reap=no victim_cpu=same");
	double ignored;

	(void)state;
	if (!run)
		return;
	assert_true(counter_of(task_of(run, 0), "victim") > 0);
	assert_int_equal(counter_of(task_of(run, 0), "calls"), 0);
	assert_false(has_figure(run, "process_mrelease", "released_share", &ignored));
	assert_false(has_figure(run, "process_mrelease", "call_p50", &ignored));
}

/*
 * Calls of which none released anything are no measurement of the call; no calls are the control.
 */
static void test_nothing_released(void **state)
{
	const struct role *role = &workload_find("process_mrelease")->roles[0];
	struct tally tally = {.operations = {9, 0, 1, 6, 2}, .counters = {9}};
	struct worker w = {.role = role, .tally = &tally};
	struct error err;

	(void)state;
	assert_false(role->finish(&w, &err));
	assert_int_equal(err.code, ERROR_DATA);
	assert_non_null(strstr(err.text, "none of 9 calls of process_mrelease released memory: "
					 "6 came too late (ESRCH), 2 too early (EINVAL), 1 gave"));
	tally.operations[1] = 1;
	assert_true(role->finish(&w, &err));
	tally = (struct tally){.operations = {9}};
	assert_true(role->finish(&w, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_nothing_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
