// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "bench.h"

static void test_proc_maps(void **state)
{
	static const char *const files[] = {
		"maps", "smaps", "smaps_rollup", "numa_maps", "query", "stat",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *words __free(memory) = text_format("window=200ms vmas=50 file=%s", files[i]);
		struct run *run __free(run) = run_named("proc_maps", words);

		if (!run)
			continue;
		json_t *writer = task_of(run, 0), *reader = task_of(run, 1);
		int64_t calls = counter_of(writer, "operations");

		assert_int_equal(counter_of(writer, "failures"), 0);
		/* The mix is fixed: three calls in turn. */
		assert_in_range(counter_of(writer, "map") - calls / 3, 0, 1);
		assert_in_range(counter_of(writer, "protect") - calls / 3, 0, 1);
		assert_in_range(counter_of(writer, "unmap") - calls / 3, 0, 1);
		assert_int_equal(counter_of(reader, "failures"), 0);
		assert_true(counter_of(reader, "bytes") > 0);
		assert_int_not_equal(field_of(writer, "cpu"), field_of(reader, "cpu"));
		assert_true(figure(run, "proc_maps", "writer_latency_p50") > 0);
		assert_true(figure(run, "proc_maps", "writer_call_max") > 0);
		assert_true(figure(run, "proc_maps", "writer_cpu") > 0);
		assert_true(figure(run, "proc_maps", "reader_scans") > 0);
	}
}

static void test_proc_maps_closed_loop(void **state)
{
	struct run *run __free(run) = run_named(
		"proc_maps", "window=100ms vmas=10 writer_rate=0 reader_rate=0 record=no");

	(void)state;
	if (!run)
		return;
	assert_int_equal(json_array_size(json_object_get(run->record, "series")), 0);
	/* A figure made from latencies would be a false zero. */
	assert_null(json_object_get(json_object_get(task_of(run, 0), "counters"), "stalled_ns"));
}

/* Tasks by role, and the nice values that /proc/PID/stat shows of them. */
struct seen {
	unsigned int writers, readers, spinners, wrong;
};

/* A process of this test whose stat this is. */
static void see_process(struct seen *s, const char *stat)
{
	const char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	int mine = getpriority(PRIO_PROCESS, 0), parent, nice;

	if (!open || !close ||
	    sscanf(close, ") %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
		   &parent, &nice) != 2 ||
	    parent != getpid())
		return;
	if (!strncmp(open, "(writer)", 8)) {
		s->writers++;
		s->wrong += nice != mine;
	} else if (!strncmp(open, "(reader)", 8)) {
		s->readers++;
		s->wrong += nice != mine + 15;
	} else if (!strncmp(open, "(spinner)", 9)) {
		s->spinners++;
		s->wrong += nice != mine;
	}
}

static bool see(void *context, const char *phase, double share __attribute__((unused)))
{
	DIR *dir __free(dir) = opendir("/proc");
	const struct dirent *entry;

	while (text_equal(phase, "window") && dir && (entry = readdir(dir))) {
		char *path __free(memory) = text_format("/proc/%s/stat", entry->d_name);
		char *stat __free(memory) = NULL;

		if (isdigit((unsigned char)entry->d_name[0]))
			stat = file_read_line("", path);
		if (stat)
			see_process(context, stat);
	}
	return true;
}

/*
 * What busy_ms= is for: the reader is preempted by the spinner, and by nobody where there is none.
 */
static void test_proc_maps_nice(void **state)
{
	const struct workload *w = workload_find("proc_maps");
	struct seen s = {.wrong = 0};
	struct crew_watch watch = {.tick = see, .context = &s, .fd = -1};
	struct run *run __free(run) =
		run_watched(w, "window=1s vmas=10 readers=2 busy_ms=2", &watch);

	(void)state;
	if (getpriority(PRIO_PROCESS, 0) + 15 > 19) {
		assert_run(run, OUTCOME_UNSUPPORTED, "reader needs a nice value 15 above");
		return;
	}
	is_ok(run);
	assert_true(s.writers > 0);
	assert_int_equal(s.readers, 2 * s.writers);
	assert_int_equal(s.spinners, 2 * s.writers);
	assert_int_equal(s.wrong, 0);
}

static void test_proc_maps_spinners(void **state)
{
	struct run *run __free(run) =
		run_named("proc_maps", "window=1s vmas=10 readers=2 busy_ms=2");

	(void)state;
	if (!run)
		return;
	assert_int_equal(tasks_in(run), 5);
	assert_int_equal(field_of(task_of(run, 1), "cpu"), field_of(task_of(run, 3), "cpu"));
	assert_int_equal(field_of(task_of(run, 2), "cpu"), field_of(task_of(run, 4), "cpu"));
	assert_true(counter_of(task_of(run, 3), "spell") > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proc_maps),
		cmocka_unit_test(test_proc_maps_closed_loop),
		cmocka_unit_test(test_proc_maps_nice),
		cmocka_unit_test(test_proc_maps_spinners),
	};
	cpu_set_t mine;

	if (!sched_getaffinity(0, sizeof(mine), &mine) && CPU_COUNT(&mine) < 2) {
		printf("1..0 # SKIP the readers need a CPU apart from the writer, and there is one\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
