// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"
#include "workload/group_memory.h"

/* Runs that have a cgroup are in tests/e2e/oom_kill.t. */
static void test_needs_group(void **state)
{
	const struct workload *w = workload_find("oom_kill");
	struct run *run __free(run) = run_workload(w, "victim_cpu=same");

	(void)state;
	assert_run(run, OUTCOME_UNSUPPORTED, "oom_kill needs a memory cgroup of its own");
}

/* Without one nothing is known of its memory, and nobody waits for it. */
static void test_no_group(void **state)
{
	struct cast cast = {.values = NULL};
	struct group_memory g;
	struct error err;

	(void)state;
	assert_null(cast_memcg(&cast));
	assert_true(group_memory_open(&g, &cast, &err));
	assert_int_equal(group_memory_bytes(&g), -1);
	assert_int_equal(group_memory_await(&g, -1, -1), 0);
}

static void put(int fd, const char *text)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
}

static void test_back(void **state)
{
	char path[] = "usage.XXXXXX";
	struct group_memory g = {.fd = mkstemp(path)};
	int64_t before = 1 << 20, full = before + group_memory_least_bytes(), now_ns;

	(void)state;
	assert_true(g.fd >= 0);
	put(g.fd, "1048576\n");
	assert_int_equal(group_memory_bytes(&g), before);
	/* It has come back already. */
	now_ns = clock_now_ns();
	assert_true(group_memory_await(&g, before, full) >= now_ns);
	/* So little that it could have been on a CPU's account. */
	assert_int_equal(group_memory_await(&g, before, full - 1), 0);
	/* It was not known before. */
	assert_int_equal(group_memory_await(&g, -1, full), 0);
	close(g.fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needs_group),
		cmocka_unit_test(test_no_group),
		cmocka_unit_test(test_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
