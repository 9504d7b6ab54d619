// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

static void test_null(void **state)
{
	struct run *run __free(run) = run_named("null", "window=30ms");
	struct run *bare __free(run) = run_named("null", "window=30ms record=no");
	double ignored;

	(void)state;
	assert_true(figure(run, "null", "operations") > 0);
	assert_true(figure(run, "null", "latency_p50") >= 0);
	assert_true(figure(bare, "null", "operations") > 0);
	assert_false(has_figure(bare, "null", "latency_p50", &ignored));
	/* Nothing in the loop faults: what it writes has been touched before. */
	assert_int_equal(field_of(task_of(run, 0), "major_faults"), 0);
}

/* One task's calls in turn: each grow has its shrink, and none is in vain. */
static void test_brk1_alone(void **state)
{
	static const char *const modes[] = {
		"window=30ms",
		"window=500ms tasks=2",
		"window=30ms mode=thread",
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct run *run __free(run) = run_named("brk1", modes[i]);

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "noop"), 0);
			assert_true(counter_of(task, "grow") > 0);
			assert_int_equal(counter_of(task, "grow"), counter_of(task, "shrink"));
		}
	}
}

/* Threads on one break: whose calls did what depends, but the sums do not. */
static void test_brk1_threads(void **state)
{
	struct run *run __free(run) = run_named("brk1", "window=1s tasks=3 mode=thread");
	int64_t kinds = 0, operations = 0;
	double shares = 0;

	(void)state;
	for (size_t k = 0; k < tasks_in(run); k++) {
		json_t *task = task_of(run, k);

		assert_int_equal(counter_of(task, "failures"), 0);
		operations += counter_of(task, "operations");
		kinds += counter_of(task, "grow") + counter_of(task, "shrink") +
			 counter_of(task, "noop");
	}
	assert_int_equal(kinds, operations);
	assert_int_equal(field_of(histogram_of(run, "latency"), "count"), operations);
	shares = figure(run, "brk1", "grow_share") + figure(run, "brk1", "shrink_share") +
		 figure(run, "brk1", "noop_share");
	assert_true(shares > 0.999 && shares < 1.001);
	assert_true(figure(run, "brk1", "task_fairness") > 0);
}

/* Those with readers need a second CPU: test_proc_maps.c. */
static void test_proc_maps_alone(void **state)
{
	struct run *run __free(run) = run_named("proc_maps", "window=100ms file=none");
	double ignored;

	(void)state;
	/* That needs no second CPU. */
	assert_non_null(run);
	assert_int_equal(tasks_in(run), 1);
	assert_true(figure(run, "proc_maps", "writer_operations") > 0);
	assert_false(has_figure(run, "proc_maps", "reader_scans", &ignored));
}

static void test_proc_maps_unsupported(void **state)
{
	struct run *run __free(run) =
		run_workload(workload_find("proc_maps"), "vmas=65000 window=20ms");

	(void)state;
	/* It is the kernel's limit on mappings that speaks, where it is the usual one. */
	if (run->outcome == OUTCOME_FAILED)
		assert_run(run, OUTCOME_FAILED, "writer: mapping ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_brk1_alone),
		cmocka_unit_test(test_brk1_threads),
		cmocka_unit_test(test_proc_maps_alone),
		cmocka_unit_test(test_proc_maps_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
