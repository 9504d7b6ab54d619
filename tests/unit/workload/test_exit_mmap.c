// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "bench.h"

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
		"window=300ms size=64k at_once=3",
		"window=300ms size=64k at_once=3 end=kill",
		"window=500ms size=0 vmas=0 at_once=2 files=5 tasks=2",
		"window=500ms size=64k files=3 file_map=shared file_size=4096",
	};
	static const int64_t at_once[] = {1, 1, 1, 1, 1, 1, 1, 3, 3, 2, 1};

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
		/* All of a round, or none. */
		assert_int_equal(field_of(histogram_of(run, "all_reaped"), "count") * at_once[i],
				 all);
		assert_int_equal(counter_of(parent, "round") * at_once[i], children);
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

/* Mappings of files on top of that, each of them read; nothing of it is left open or has a name. */
static void test_files(void **state)
{
	struct run *none __free(run) = run_named("exit_mmap", "window=100ms size=0 vmas=0");
	struct run *some __free(run) =
		run_named("exit_mmap", "window=100ms size=0 vmas=0 files=20 file_size=64k");
	struct run *two __free(run) =
		run_named("exit_mmap", "window=300ms size=0 vmas=0 files=20 file_size=64k tasks=2");

	(void)state;
	assert_true(figure(some, "exit_mmap", "vmas") == figure(none, "exit_mmap", "vmas") + 20);
	/*
	 * As many; a mapping of the process's own, the heap of a sanitizer, may be merged or not.
	 */
	assert_true(fabs(figure(two, "exit_mmap", "vmas") - figure(some, "exit_mmap", "vmas")) < 2);
	assert_true(figure(some, "exit_mmap", "rss") - figure(none, "exit_mmap", "rss") > 1.2e6);
}

static void test_files_refused(void **state)
{
	const struct workload *w = workload_find("exit_mmap");
	struct run *nowhere __free(run) = run_workload(w, "files=1 dir=/nonexistent");
	struct run *proc __free(run) = run_workload(w, "files=1 dir=/proc");
	struct run *odd __free(run) = run_workload(w, "files=1 file_size=5000");

	(void)state;
	assert_run(nowhere, OUTCOME_UNSUPPORTED, "dir=/nonexistent: cannot make a file");
	assert_run(proc, OUTCOME_UNSUPPORTED, "dir=/proc (proc at /proc): ");
	assert_run(odd, OUTCOME_UNSUPPORTED, "file_size=5000: not whole pages");
}

/* Huge pages where the machine has them; never where they are not wanted. */
static void test_huge(void **state)
{
	static const char words[] = "window=200ms size=8M hugepage=madvise";
	struct run *trial __free(run) = run_workload(workload_find("exit_mmap"), words);

	(void)state;
	if (trial->outcome == OUTCOME_UNSUPPORTED) {
		assert_run(trial, OUTCOME_UNSUPPORTED, "hugepage=madvise: ");
		return;
	}
	struct run *never __free(run) =
		run_named("exit_mmap", "window=200ms size=8M hugepage=never");
	struct run *asked __free(run) = run_named("exit_mmap", words);

	/* A sanitizer has some of its own. */
	assert_true(figure(asked, "exit_mmap", "huge_pages") -
			    figure(never, "exit_mmap", "huge_pages") >=
		    1048576.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_mmap),
		cmocka_unit_test(test_exit_mmap_mappings),
		cmocka_unit_test(test_exit_mmap_refuses),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_files_refused),
		cmocka_unit_test(test_huge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
