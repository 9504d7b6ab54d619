// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/cgroup.h"
#include "kernel/flat_keyed.h"

/* The limit is that of the group above, 2 GiB; 1.5 GiB are in use, 256 MiB of them page cache. */
static void test_v1(void **state)
{
	struct cgroup c = cgroup_read(MACHINES "/cgroup1");

	(void)state;
	assert_true(c.memory_known);
	assert_int_equal(c.memory_bytes, INT64_C(2) << 30);
	assert_int_equal(c.memory_left_bytes, INT64_C(768) << 20);
	assert_int_equal(c.oom_kills, 4);
}

/* More in use than the limit allows: it was lowered, and what can go has not gone yet. */
static void test_v2(void **state)
{
	struct cgroup c = cgroup_read(MACHINES "/laptop");

	(void)state;
	assert_int_equal(c.memory_bytes, INT64_C(8) << 30);
	assert_int_equal(c.memory_left_bytes, 0);
	assert_int_equal(c.oom_kills, 3);
}

static void test_no_limit(void **state)
{
	struct cgroup c = cgroup_read(MACHINES "/firecracker2");

	(void)state;
	assert_int_equal(c.memory_left_bytes, INT64_MAX);
	assert_int_equal(c.oom_kills, -1);
}

static void test_flat_keyed(void **state)
{
	static const char path[] =
		"/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/memory.events";
	static const char root[] = MACHINES "/laptop";

	(void)state;
	assert_int_equal(flat_keyed_integer(root, path, "low"), 0);
	/* Not the line that begins the same, in either direction. */
	assert_int_equal(flat_keyed_integer(root, path, "oom"), 9);
	assert_int_equal(flat_keyed_integer(root, path, "oom_group_kill"), 1);
	assert_int_equal(flat_keyed_integer(root, path, "oo"), -1);
	assert_int_equal(flat_keyed_integer(root, path, "om"), -1);
	assert_int_equal(flat_keyed_integer(root, "/nothing", "low"), -1);
	assert_true(flat_keyed_integer("", "/proc/vmstat", "pgfault") > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v1),
		cmocka_unit_test(test_v2),
		cmocka_unit_test(test_no_limit),
		cmocka_unit_test(test_flat_keyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
