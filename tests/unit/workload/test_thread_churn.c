// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

static void test_thread_churn(void **state)
{
	static const char *const cases[] = {
		"window=100ms",
		"window=100ms guard=no stack=64k",
		"window=300ms stack=64k touch=100%",
		"window=500ms tasks=2",
		"window=500ms tasks=2 mode=thread",
	};
	static const char *const parts[] = {"map", "create", "join", "unmap"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_named("thread_churn", cases[i]);
		int64_t threads = 0, sum = 0;

		for (size_t k = 0; k < tasks_in(run); k++) {
			json_t *task = task_of(run, k);

			assert_int_equal(counter_of(task, "failures"), 0);
			assert_int_equal(counter_of(task, "operations"),
					 counter_of(task, "thread"));
			for (size_t p = 0; p < 4; p++)
				assert_int_equal(counter_of(task, parts[p]),
						 counter_of(task, "thread"));
			threads += counter_of(task, "thread");
		}
		assert_true(threads > 0);
		assert_int_equal(field_of(histogram_of(run, "latency"), "count"), threads);
		for (size_t p = 0; p < 4; p++)
			sum += field_of(histogram_of(run, parts[p]), "sum");
		/* They lie in it one behind the other. */
		assert_true(sum <= field_of(histogram_of(run, "latency"), "sum"));
	}
}

static void test_refuses(void **state)
{
	const struct workload *w = workload_find("thread_churn");
	struct run *odd __free(run) = run_workload(w, "stack=70000");
	struct run *large __free(run) = run_workload(w, "stack=1T touch=100%");

	(void)state;
	assert_run(odd, OUTCOME_UNSUPPORTED, "stack=70000: not whole pages");
	assert_run(large, OUTCOME_UNSUPPORTED, "the threads of thread_churn would need 1.");
}

/* No address space for a stack: a failure that is counted, and no fast thread. */
static void test_fails(void **state)
{
	struct run *run __free(run) =
		run_workload(workload_find("thread_churn"), "stack=1T window=20ms");

	(void)state;
	/* Where the kernel does not mind a mapping of that size there are threads. */
	if (run->outcome == OUTCOME_OK)
		return;
	assert_run(run, OUTCOME_FAILED, "operations failed, the first one with ENOMEM");
	assert_int_equal(counter_of(task_of(run, 0), "thread"), 0);
	assert_int_equal(field_of(histogram_of(run, "latency"), "count"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_churn),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
