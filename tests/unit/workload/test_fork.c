// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "bench.h"

static void test_fork(void **state)
{
	static const char *const cases[] = {
		"window=200ms size=0 vmas=0",
		"window=200ms size=1M vmas=20",
		"window=200ms size=1M write_after=0%",
		"window=500ms size=1M tasks=2",
		"window=500ms size=1M tasks=2 mode=thread",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_named("fork", cases[i]);
		int64_t forks = 0, overtaken = 0, children = 0;

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "operations"), counter_of(task, "child"));
			assert_int_equal(counter_of(task, "write"),
					 i == 2 ? 0 : counter_of(task, "child"));
			forks += counter_of(task, "fork");
			overtaken += counter_of(task, "overtaken");
			children += counter_of(task, "child");
		}
		assert_true(forks > 0);
		/* Those whose child ran first are with the others in nothing but the count. */
		assert_int_equal(forks + overtaken, children);
		assert_int_equal(field_of(histogram_of(run, "latency"), "count"), forks);
		assert_int_equal(field_of(histogram_of(run, "overtaken"), "count"), overtaken);
		assert_int_equal(field_of(histogram_of(run, "child"), "count"), children);
		assert_true(figure(run, "fork", "page_tables") > 0);
	}
}

/* What is copied, by the kernel's own count of a child. */
static void test_copies(void **state)
{
	struct run *none __free(run) = run_named("fork", "window=100ms size=0 vmas=0");
	struct run *half __free(run) = run_named("fork", "window=500ms size=8M vmas=200 touch=50%");
	struct run *whole __free(run) = run_named("fork", "window=500ms size=8M vmas=200");
	double difference = figure(whole, "fork", "rss") - figure(half, "fork", "rss");

	(void)state;
	assert_true(figure(half, "fork", "vmas") == figure(none, "fork", "vmas") + 200);
	assert_true(figure(half, "fork", "rss") - figure(none, "fork", "rss") > 3e6);
	/* A sanitizer's shadow of pages that are written one by one is in it, too. */
	assert_true(difference > 2e6 && difference < 6e6);
}

/* A page that is written again faults once, one that is not does not. */
static void test_writes(void **state)
{
	struct run *all __free(run) = run_named("fork", "window=300ms size=1M hugepage=never");
	struct run *half __free(run) =
		run_named("fork", "window=300ms size=1M hugepage=never write_after=50%");
	struct run *none __free(run) =
		run_named("fork", "window=300ms size=1M hugepage=never write_after=0%");
	double pages = 1048576.0 / (double)sysconf(_SC_PAGESIZE);
	double floor = figure(none, "fork", "faults");
	double whole = figure(all, "fork", "faults") - floor;
	double part = figure(half, "fork", "faults") - floor;

	(void)state;
	assert_true(floor < 10);
	assert_true(whole > 0.95 * pages && whole < 1.05 * pages);
	assert_true(part > 0.45 * pages && part < 0.55 * pages);
}

/* Huge pages, where there are any: far less to copy, and the kernel says that they are there. */
static void test_huge(void **state)
{
	static const char words[] = "window=100ms size=8M hugepage=madvise";
	struct run *trial __free(run) = run_workload(workload_find("fork"), words);

	(void)state;
	if (trial->outcome == OUTCOME_UNSUPPORTED) {
		assert_run(trial, OUTCOME_UNSUPPORTED, "hugepage=madvise: ");
		return;
	}
	struct run *run __free(run) = run_named("fork", words);

	assert_true(figure(run, "fork", "huge_pages") >= 1048576.0);
}

static void test_refuses(void **state)
{
	const struct workload *w = workload_find("fork");
	struct run *nowhere __free(run) = run_workload(w, "vmas=0");
	struct run *large __free(run) = run_workload(w, "size=64T");
	struct run *small __free(run) = run_workload(w, "size=64k hugepage=madvise");

	(void)state;
	assert_run(nowhere, OUTCOME_UNSUPPORTED, "size=16M with vmas=0: ");
	assert_run(large, OUTCOME_UNSUPPORTED, "the tasks of fork would need 64.");
	assert_run(small, OUTCOME_UNSUPPORTED, "hugepage=madvise: ");
}

/* As it is with children that cannot be built. */
static void test_too_many_mappings(void **state)
{
	char *line __free(memory) = file_read_line("", "/proc/sys/vm/max_map_count");
	char *words __free(memory) = text_format("size=0 vmas=%s", line ? line : "");

	(void)state;
	/* Not all machines have a limit that a parent can reach. */
	if (!line || strlen(line) > 5)
		return;
	struct run *run __free(run) = run_workload(workload_find("fork"), words);

	assert_run(run, OUTCOME_UNSUPPORTED, "(vm.max_map_count?)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork),	cmocka_unit_test(test_copies),
		cmocka_unit_test(test_writes),	cmocka_unit_test(test_huge),
		cmocka_unit_test(test_refuses), cmocka_unit_test(test_too_many_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
