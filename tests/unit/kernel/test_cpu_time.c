// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "kernel/cpu_time.h"

/* What a machine with this /proc/stat says. */
static struct cpu_idle idle_of(const char *stat)
{
	char root[] = "/tmp/contend-cpu-time-XXXXXX";
	struct cpu_idle idle;

	assert_non_null(mkdtemp(root));

	char *folder __free(memory) = text_format("%s/proc", root);
	char *path __free(memory) = text_format("%s/stat", folder);

	assert_int_equal(mkdir(folder, 0700), 0);

	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(stat, file);
	fclose(file);
	idle = cpu_idle_read(root);
	assert_int_equal(unlink(path) | rmdir(folder) | rmdir(root), 0);
	return idle;
}

static bool is_even(const void *context, int cpu)
{
	(void)context;
	return cpu % 2 == 0;
}

/* idle and iowait, the fourth and fifth number; no line but those of single CPUs. */
static void between_two_readings(void **state)
{
	struct cpu_idle before __cleanup(cpu_idle_done) =
		idle_of("cpu  9 9 9 999 99 0 0 0 0 0\ncpu0 1 2 3 100 10 0 0 0 0 0\n"
			"cpu1 1 2 3 200 20 0 0 0 0 0\ncpu4 1 2 3 300 30 0 0 0 0 0\n"
			"intr 12345 0 0\ncpu7 1 2 3 4 5\n");
	struct cpu_idle after __cleanup(cpu_idle_done) =
		idle_of("cpu  9 9 9 999 99 0 0 0 0 0\ncpu0 1 2 3 150 11 0 0 0 0 0\n"
			"cpu1 1 2 3 203 20 0 0 0 0 0\ncpu4 1 2 3 290 30 0 0 0 0 0\n"
			"intr 12345 0 0\n");
	int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK), idle_ns;
	size_t cpus;

	(void)state;
	assert_int_equal(before.count, 3);
	assert_int_equal(before.list[2].number, 4);
	assert_int_equal(before.list[2].ns, 330 * tick_ns);
	assert_true(cpu_idle_between(&before, &after, NULL, NULL, &cpus, &idle_ns));
	assert_int_equal(cpus, 3);
	/* That of the third stepped back. */
	assert_int_equal(idle_ns, (51 + 3) * tick_ns);
	assert_true(cpu_idle_between(&before, &after, is_even, NULL, &cpus, &idle_ns));
	assert_int_equal(cpus, 2);
	assert_int_equal(idle_ns, 51 * tick_ns);
}

/* A CPU that came or went, or nothing to read: no figure. */
static void not_known(void **state)
{
	struct cpu_idle two __cleanup(cpu_idle_done) =
		idle_of("cpu0 1 2 3 100 10\ncpu1 1 2 3 200 20\n");
	struct cpu_idle other __cleanup(cpu_idle_done) =
		idle_of("cpu0 1 2 3 100 10\ncpu2 1 2 3 200 20\n");
	struct cpu_idle one __cleanup(cpu_idle_done) = idle_of("cpu0 1 2 3 100 10");
	struct cpu_idle none __cleanup(cpu_idle_done) = idle_of("");
	struct cpu_idle hostile __cleanup(cpu_idle_done) =
		idle_of("cpu0 1 2 3 -4 10\ncpu1 x\ncpu2 1 2 3 9223372036854775807 9\n");
	int64_t idle_ns;
	size_t cpus;

	(void)state;
	assert_int_equal(one.count, 1);
	assert_int_equal(none.count, 0);
	assert_int_equal(hostile.count, 0);
	assert_false(cpu_idle_between(&two, &other, NULL, NULL, &cpus, &idle_ns));
	assert_false(cpu_idle_between(&two, &one, NULL, NULL, &cpus, &idle_ns));
	assert_false(cpu_idle_between(&none, &none, NULL, NULL, &cpus, &idle_ns));
}

static void this_machine(void **state)
{
	struct cpu_idle idle __cleanup(cpu_idle_done) = cpu_idle_read("");

	(void)state;
	assert_int_equal(idle.count, sysconf(_SC_NPROCESSORS_ONLN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_two_readings),
		cmocka_unit_test(not_known),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
