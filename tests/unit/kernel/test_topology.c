// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "kernel/topology.h"

#define __topology __cleanup(topology_done)

static struct topology read_list(const char *machine, const char *allowed)
{
	char *root __free(memory) = text_format("%s/%s", MACHINES, machine);
	struct topology t = {0};
	struct error err;

	if (!topology_read_list(root, allowed, &t, &err))
		fail_msg("%s", err.text);
	return t;
}

/* The numbers in order: "0 2 4". */
static void assert_order(const struct topology *t, const char *expected)
{
	struct text order __text = {0};

	for (size_t i = 0; i < t->count; i++)
		text_printf(&order, "%s%d", i ? " " : "", t->cpus[i].number);
	assert_string_equal(text_string(&order), expected);
}

static void test_captured(void **state)
{
	struct topology t __topology = read_list("firecracker2", "0-1");

	(void)state;
	assert_order(&t, "0 1");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(t.cpus[i].core, i);
		assert_int_equal(t.cpus[i].sibling, 0);
		assert_int_equal(t.cpus[i].package, 0);
		assert_int_equal(t.cpus[i].node, 0);
	}
}

static void test_siblings_come_last(void **state)
{
	struct topology t __topology = read_list("smt2x2x2", "0-7");

	(void)state;
	/* One of each core, then the second threads; CPU 7 is offline. */
	assert_order(&t, "0 2 4 6 1 3 5");
	assert_int_equal(t.cpus[2].package, 1);
	assert_int_equal(t.cpus[2].node, 1);
	assert_int_equal(t.cpus[4].core, 0);
	assert_int_equal(t.cpus[4].sibling, 1);
	/* CPU 5 knows its core by the newer name, CPU 4 by the older one. */
	assert_int_equal(t.cpus[6].core, 4);
	assert_int_equal(t.cpus[2].core, 4);
}

static void test_rank_among_the_allowed(void **state)
{
	/* The second thread of a core is as good as the first when that is not allowed. */
	struct topology t __topology = read_list("smt2x2x2", "1,2-3");

	(void)state;
	assert_order(&t, "1 2 3");
	assert_int_equal(t.cpus[0].core, 0);
	assert_int_equal(t.cpus[0].sibling, 0);
	assert_int_equal(t.cpus[2].sibling, 1);
}

static void test_without_sysfs(void **state)
{
	struct topology t __topology = read_list("no-such-machine", "3,0");

	(void)state;
	assert_order(&t, "0 3");
	assert_int_equal(t.cpus[1].core, 3);
	assert_int_equal(t.cpus[1].package, -1);
	assert_int_equal(t.cpus[1].node, -1);
}

static void test_bad_lists(void **state)
{
	static const char *const bad[] = {
		"x", "0-", "-1", "3-1", "0 1", "0;1", "99999999999999999999", "0-99999999", "0--1",
	};
	struct topology t;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (topology_read_list("", bad[i], &t, &err))
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(err.code, ERROR_DATA);
	}
	/* Nothing allowed, or nothing of it online. */
	assert_false(topology_read_list(MACHINES "/smt2x2x2", "", &t, &err));
	assert_false(topology_read_list(MACHINES "/smt2x2x2", "7", &t, &err));
	assert_non_null(strstr(err.text, "online"));
}

static void test_this_machine(void **state)
{
	struct topology t __topology = {0};
	struct error err;
	cpu_set_t set;

	(void)state;
	assert_true(topology_read("", &t, &err));
	if (sched_getaffinity(0, sizeof(set), &set))
		return; /* more CPUs than fit here */
	assert_true(t.count >= 1);
	assert_true(t.count <= (size_t)CPU_COUNT(&set));
	for (size_t i = 0; i < t.count; i++)
		assert_true(CPU_ISSET((size_t)t.cpus[i].number, &set));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captured),
		cmocka_unit_test(test_siblings_come_last),
		cmocka_unit_test(test_rank_among_the_allowed),
		cmocka_unit_test(test_without_sysfs),
		cmocka_unit_test(test_bad_lists),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
