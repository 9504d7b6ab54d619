// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"

/* The workloads by will-it-scale's names that test_mmap.c does not have. */

static const struct role *inner;

/* Dies where the break is not above a page of its own VMA that grows and is cut. */
static bool prepare_break(struct worker *w, struct error *err)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), low;
	unsigned char resident = 1;
	int before;

	if (!inner->prepare(w, err))
		return false;
	low = (uintptr_t)syscall(SYS_brk, 0);
	/* The kept page is there, and nobody has written it. */
	if (mincore((void *)(low - page), page, &resident) || resident & 1)
		abort();
	for (int i = 0; i < 3; i++) {
		before = count_mappings();
		if ((uintptr_t)syscall(SYS_brk, low + page) != low + page ||
		    count_mappings() != before)
			abort();
		if ((uintptr_t)syscall(SYS_brk, low) != low || count_mappings() != before)
			abort();
	}
	return true;
}

static void test_brk2(void **state)
{
	static const char *const modes[] = {
		"window=30ms mode=thread",
		"window=30ms mode=process",
		"window=300ms mode=process tasks=2",
	};
	struct workload w = *workload_find("brk2");
	struct role roles[] = {w.roles[0], {.name = NULL}};

	(void)state;
	inner = &w.roles[0];
	roles[0].prepare = prepare_break;
	w.roles = roles;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct run *run __free(run) = run_done(&w, modes[i]);

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "noop"), 0);
			assert_int_equal(counter_of(task, "grow"), counter_of(task, "shrink"));
		}
	}
}

/* Each thread has its own two places: what its calls do still adds up. */
static void test_brk2_threads(void **state)
{
	struct run *run __free(run) = run_named("brk2", "window=500ms tasks=3 mode=thread");

	(void)state;
	for (size_t k = 0; k < tasks_in(run); k++) {
		json_t *task = task_of(run, k);

		assert_int_equal(counter_of(task, "failures"), 0);
		assert_true(counter_of(task, "operations") > 0);
		assert_int_equal(counter_of(task, "grow") + counter_of(task, "shrink") +
					 counter_of(task, "noop"),
				 counter_of(task, "operations"));
	}
}

/* What a round or a page comes to, in both modes. */
static void test_rounds(void **state)
{
	static const struct {
		const char *name, *words, *operation, *part, *series;
		int64_t faults; /* at least, of an operation */
	} cases[] = {
		{"mmap2", "", "munmap", "mmap", "mmap_latency", 0},
		{"malloc1", "hugepage=never", "free", "malloc", "malloc_latency", 1},
		{"malloc1", "hugepage=never size=256k", "free", "malloc", "malloc_latency", 1},
		/* As much as an arena of a new thread has left. */
		{"malloc1", "hugepage=never size=128k", "free", "malloc", "malloc_latency", 1},
		{"tlb_flush1", "size=256k warmup=10ms", "page", "madvise", "madvise_latency", 2},
		{"tlb_flush2", "hugepage=never warmup=10ms", "page", "madvise", "madvise_latency",
		 2},
		{"tlb_flush3", "size=256k warmup=10ms", "page", "madvise", "madvise_latency", 1},
	};
	static const char *const modes[] = {"mode=process", "mode=thread"};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i / 2].name;
		char *words __free(memory) =
			text_format("%s window=300ms tasks=2 %s", cases[i / 2].words, modes[i % 2]);
		struct run *run __free(run) = run_named(name, words);
		int64_t all = 0;

		/* There is malloc() of the sanitizers. */
		if (!run)
			continue;
		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);
			int64_t operations = counter_of(task, "operations");

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_true(operations > 0);
			assert_int_equal(counter_of(task, cases[i / 2].operation), operations);
			assert_int_equal(counter_of(task, cases[i / 2].part), operations);
			assert_true(field_of(task, "minor_faults") >=
				    cases[i / 2].faults * operations - 2);
			all += operations;
		}
		assert_int_equal(field_of(histogram_of(run, cases[i / 2].series), "count"), all);
	}
}

/* A page of a private file is a fault each; of a shared one a fault may map its neighbours. */
static void test_page_faults(void **state)
{
	static const char *const names[] = {"page_fault2", "page_fault3"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct run *run __free(run) =
			run_named(names[i / 2], i % 2 ? "size=64k window=300ms tasks=2"
						      : "size=64k window=300ms mode=thread");

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);
			int64_t writes = counter_of(task, "write");

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "operations"), writes);
			assert_in_range(counter_of(task, "mmap") - counter_of(task, "munmap") + 1,
					0, 2);
			if (i < 2)
				assert_true(field_of(task, "minor_faults") >= writes);
			else
				assert_true(field_of(task, "minor_faults") > 0);
		}
	}
}

/* What was written and dropped is to be gone, or to be there: anything else is a failure. */
static void test_tlb_flush_checks(void **state)
{
	struct workload w = *workload_find("tlb_flush1");
	struct run *run __free(run) = NULL;

	(void)state;
	/* A shared mapping, in which the loop expects what a private one has. */
	w.own = workload_find("tlb_flush3")->own;
	run = run_workload(&w, "size=64k window=20ms warmup=0");
	assert_run(run, OUTCOME_FAILED, "operations failed, the first one with EBADMSG");
}

static void test_refused(void **state)
{
	static const char *const names[] = {"mmap2",   "page_fault2", "page_fault3",
					    "malloc1", "tlb_flush1",  "tlb_flush2"};
	struct run *small __free(run) = run_workload(workload_find("mmap2"), "dir=/dev/null");

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct run *run __free(run) = run_workload(workload_find(names[i]), "size=1048577");

		assert_run(run, OUTCOME_UNSUPPORTED, "size=1048577: not whole pages of ");
	}
	assert_run(small, OUTCOME_UNSUPPORTED, "cannot make a file: Not a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brk2),
		cmocka_unit_test(test_brk2_threads),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_page_faults),
		cmocka_unit_test(test_tlb_flush_checks),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
