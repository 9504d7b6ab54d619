// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"
#include "workload/crew/params.h"
#include "workload/crew/placement.h"

static unsigned int two(const struct cast *cast __attribute__((unused)))
{
	return 2;
}

static unsigned int three(const struct cast *cast __attribute__((unused)))
{
	return 3;
}

static unsigned int none(const struct cast *cast __attribute__((unused)))
{
	return 0;
}

/* Places roles on CPUs of the made machine and checks the result: "0 2 | 4 | 4". */
static void assert_placed(const struct role *roles, const char *cpus, const char *words,
			  const char *expected)
{
	const struct workload w = {.name = "made", .roles = roles};
	struct param *declared __free(memory) = params_declared(&w);
	json_t *values __free(json) = values_of(words);
	struct cast cast = {.workload = &w, .declared = declared, .values = values};
	struct topology t __cleanup(topology_done) = {0};
	struct placement p __cleanup(placement_done) = {0};
	struct text seen __text = {0};
	struct error err;

	if (!topology_read_list(MACHINES "/smt2x2x2", cpus, &t, &err))
		fail_msg("%s", err.text);
	if (placement_make(&cast, &t, &p, &err)) {
		for (size_t r = 0; roles[r].name; r++) {
			text_puts(&seen, r ? " |" : "");
			for (unsigned int k = 0; k < p.roles[r].tasks; k++)
				text_printf(&seen, " %d", p.roles[r].cpus[k]);
			if (p.roles[r].tasks > p.roles[r].distinct)
				text_printf(&seen, " (%u)", p.roles[r].distinct);
		}
	} else {
		assert_int_equal(err.code, ERROR_UNSUPPORTED);
		text_printf(&seen, " %s", err.text);
	}
	assert_string_equal(text_string(&seen) + 1, expected);
}

static void test_one_role(void **state)
{
	static const struct role roles[] = {{.name = "task"}, {.name = NULL}};

	(void)state;
	assert_placed(roles, "0-7", "", "0");
	/* Cores first, then their second threads; then from the start again. */
	assert_placed(roles, "0-7", "tasks=5", "0 2 4 6 1");
	assert_placed(roles, "0-7", "tasks=9", "0 2 4 6 1 3 5 0 2 (7)");
	assert_placed(roles, "3", "tasks=2", "3 3 (1)");
}

static void test_apart(void **state)
{
	static const struct role roles[] = {
		{.name = "writer", .alone = true},
		{.name = "reader", .apart = true, .tasks = three},
		{.name = "spinner", .beside = "reader", .tasks = two},
		{.name = NULL},
	};

	(void)state;
	assert_placed(roles, "0-7", "", "0 | 2 4 6 | 2 4");
	assert_placed(roles, "0-1", "", "0 | 1 1 1 (1) | 1 1 (1)");
	assert_placed(roles, "0,2-3", "", "0 | 2 3 2 (2) | 2 3");
	assert_placed(roles, "5", "",
		      "made needs a second CPU for its reader: this process may use only CPU 5");
}

static void test_apart_from_many(void **state)
{
	static const struct role roles[] = {
		{.name = "writer"},
		{.name = "reader", .apart = true, .alone = true},
		{.name = NULL},
	};

	(void)state;
	assert_placed(roles, "0-1", "tasks=1", "0 | 1");
	assert_placed(roles, "0-1", "tasks=2",
		      "made needs a CPU of its own for its reader: all 2 that this process may use "
		      "are taken by other roles");
}

static void test_next(void **state)
{
	static const struct role roles[] = {
		{.name = "a", .tasks = two},
		{.name = "b", .tasks = none},
		{.name = "c", .tasks = three},
		{.name = "d", .beside = "b", .tasks = two},
		{.name = NULL},
	};

	(void)state;
	/* Roles that do not mind go on where the one before stopped. */
	assert_placed(roles, "0-7", "", "0 2 | | 4 6 1 | 3 5");
	assert_placed(roles, "0-1", "", "0 1 | | 0 1 0 (2) | 0 1");
}

/* Apart where there is a CPU for it, beside otherwise. */
static void test_apart_or_beside(void **state)
{
	static const struct role roles[] = {
		{.name = "faulter"},
		{.name = "writer", .apart = true, .beside = "faulter", .alone = true},
		{.name = "reader", .apart = true, .beside = "writer", .alone = true},
		{.name = NULL},
	};

	(void)state;
	assert_placed(roles, "0-7", "", "0 | 2 | 4");
	assert_placed(roles, "0-1", "", "0 | 1 | 1");
	assert_placed(roles, "0-1", "tasks=3", "0 1 0 (2) | 0 | 0");
	assert_placed(roles, "5", "", "5 | 5 | 5");
}

/* The children of a task are on the CPUs behind its own: another core first, around the end. */
static void test_behind(void **state)
{
	static const struct role roles[] = {{.name = "task"}, {.name = NULL}};
	const struct workload w = {.name = "made", .roles = roles};
	struct param *declared __free(memory) = params_declared(&w);
	json_t *values __free(json) = json_object();
	struct cast cast = {.workload = &w, .declared = declared, .values = values};
	struct topology t __cleanup(topology_done) = {0};
	struct placement p __cleanup(placement_done) = {0};
	struct error err;

	(void)state;
	assert_true(topology_read_list(MACHINES "/smt2x2x2", "0-3", &t, &err));
	assert_true(placement_make(&cast, &t, &p, &err));
	assert_int_equal(p.order_count, 4);
	for (size_t i = 0; i < 4; i++) {
		for (unsigned int steps = 0; steps < 9; steps++)
			assert_int_equal(placement_behind(&p, t.cpus[i].number, steps),
					 t.cpus[(i + steps) % 4].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_one_role),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_apart_from_many),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_apart_or_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
