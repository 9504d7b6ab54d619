// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "kernel/maps.h"

/* Tasks by role: a role's first one, and how many there are. */
static size_t first_of(const struct run *run, const char *role, size_t *ret_count)
{
	size_t first = 0;

	*ret_count = 0;
	for (size_t k = tasks_in(run); k--;) {
		json_t *task = task_of(run, k);

		if (!text_equal(json_string_value(json_object_get(task, "role")), role))
			continue;
		first = k;
		(*ret_count)++;
	}
	return first;
}

/* Every write was a fault, and the writer's calls came in pairs. */
static void check_run(const struct run *run, size_t faulters, bool protects)
{
	size_t count, first = first_of(run, "faulter", &count);
	json_t *writer;

	assert_int_equal(count, faulters);
	for (size_t k = first; k < first + faulters; k++) {
		json_t *task = task_of(run, k);
		int64_t writes = counter_of(task, "write");

		assert_int_equal(counter_of(task, "failures"), 0);
		assert_true(writes > 0);
		/* Sanitizers have shadow memory that is faulted in as well. */
		assert_true(field_of(task, "minor_faults") >= writes);
	}
	writer = task_of(run, first_of(run, "writer", &count));
	assert_int_equal(count, 1);
	assert_int_equal(counter_of(writer, "failures"), 0);
	assert_in_range(1 + counter_of(writer, "protect") - counter_of(writer, "unprotect"), 0, 2);
	assert_in_range(1 + counter_of(writer, "unmap") - counter_of(writer, "map"), 0, 2);
	assert_true(protects == (counter_of(writer, "protect") > 0));
	assert_true(protects == (counter_of(writer, "map") == 0));
}

static void test_mmap_fault(void **state)
{
	static const char *const cases[] = {
		"where=same_vma writer=mprotect",
		"where=other_vma writer=mprotect",
		"where=same_vma writer=mmap",
		"where=other_vma writer=mmap tasks=3",
		"where=same_vma writer=mprotect tasks=2 writer_rate=0 record=no",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *words __free(memory) =
			text_format("%s window=100ms fault_rate=2000 size=8M", cases[i]);
		struct run *run __free(run) = run_named("mmap_fault", words);
		size_t tasks = strstr(cases[i], "tasks=3")   ? 3
			       : strstr(cases[i], "tasks=2") ? 2
							     : 1;

		if (!run)
			continue;
		check_run(run, tasks, strstr(cases[i], "mprotect"));
		assert_true(figure(run, "mmap_fault", "writer_operations") > 0);
		assert_true(figure(run, "mmap_fault", "faults") >= 1);
	}
}

/* Nothing is written twice: where the pages end the run does, and says what would help. */
static void test_mmap_fault_used_up(void **state)
{
	struct run *run __free(run) =
		run_workload(workload_find("mmap_fault"), "fault_rate=0 size=64k");

	(void)state;
	assert_run(run, OUTCOME_INVALID, "used up: with a larger size=");
}

/* A paced run is told before it begins. */
static void test_sizes(void **state)
{
	struct run *small __free(run) =
		run_workload(workload_find("mmap_fault"), "size=1M fault_rate=1000 window=1s");
	struct run *odd __free(run) = run_workload(workload_find("mmap_fault"), "size=100001");
	struct run *few __free(run) = run_workload(workload_find("reader_writer_fault"),
						   "file=none vmas=100 fault_rate=1000");
	struct run *many __free(run) =
		run_workload(workload_find("reader_writer_fault"), "file=none vmas=1000000");

	(void)state;
	assert_run(small, OUTCOME_UNSUPPORTED, "size=1M is too little for fault_rate=1000");
	assert_run(odd, OUTCOME_UNSUPPORTED, "size=100001: not whole pages");
	assert_run(few, OUTCOME_UNSUPPORTED, "vmas=100 is too little for fault_rate=1000");
	if (many->outcome == OUTCOME_UNSUPPORTED)
		assert_run(many, OUTCOME_UNSUPPORTED, "vm.max_map_count is ");
}

/* Without readers it needs no second CPU. */
static void test_chain_without_reader(void **state)
{
	static const char *const where[] = {"fresh_vma", "other_vma"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *words __free(memory) =
			text_format("file=none where=%s window=100ms tasks=2 vmas=1100", where[i]);
		struct run *run __free(run) = run_named("reader_writer_fault", words);
		size_t count;

		if (!run)
			continue;
		check_run(run, 2, true);
		first_of(run, "reader", &count);
		assert_int_equal(count, 0);
	}
}

static void test_chain(void **state)
{
	static const char *const files[] = {"maps", "smaps", "smaps_rollup", "stat"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *words __free(memory) = text_format(
			"file=%s window=200ms fault_rate=500 vmas=300 writer=mmap", files[i]);
		struct run *run __free(run) = run_named("reader_writer_fault", words);
		size_t count;

		if (!run)
			continue;
		check_run(run, 1, false);
		json_t *reader = task_of(run, first_of(run, "reader", &count));

		assert_int_equal(count, 1);
		assert_int_equal(counter_of(reader, "failures"), 0);
		assert_true(counter_of(reader, "bytes") > 0);
		assert_true(figure(run, "reader_writer_fault", "reader_scans") > 0);
	}
}

/* A reader that may not read is a machine that cannot, not a run that failed. */
static void test_denied(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		/* Of a process that is not dumpable only root reads more than its state. */
		if (!geteuid() &&
		    (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
			_exit(1);
		if (prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL))
			_exit(2);
		json_t *values = values_of("file=smaps window=20ms");
		json_t *record = crew_run(workload_find("reader_writer_fault"), values, NULL, NULL);
		const char *outcome = json_string_value(json_object_get(record, "outcome"));
		const char *reason = json_string_value(json_object_get(record, "reason"));

		if (!text_equal(outcome, "unsupported"))
			_exit(3);
		_exit(strstr(reason, "permission denied: this user may not read it") ? 0 : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_maps_find(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 5 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct maps_range range;
	struct error err;

	(void)state;
	assert_true(at != MAP_FAILED);
	assert_int_equal(mprotect(at + page, 2 * page, PROT_READ), 0);
	for (size_t i = 1; i < 3; i++) {
		assert_true(maps_find((uintptr_t)at + i * page + 7, &range, &err));
		assert_int_equal(range.low, (uintptr_t)at + page);
		assert_int_equal(range.high, (uintptr_t)at + 3 * page);
	}
	assert_int_equal(munmap(at + page, 2 * page), 0);
	assert_false(maps_find((uintptr_t)at + page, &range, &err));
	assert_int_equal(err.code, ERROR_DATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mmap_fault),
		cmocka_unit_test(test_mmap_fault_used_up),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_chain_without_reader),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_denied),
		cmocka_unit_test(test_maps_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
