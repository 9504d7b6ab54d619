// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "base/text.h"
#include "kernel/host.h"

static json_t *describe(const char *machine)
{
	char *root __free(memory) = text_format("%s/%s", MACHINES, machine);

	return host_describe(root);
}

static void assert_word(const json_t *host, const char *key, const char *expected)
{
	const char *value = json_string_value(json_object_get(host, key));

	if (!value)
		fail_msg("no %s", key);
	assert_string_equal(value, expected);
}

static void test_captured(void **state)
{
	json_t *host __free(json) = describe("firecracker2");

	(void)state;
	assert_word(host, "kernel", "6.18.44-fc-v657");
	assert_word(host, "version", "#1 SMP PREEMPT_DYNAMIC @0");
	assert_word(host, "machine", "x86_64");
	assert_word(host, "cpus_online", "0-1");
	assert_word(host, "cpus_allowed", "0-1");
	assert_word(host, "cpu_model", "Intel(R) Xeon(R) Processor");
	assert_word(host, "clocksource", "tsc");
	assert_word(host, "thp", "madvise");
	assert_int_equal(json_integer_value(json_object_get(host, "memory_bytes")), 25276510208);
	assert_true(json_is_real(json_object_get(host, "load1")));
	/* What only the running machine could say. */
	assert_null(json_object_get(host, "hypervisor"));
	assert_null(json_object_get(host, "page_bytes"));
}

static void test_made(void **state)
{
	json_t *host __free(json) = describe("smt2x2x2");

	(void)state;
	assert_word(host, "hypervisor", "xen");
	assert_word(host, "thp", "always");
	/* Not the line with the mask, whose name begins the same. */
	assert_word(host, "cpus_allowed", "0,2,4,6");
	assert_int_equal(json_integer_value(json_object_get(host, "memory_bytes")), 67108864000);
	assert_null(json_object_get(host, "cpu_model"));
	assert_null(json_object_get(host, "load1"));
}

static void test_nothing_there(void **state)
{
	json_t *host __free(json) = describe("no-such-machine");

	(void)state;
	assert_int_equal(json_object_size(host), 0);
}

static void test_this_machine(void **state)
{
	json_t *host __free(json) = host_describe("");
	struct utsname names;

	(void)state;
	assert_int_equal(uname(&names), 0);
	assert_word(host, "kernel", names.release);
	assert_true(json_integer_value(json_object_get(host, "page_bytes")) >= 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captured),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
