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

static void test_exit_mmap(void **state)
{
	static const char *const cases[] = {
		"window=200ms size=0 vmas=0",
		"window=200ms size=0 vmas=0 end=kill",
		"window=200ms size=0 vmas=50",
		"window=300ms size=64k vmas=1000",
		"window=300ms size=1M vmas=1000 touch=50% end=kill",
		"window=300ms size=1M threads=4",
		"window=300ms size=1M vmas=3 threads=40 end=kill tasks=2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_named("exit_mmap", cases[i]);
		json_t *parent = task_of(run, 0);
		int64_t children = counter_of(parent, "child"), all = 0;

		assert_int_equal(counter_of(parent, "failures"), 0);
		assert_true(children > 0);
		assert_int_equal(counter_of(parent, "operations"), children);
		for (size_t k = 0; k < tasks_in(run); k++)
			all += counter_of(task_of(run, k), "child");
		assert_int_equal(field_of(histogram_of(run, "teardown"), "count"), all);
		assert_int_equal(field_of(histogram_of(run, "readable"), "count"), all);
		assert_int_equal(field_of(histogram_of(run, "build"), "count"), all);
		/* First it is readable, then it is reaped. */
		assert_true(field_of(histogram_of(run, "readable"), "sum") <
			    field_of(histogram_of(run, "teardown"), "sum"));
		assert_true(figure(run, "exit_mmap", "children") > 0);
		assert_true(figure(run, "exit_mmap", "rss") > 0);
		assert_true(figure(run, "exit_mmap", "page_tables") > 0);
	}
}

/* Mappings on top of those of a child without any, by the kernel's own count. */
static void test_exit_mmap_mappings(void **state)
{
	struct run *none __free(run) = run_named("exit_mmap", "window=100ms size=0 vmas=0");
	struct run *one __free(run) = run_named("exit_mmap", "window=100ms size=0 vmas=1");
	struct run *many __free(run) = run_named("exit_mmap", "window=300ms size=1M vmas=257");
	double floor = figure(none, "exit_mmap", "vmas");

	(void)state;
	assert_true(figure(one, "exit_mmap", "vmas") == floor + 1);
	assert_true(figure(many, "exit_mmap", "vmas") == floor + 257);
	assert_true(figure(many, "exit_mmap", "rss") - figure(none, "exit_mmap", "rss") > 900e3);
}

/* What cannot be is said, and is no run. */
static void test_exit_mmap_refuses(void **state)
{
	const struct workload *w = workload_find("exit_mmap");
	struct run *nowhere __free(run) = run_workload(w, "vmas=0");
	struct run *large __free(run) = run_workload(w, "size=64T");
	struct run *many __free(run) = run_workload(w, "size=1M vmas=1000000 window=20ms");

	(void)state;
	assert_run(nowhere, OUTCOME_UNSUPPORTED, "size=16M with vmas=0: ");
	assert_run(large, OUTCOME_UNSUPPORTED, "the children of exit_mmap would need 64.");
	/* Unless the limit was raised. */
	if (many->outcome == OUTCOME_UNSUPPORTED)
		assert_run(many, OUTCOME_UNSUPPORTED, "the child: mapping ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_brk1_alone),
		cmocka_unit_test(test_brk1_threads),
		cmocka_unit_test(test_proc_maps_alone),
		cmocka_unit_test(test_proc_maps_unsupported),
		cmocka_unit_test(test_exit_mmap),
		cmocka_unit_test(test_exit_mmap_mappings),
		cmocka_unit_test(test_exit_mmap_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
