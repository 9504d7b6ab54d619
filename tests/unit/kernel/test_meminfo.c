// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/meminfo.h"

static void test_captured(void **state)
{
	static const char root[] = MACHINES "/firecracker2";

	(void)state;
	assert_int_equal(meminfo_bytes(root, "/proc/meminfo", "MemTotal"),
			 INT64_C(24684092) * 1024);
	/* A field, not the begin of one; and not in the middle of a line. */
	assert_int_equal(meminfo_bytes(root, "/proc/meminfo", "MemTo"), -1);
	assert_int_equal(meminfo_bytes(root, "/proc/meminfo", "Total"), -1);
	assert_int_equal(meminfo_bytes(root, "/proc/nothing", "MemTotal"), -1);
}

static void test_this_machine(void **state)
{
	int64_t total = meminfo_bytes("", "/proc/meminfo", "MemTotal");
	int64_t available = meminfo_bytes("", "/proc/meminfo", "MemAvailable");

	(void)state;
	assert_true(total > 0);
	assert_in_range(available, 1, total);
	assert_true(meminfo_bytes("", "/proc/self/status", "VmPTE") > 0);
	/* A line without kB. */
	assert_int_equal(meminfo_bytes("", "/proc/self/status", "Threads"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captured),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
