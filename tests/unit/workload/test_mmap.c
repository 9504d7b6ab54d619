// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"

/* mmap1, page_fault1, and what brk1 does to its VMA. */

static const struct role *inner;
static int left_over; /* mappings that the loop may leave */

/* The loop, in a process that dies when it has more mappings than before. */
static void work_counted(struct worker *w)
{
	int before = count_mappings();

	inner->work(w);
	if (count_mappings() > before + left_over)
		abort();
}

static struct run *run_counted(const char *name, const char *words)
{
	struct workload w = *workload_find(name);
	struct role roles[] = {w.roles[0], {.name = NULL}};

	inner = &w.roles[0];
	roles[0].work = work_counted;
	w.roles = roles;
	return run_done(&w, words);
}

static int grown; /* mappings that a grow of the break makes */

/* Before its loop: dies where the break grows and shrinks otherwise. */
static bool prepare_break(struct worker *w, struct error *err)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), low;
	int before;

	if (!inner->prepare(w, err))
		return false;
	low = (uintptr_t)syscall(SYS_brk, 0);
	for (int i = 0; i < 3; i++) {
		before = count_mappings();
		if ((uintptr_t)syscall(SYS_brk, low + page) != low + page ||
		    count_mappings() != before + grown)
			abort();
		if ((uintptr_t)syscall(SYS_brk, low) != low || count_mappings() != before)
			abort();
	}
	return true;
}

/* As in will-it-scale: in a forked process a VMA comes and goes, among threads one grows. */
static void test_brk1(void **state)
{
	static const char *const modes[] = {"window=30ms mode=thread", "window=30ms mode=process"};
	struct workload w = *workload_find("brk1");
	struct role roles[] = {w.roles[0], {.name = NULL}};

	(void)state;
	inner = &w.roles[0];
	roles[0].prepare = prepare_break;
	w.roles = roles;
	for (grown = 0; grown < 2; grown++) {
		struct run *run __free(run) = run_done(&w, modes[grown]);

		assert_int_equal(tasks_in(run), 1);
		assert_int_equal(counter_of(task_of(run, 0), "failures"), 0);
	}
}

/* The loop where no address space is left. */
static bool prepare_without_room(struct worker *w, struct error *err)
{
	struct rlimit none = {0, 0};

	if (inner->prepare && !inner->prepare(w, err))
		return false;
	return !setrlimit(RLIMIT_AS, &none) || error_set_errno(err, "setrlimit");
}

static void assert_no_room(const char *name)
{
	struct workload w = *workload_find(name);
	struct role roles[] = {w.roles[0], {.name = NULL}};
	struct run *run __free(run) = NULL;

	inner = &w.roles[0];
	roles[0].prepare = prepare_without_room;
	w.roles = roles;
	run = run_workload(&w, "window=20ms");
	assert_run(run, OUTCOME_FAILED, "operations failed, the first one with ENOMEM");
	/* None of them was timed, and none unmapped. */
	assert_int_equal(counter_of(task_of(run, 0), "mmap"), 0);
	assert_int_equal(counter_of(task_of(run, 0), "munmap"), 0);
	assert_int_equal(field_of(histogram_of(run, "mmap_latency"), "count"), 0);
}

static void test_mmap1(void **state)
{
	static const char *const modes[] = {
		"window=30ms",
		"window=30ms size=4k",
		"window=500ms tasks=2",
		"window=500ms tasks=2 mode=thread",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct run *run __free(run) = run_named("mmap1", modes[i]);
		int64_t rounds = 0;

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "mmap"), counter_of(task, "munmap"));
			/* A round counts once. */
			assert_int_equal(counter_of(task, "operations"),
					 counter_of(task, "munmap"));
			rounds += counter_of(task, "operations");
		}
		assert_true(rounds > 0);
		assert_int_equal(field_of(histogram_of(run, "mmap_latency"), "count"), rounds);
		assert_int_equal(field_of(histogram_of(run, "munmap_latency"), "count"), rounds);
		assert_true(figure(run, "mmap1", "operations") > 0);
		assert_true(figure(run, "mmap1", "munmap_latency_p50") > 0);
		assert_true(figure(run, "mmap1", "cpu") > 0);
		/* Never touched: whatever faults is something else. */
		assert_true(figure(run, "mmap1", "faults") < 1);
	}
}

static void test_mmap1_leaves_nothing(void **state)
{
	struct run *run __free(run) = run_counted("mmap1", "window=30ms");

	(void)state;
	assert_int_equal(tasks_in(run), 1);
}

static void test_page_fault1(void **state)
{
	static const char *const modes[] = {
		"hugepage=never size=64k window=50ms",
		"hugepage=never size=64k window=50ms mode=thread",
		"hugepage=never size=64k window=500ms tasks=2 mode=thread",
		/* Both edges of the window may well lie in one region. */
		"hugepage=never size=128M window=20ms warmup=0",
	};
	int64_t page = sysconf(_SC_PAGESIZE);

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct run *run __free(run) = run_named("page_fault1", modes[i]);
		int64_t bytes = strstr(modes[i], "128M") ? 128 << 20 : 65536;
		int64_t pages = bytes / page;
		int64_t all = 0;

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);
			int64_t writes = counter_of(task, "write"),
				mmaps = counter_of(task, "mmap");
			int64_t munmaps = counter_of(task, "munmap");

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "operations"), writes);
			/* Each of them faulted. */
			assert_true(field_of(task, "minor_faults") >= writes);
			/* The window begins and ends somewhere in a region. */
			assert_in_range(mmaps - munmaps + 1, 0, 2);
			assert_true(writes <= (mmaps + 1) * pages);
			assert_true(writes >= (munmaps - 1) * pages);
			all += writes;
		}
		assert_int_equal(field_of(histogram_of(run, "latency"), "count"), all);
		assert_true(figure(run, "page_fault1", "operations") > 0);
		assert_true(figure(run, "page_fault1", "faults") >= 1);
		assert_true(figure(run, "page_fault1", "latency_p50") > 0);
	}
}

/* What one unmapping is of a window is said where it is much. */
static void test_page_fault1_notes(void **state)
{
	struct run *many __free(run) =
		run_done(workload_find("page_fault1"), "hugepage=never size=4k window=100ms");
	struct run *bare __free(run) = run_done(workload_find("page_fault1"),
						"hugepage=never size=4k window=100ms record=no");
	struct run *none __free(run) = run_done(workload_find("page_fault1"),
						"hugepage=never size=512M window=1ms warmup=0");
	int64_t unmapped = counter_of(task_of(many, 0), "munmap");

	(void)state;
	/* 131072 pages are more than what the window is allowed, if it has not ended late. */
	assert_int_equal(has_note(none, "task: no region was unmapped in the window"),
			 !counter_of(task_of(none, 0), "munmap"));
	/* On a machine that stands still it is not many. */
	if (unmapped > 1000) {
		int64_t sum = field_of(histogram_of(many, "munmap_latency"), "sum");
		bool much = sum / unmapped > field_of(task_of(many, 0), "window_ns") / 100;

		assert_int_equal(has_note(many, "unmapped"), much);
	}
	if (counter_of(task_of(bare, 0), "munmap") > 17)
		assert_false(has_note(bare, "unmapped"));
	else
		assert_true(has_note(bare, "unmapped"));
}

static void test_page_fault1_bare(void **state)
{
	struct run *run __free(run) = run_named("page_fault1", "size=64k window=30ms record=no");
	double ignored;

	(void)state;
	assert_true(figure(run, "page_fault1", "operations") > 0);
	assert_true(figure(run, "page_fault1", "regions") > 0);
	assert_false(has_figure(run, "page_fault1", "latency_p50", &ignored));
}

/* The region at the end of the window is left to the process's exit, and nothing else. */
static void test_page_fault1_leaves_one(void **state)
{
	struct run *run __free(run) = NULL;

	(void)state;
	left_over = 1;
	run = run_counted("page_fault1", "size=64k window=30ms");
	assert_int_equal(tasks_in(run), 1);
	left_over = 0;
}

static void test_page_fault1_too_large(void **state)
{
	struct run *run __free(run) =
		run_workload(workload_find("page_fault1"), "size=1T tasks=4096");

	(void)state;
	assert_run(run, OUTCOME_UNSUPPORTED,
		   "the tasks of page_fault1 would need 4096 TiB of memory");
}

/* A size that would be rounded is none, and a mapping that the kernel refuses is known before. */
static void test_sizes(void **state)
{
	static const char *const names[] = {"mmap1", "page_fault1", "spawn", "exit_mmap"};
	struct run *large __free(run) =
		run_workload(workload_find("mmap1"), "size=16T window=20ms");

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct run *run __free(run) = run_workload(workload_find(names[i]), "size=65537");

		assert_run(run, OUTCOME_UNSUPPORTED, "size=65537: not whole pages of ");
	}
	/* Unless this machine has so much, or overcommits whatever is asked for. */
	if (large->outcome == OUTCOME_UNSUPPORTED)
		assert_run(large, OUTCOME_UNSUPPORTED, "vm.overcommit_memory=");
	else
		is_ok(large);
}

static void test_no_room(void **state)
{
	(void)state;
	assert_no_room("mmap1");
	assert_no_room("page_fault1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brk1),
		cmocka_unit_test(test_mmap1),
		cmocka_unit_test(test_mmap1_leaves_nothing),
		cmocka_unit_test(test_page_fault1),
		cmocka_unit_test(test_page_fault1_bare),
		cmocka_unit_test(test_page_fault1_notes),
		cmocka_unit_test(test_page_fault1_leaves_one),
		cmocka_unit_test(test_page_fault1_too_large),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
