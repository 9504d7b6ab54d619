// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "workload/program.h"

/* ---- the program ---- */

static int run_program(int fd)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		program_become(fd);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void test_program(void **state)
{
	int fd __free(fd) = -1;
	struct error err;

	(void)state;
	if (!program_open(&fd, &err)) {
		/* Says why, and has no half of it. */
		assert_int_equal(err.code, ERROR_UNSUPPORTED);
		assert_int_equal(fd, -1);
		return;
	}
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	/* Again and again the same. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(run_program(fd), 0);
}

/* ---- the workload ---- */

static void test_spawn(void **state)
{
	static const char *const modes[] = {
		"window=100ms",
		"window=100ms call=vfork",
		"window=100ms size=4M",
		"window=500ms tasks=2 mode=thread",
		"window=500ms tasks=2 mode=thread call=vfork",
		"window=500ms tasks=2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct run *run __free(run) = run_named("spawn", modes[i]);
		int64_t children = 0;

		for (size_t k = 0; run && k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "operations"), counter_of(task, "child"));
			assert_int_equal(counter_of(task, "call"), counter_of(task, "child"));
			assert_true(counter_of(task, "child_cpu_ns") > 0);
			/* The program's own first instruction, at the least. */
			assert_true(counter_of(task, "child_minor_faults") >=
				    counter_of(task, "child"));
			children += counter_of(task, "child");
		}
		if (!run)
			continue;
		assert_int_equal(field_of(histogram_of(run, "latency"), "count"), children);
		assert_int_equal(field_of(histogram_of(run, "call"), "count"), children);
		/* The call is a part of it. */
		assert_true(field_of(histogram_of(run, "call"), "sum") <
			    field_of(histogram_of(run, "latency"), "sum"));
		assert_true(figure(run, "spawn", "children") > 0);
		assert_true(figure(run, "spawn", "child_cpu") > 0);
	}
}

static const struct role *inner;

/* The loop, in a process that dies when children or descriptors are left. */
static void work_counted(struct worker *w)
{
	size_t before = open_descriptors();

	inner->work(w);
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD || open_descriptors() != before)
		abort();
}

/* prepare(), and then something is wrong with the program. */
static int spoil_by; /* 0: it is closed, 1: it has no instructions */

/* The descriptor of the program in this process. */
static int find_program(void)
{
	for (int fd = 0; fd < 100; fd++) {
		char path[32], target[64];
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		if (strstr(target, "memfd:contend-program"))
			return fd;
	}
	return -1;
}

static bool prepare_spoilt(struct worker *w, struct error *err)
{
	static const char zeros[12];
	int fd;

	if (!inner->prepare(w, err))
		return false;
	fd = find_program();
	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "no program");
	if (!spoil_by)
		return !close(fd);
	/* Behind the headers, which 12 bytes of code follow. */
	return pwrite(fd, zeros, sizeof(zeros), lseek(fd, 0, SEEK_END) / 4 * 4 - 12) == 12;
}

static struct run *run_changed(bool spoilt, const char *words)
{
	struct workload w = *workload_find("spawn");
	struct role roles[] = {w.roles[0], {.name = NULL}};

	inner = &w.roles[0];
	if (spoilt)
		roles[0].prepare = prepare_spoilt;
	roles[0].work = work_counted;
	w.roles = roles;
	return run_workload(&w, words);
}

static void test_leaves_nothing(void **state)
{
	static const char *const calls[] = {"window=200ms", "window=200ms call=vfork"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct run *run __free(run) = run_changed(false, calls[i]);

		if (run->outcome != OUTCOME_UNSUPPORTED)
			is_ok(run);
	}
}

/* What becomes of a child is looked at: it does not count for having ended. */
static void test_bad_children(void **state)
{
	static const char *const calls[] = {"window=50ms", "window=50ms call=vfork"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		spoil_by = (int)i / 2;
		struct run *run __free(run) = run_changed(true, calls[i % 2]);

		if (run->outcome == OUTCOME_UNSUPPORTED)
			continue;
		assert_run(run, OUTCOME_FAILED,
			   spoil_by ? "operations failed, the first one with a child killed by SIG"
				    : "operations failed, the first one with EBADF");
		assert_int_equal(counter_of(task_of(run, 0), "operations"), 0);
		assert_int_equal(counter_of(task_of(run, 0), "child_cpu_ns"), 0);
		assert_int_equal(field_of(histogram_of(run, "latency"), "count"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_spawn),
		cmocka_unit_test(test_leaves_nothing),
		cmocka_unit_test(test_bad_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
