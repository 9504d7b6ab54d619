// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>

#include "bench.h"
#include "workload/crew/machine.h"

/* A fake tree of kernel files in the working folder, which is scratch. */
#define ROOT "machine_tree"
#define GROUP "/sys/fs/cgroup/contend-1"
#define THP "/sys/kernel/mm/transparent_hugepage"

static void put(const char *path, const char *value)
{
	char *full __free(memory) = text_format("%s%s", ROOT, path);
	FILE *file;

	for (char *at = full; (at = strchr(at + 1, '/'));) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(value, file);
	fclose(file);
}

static const struct machine_counter counters[] = {
	{"swapped_out", MACHINE_VMSTAT, {"pswpout", "swpout_zero", "zswpout"}},
	{"pswpin", MACHINE_VMSTAT, {"pswpin"}},
	{"mthp_swpout", MACHINE_MTHP, {"swpout"}},
	{"mthp_tried", MACHINE_MTHP, {"swpout", "swpout_fallback"}},
	{"nothing", MACHINE_VMSTAT, {"no_such_key"}},
	{"orig_data_bytes", MACHINE_ZRAM, {"orig_data_size"}},
	{.name = NULL},
};

/* The record of a window in which the machine went from one state to another one. */
static json_t *watched(const char *group, struct machine *m)
{
	json_t *record = json_object();

	put("/proc/vmstat", "pswpin 5\npswpout 100\nswpout_zero 7\n");
	put(GROUP "/memory.stat", "anon 1\npswpin 1\n");
	put(THP "/hugepages-64kB/stats/swpout", "10\n");
	put(THP "/hugepages-64kB/stats/swpout_fallback", "1\n");
	put(THP "/hugepages-2048kB/stats/swpout", "1000\n");
	put("/sys/block/zram0/disksize", "1073741824\n");
	put("/sys/block/zram0/mm_stat", "4096 54 8192 0 8192 0 0 0 0\n");
	put("/sys/block/zram1/disksize", "0\n");
	put("/sys/block/zram1/mm_stat", "9 9 9 9 9 9 9 9 9\n");
	machine_init(m, ROOT, group, counters);
	machine_begin(m);
	put("/proc/vmstat", "pswpin 9\npswpout 130\nswpout_zero 9\n");
	put(GROUP "/memory.stat", "anon 1\npswpin 3\n");
	put(THP "/hugepages-64kB/stats/swpout", "14\n");
	put(THP "/hugepages-64kB/stats/swpout_fallback", "2\n");
	put("/sys/block/zram0/mm_stat", "40960 5400 8192 0 8192 0 0 0 0\n");
	machine_end(m);
	machine_record(m, record);
	return record;
}

static void test_counters(void **state)
{
	struct machine m;
	json_t *record __free(json) = watched(NULL, &m);
	json_t *machine = json_object_get(record, "machine");

	(void)state;
	/* What the kernel has no key of adds nothing. */
	assert_int_equal(counter_of(machine, "swapped_out"), 32);
	assert_int_equal(counter_of(machine, "pswpin"), 4);
	assert_int_equal(counter_of(machine, "mthp_swpout"), 4);
	assert_int_equal(counter_of(machine, "mthp_tried"), 5);
	/* What it has none of is left out. */
	assert_null(json_object_get(json_object_get(machine, "counters"), "nothing"));
	/* A state, of devices that are in use. */
	assert_int_equal(field_of(machine, "orig_data_bytes"), 40960);
	assert_true(field_of(machine, "window_ns") > 0);
	assert_int_equal(json_array_size(json_object_get(machine, "of_group")), 0);

	assert_int_equal(machine_counted(&m, "swapped_out"), 32);
	assert_int_equal(machine_counted(&m, "nothing"), -1);
	assert_int_equal(machine_counted(&m, "unheard of"), -1);
}

/* A memory cgroup's own count goes before the machine's, key by key. */
static void test_group(void **state)
{
	struct machine m;
	json_t *record __free(json) = watched(GROUP, &m);
	json_t *machine = json_object_get(record, "machine");
	json_t *group = json_object_get(machine, "of_group");

	(void)state;
	assert_int_equal(counter_of(machine, "pswpin"), 2);
	assert_int_equal(counter_of(machine, "swapped_out"), 32);
	assert_int_equal(json_array_size(group), 1);
	assert_string_equal(json_string_value(json_array_get(group, 0)), "pswpin");
}

static void test_not_read(void **state)
{
	json_t *record __free(json) = json_object();
	struct machine m;

	(void)state;
	machine_init(&m, ROOT, NULL, NULL);
	machine_begin(&m);
	machine_end(&m);
	machine_record(&m, record);
	assert_int_equal(json_object_size(record), 0);
	/* A run that came to no end has no window of it. */
	machine_init(&m, ROOT, NULL, counters);
	machine_begin(&m);
	machine_record(&m, record);
	assert_int_equal(json_object_size(record), 0);
	assert_int_equal(machine_counted(&m, "pswpin"), -1);
}

/* ---- in a run ---- */

static void spin(struct worker *w)
{
	while (worker_next(w))
		worker_end(w, 0, worker_begin(w, 0), true);
}

static const struct role roles[] = {
	{.name = "task", .help = "spins", .operations = {{.name = "spin"}}, .work = spin},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = ""},
	{"faults", "1/op", BETTER_LOWER, SUMMARY_RATIO, "machine.faults", "task.operations",
	 .help = ""},
	{.name = NULL},
};

static const struct machine_counter faults[] = {
	{"faults", MACHINE_VMSTAT, {"pgfault"}},
	{.name = NULL},
};

static bool refuse(const struct machine *machine, struct error *err)
{
	return error_set(err, ERROR_DATA, "%s faults",
			 machine_counted(machine, "faults") > 0 ? "there were" : "no");
}

static void test_run(void **state)
{
	struct workload w = {
		.name = "spin",
		.summary = "spins",
		.roles = roles,
		.metrics = metrics,
		.machine = faults,
	};
	struct run *run __free(run) = run_ok(&w, "window=20ms warmup=1ms");
	json_t *object __free(json) = crew_describe(&w);
	struct description *d __free(description) = NULL;
	struct error err;
	double value;

	(void)state;
	assert_true(description_from_json(object, &d, &err));
	assert_true(run_figure(run, description_metric(d, "faults"), &value, &err));

	w.confirm = refuse;
	for (int i = 0; i < 20; i++) {
		struct run *other __free(run) = run_workload(&w, "window=20ms warmup=1ms");

		if (strstr(other->reason, " was measured for "))
			continue;
		assert_run(other, OUTCOME_INVALID, " faults");
		return;
	}
	fail_msg("no run with a window as asked");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_not_read),
		cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
