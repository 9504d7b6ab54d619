// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "kernel/meminfo.h"
#include "workload/fenced.h"

/* munmap, mprotect, mremap, mlock, madvise, and the places that they work on. */

static const char *const names[] = {"munmap", "mprotect", "mremap", "mlock", "madvise"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* The mapping that `at` lies in. */
struct seen {
	uintptr_t begin, end;
	char rights[5];
};

static bool look_up(uintptr_t at, struct seen *ret)
{
	FILE *maps __free(file) = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long begin, end;

		if (sscanf(line, "%lx-%lx %4s", &begin, &end, ret->rights) == 3 && at >= begin &&
		    at < end) {
			ret->begin = begin;
			ret->end = end;
			return true;
		}
	}
	return false;
}

/*
 * The task's region is one mapping, alone between fences; a process that finds it otherwise dies.
 */
static void work_looking(struct worker *w)
{
	const struct fenced *f = w->local;
	char *place = fenced_place(w);
	uintptr_t at = (uintptr_t)place, end = at + f->region.bytes;
	uintptr_t behind = (end + fenced_table_bytes() - 1) & ~(fenced_table_bytes() - 1);
	struct seen seen;

	if (!fenced_settle(w, place))
		abort();
	if (at % fenced_table_bytes() || !look_up(at, &seen) || seen.begin != at ||
	    seen.end != end || !text_equal(seen.rights, "rw-p"))
		abort();
	if (!look_up(at - 1, &seen) || seen.end != at || !text_equal(seen.rights, "---p"))
		abort();
	if (!look_up(behind, &seen) || seen.begin != behind || !text_equal(seen.rights, "---p"))
		abort();
	if (end < behind && look_up(end, &seen))
		abort();
	while (worker_next(w))
		worker_end(w, 0, worker_begin(w, 0), true);
}

static void test_places(void **state)
{
	static const char *const cases[] = {
		"window=20ms size=4M",
		"window=20ms size=64k mode=thread",
		"window=100ms size=64k tasks=3 mode=thread",
		"window=100ms size=3M tasks=3 mode=thread touch=50%",
	};
	struct workload w = *workload_find("munmap");
	struct role roles[] = {w.roles[0], {.name = NULL}};

	(void)state;
	roles[0].work = work_looking;
	w.roles = roles;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_done(&w, cases[i]);

		assert_int_equal(counter_of(task_of(run, 0), "failures"), 0);
	}
}

/*
 * Runs it, NULL where this machine cannot: no failure, and as many calls as the two counters say.
 */
static struct run *run_calls(const char *name, const char *words, const char *one, const char *two)
{
	struct run *run = run_named(name, words);
	int64_t calls = 0;

	for (size_t k = 0; run && k < tasks_in(run); k++) {
		json_t *task = task_of(run, k);

		assert_int_equal(counter_of(task, "failures"), 0);
		assert_true(counter_of(task, one) > 0);
		if (two)
			assert_int_equal(counter_of(task, one), counter_of(task, two));
		calls += counter_of(task, one) + (two ? counter_of(task, two) : 0);
		assert_int_equal(counter_of(task, "operations"),
				 two ? 2 * counter_of(task, one) : counter_of(task, one));
	}
	if (run) {
		assert_true(figure(run, name, "operations") > 0);
		assert_true(calls > 0);
	}
	return run;
}

static void test_munmap(void **state)
{
	static const struct {
		const char *words;
		int64_t pages;
	} cases[] = {
		{"window=30ms size=64k hugepage=never", 65536},
		{"window=300ms size=64k hugepage=never tasks=2 mode=thread", 65536},
		{"window=30ms size=64k hugepage=never touch=50%", 32768},
		{"window=30ms size=64k touch=0%", 0},
		/* Touched in parts, between which the window may end. */
		{"window=100ms size=8M hugepage=never warmup=0", 8 << 20},
	};
	double ignored;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_calls("munmap", cases[i].words, "munmap", NULL);
		int64_t pages = cases[i].pages / sysconf(_SC_PAGESIZE);

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);
			int64_t calls = counter_of(task, "munmap");

			assert_int_equal(counter_of(task, "pages"), pages * calls);
			/* The first one's may have been written before the window. */
			assert_true(field_of(task, "minor_faults") >= pages * (calls - 1));
			assert_true(counter_of(task, "timed_ns") <= field_of(task, "window_ns"));
		}
		assert_true(figure(run, "munmap", "timed_share") > 0);
		assert_true(figure(run, "munmap", "timed_share") < 1);
		assert_int_equal(has_figure(run, "munmap", "page_latency", &ignored), pages > 0);
	}
}

static void test_mprotect(void **state)
{
	static const char *const parts[] = {"whole", "begin", "middle", "end"};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *words __free(memory) =
			text_format("window=30ms hugepage=never part=%s", parts[i]);
		char *threads __free(memory) =
			text_format("window=300ms tasks=2 mode=thread part=%s", parts[i]);
		struct run *one __free(run) = run_calls("mprotect", words, "read_only", "writable");
		struct run *two __free(run) =
			run_calls("mprotect", threads, "read_only", "writable");

		assert_true(figure(one, "mprotect", "faults") < 0.1);
		assert_true(figure(two, "mprotect", "read_only_latency_p50") > 0);
		assert_true(figure(two, "mprotect", "writable_latency_p50") > 0);
	}
}

static void test_mremap(void **state)
{
	static const char *const moves[] = {
		"window=30ms hugepage=never",
		"window=30ms hugepage=never size=8M level=pmd",
		"window=30ms hugepage=never size=6M touch=50%",
		"window=300ms hugepage=never size=64k tasks=2 mode=thread",
		"window=30ms touch=0%",
	};
	struct run *grow __free(run) =
		run_calls("mremap", "window=30ms how=grow", "grow", "shrink");
	struct run *threads __free(run) =
		run_calls("mremap", "window=300ms how=grow tasks=2 mode=thread", "grow", "shrink");

	(void)state;
	assert_true(figure(grow, "mremap", "shrink_latency_p50") > 0);
	assert_int_equal(tasks_in(threads), 2);
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		struct run *run __free(run) = run_calls("mremap", moves[i], "move", NULL);

		/* Pages move with their mapping. */
		assert_true(figure(run, "mremap", "faults") < 0.1);
		assert_int_equal(counter_of(task_of(run, 0), "grow"), 0);
	}
}

static void test_mlock(void **state)
{
	struct run *all __free(run) =
		run_calls("mlock", "window=100ms size=64k", "mlock", "munlock");
	struct run *none __free(run) = run_calls(
		"mlock", "window=100ms size=64k hugepage=never touch=0%", "mlock", "munlock");
	struct run *threads __free(run) = run_calls(
		"mlock", "window=300ms size=64k touch=50% tasks=2 mode=thread", "mlock", "munlock");
	int64_t page = sysconf(_SC_PAGESIZE);

	(void)state;
	if (!all || !none || !threads)
		return;
	assert_true(figure(all, "mlock", "faults") < 0.1);
	/* Each mlock brings all of it in, but perhaps the first one. */
	assert_true(field_of(task_of(none, 0), "minor_faults") >=
		    65536 / page * (counter_of(task_of(none, 0), "mlock") - 1));
	assert_int_equal(tasks_in(threads), 2);
}

/* Whatever this kernel can do is done, and the rest is said. */
static void test_madvise(void **state)
{
	static const struct {
		const char *advice;
		const char *words;
		bool faults; /* each round brings its pages in again */
	} cases[] = {
		{"dontneed", "size=64k hugepage=never", true},
		{"dontneed", "size=64k hugepage=never touch=25% tasks=2 mode=thread window=300ms",
		 true},
		{"free", "size=64k hugepage=never", true},
		{"pageout", "size=64k hugepage=never", false},
		{"cold", "size=64k hugepage=never", false},
		{"collapse", "window=300ms", true},
		{"populate_write", "size=64k hugepage=never", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *words __free(memory) =
			text_format("window=30ms advice=%s %s", cases[i].advice, cases[i].words);
		struct run *run __free(run) = run_calls("madvise", words, "call", NULL);

		for (size_t k = 0; run && k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);
			int64_t calls = counter_of(task, "call");
			int64_t pages = counter_of(task, "pages") / calls;
			bool out = text_equal(cases[i].advice, "pageout");

			assert_int_equal(counter_of(task, "pages"), pages * calls);
			assert_int_equal(counter_of(task, "paged_out") > 0, out);
			if (cases[i].faults)
				assert_true(field_of(task, "minor_faults") >= pages * (calls - 1));
		}
	}
}

/* Where there is no swap nothing can be paged out, and a call that did nothing is none. */
static void test_pageout_without_swap(void **state)
{
	struct workload w = *workload_find("madvise");
	struct run *run __free(run) = NULL;

	(void)state;
	w.supported = NULL;
	run = run_workload(&w, "advice=pageout size=64k window=20ms");
	if (meminfo_bytes("", "/proc/meminfo", "SwapTotal") == 0)
		assert_run(run, OUTCOME_INVALID, "a call left all pages in memory");
	else
		is_ok(run);
}

/* What would be something else than what was asked for is no run. */
static void test_refuses(void **state)
{
	static const struct {
		const char *name, *words, *reason;
	} cases[] = {
		{"munmap", "size=64k touch=0.1%", "touch=0.1%: less than a page of size=64k"},
		{"munmap", "size=1T tasks=4096", ""},
		{"mprotect", "size=64k part=begin touch=0.1%", "less than a page"},
		{"mremap", "size=64k level=pmd", "level=pmd needs a size= of whole page tables"},
		{"mremap", "how=grow level=pmd", "level=pmd with how=grow: nothing is moved"},
		{"madvise", "touch=0%", "touch=0% with advice=dontneed: there would be no page"},
		{"madvise", "advice=cold touch=50%", "all pages are made active before"},
		{"madvise", "advice=populate_write touch=50%", "all pages are brought in by it"},
		{"madvise", "advice=collapse hugepage=never", "nothing would be collapsed"},
		{"madvise", "advice=pageout size=1G tasks=4096", ""},
	};

	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct run *run __free(run) =
			run_workload(workload_find(names[i]), "size=65537 window=20ms");

		assert_run(run, OUTCOME_UNSUPPORTED, "size=65537: not whole pages of ");
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *words __free(memory) = text_format("%s window=20ms", cases[i].words);
		struct run *run __free(run) = run_workload(workload_find(cases[i].name), words);

		assert_run(run, OUTCOME_UNSUPPORTED, cases[i].reason);
	}
}

/* Without the right to lock so much. */
static void test_mlock_limit(void **state)
{
	const struct workload *w = workload_find("mlock");
	struct rlimit limit = {65536, 65536};
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		struct run *threads, *process;

		/* Root has the capability. */
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || (!geteuid() && setuid(65534)))
			_exit(2);
		process = run_workload(w, "size=64k tasks=2 window=20ms");
		threads = run_workload(w, "size=64k tasks=2 mode=thread window=20ms");
		_exit(process->outcome == OUTCOME_UNSUPPORTED ||
		      threads->outcome != OUTCOME_UNSUPPORTED ||
		      !strstr(threads->reason,
			      "would lock 128.0 KiB, and RLIMIT_MEMLOCK is 64.00"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static const struct role *inner;

/* The loop where no address space is left. */
static bool prepare_without_room(struct worker *w, struct error *err)
{
	struct rlimit none = {0, 0};

	if (!inner->prepare(w, err))
		return false;
	return !setrlimit(RLIMIT_AS, &none) || error_set_errno(err, "setrlimit");
}

/* A mapping that could not be made is no call, and is never timed. */
static void test_no_room(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct workload w = *workload_find(names[i]);
		struct role roles[] = {w.roles[0], {.name = NULL}};
		struct run *run __free(run) = NULL;

		inner = &w.roles[0];
		roles[0].prepare = prepare_without_room;
		w.roles = roles;
		run = run_workload(&w, "window=20ms size=64k");
		assert_run(run, OUTCOME_FAILED, "operations failed, the first one with ENOMEM");
		assert_int_equal(counter_of(task_of(run, 0), "operations"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_munmap),
		cmocka_unit_test(test_mprotect),
		cmocka_unit_test(test_mremap),
		cmocka_unit_test(test_mlock),
		cmocka_unit_test(test_madvise),
		cmocka_unit_test(test_pageout_without_swap),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_mlock_limit),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
