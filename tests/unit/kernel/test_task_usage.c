// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "kernel/task_usage.h"

static void test_stat(void **state)
{
	/* proc(5); the name is the worst that a name can be. */
	static const char text[] =
		"4711 (a) R 1 (b) S 1 4711 4711 0 -1 4194304 123 0 7 0 5 6 0 0 20 0 1 0 1000 2000 300 "
		"18446744073709551615 1 2 3 4 5 6 7 8 9 10 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
	struct task_usage usage = {0};

	(void)state;
	assert_true(task_usage_parse_stat(text, &usage));
	assert_int_equal(usage.minor_faults, 123);
	assert_int_equal(usage.major_faults, 7);
	assert_int_equal(usage.cpu, 3);
	assert_false(task_usage_parse_stat("4711 (cat) R 1 2 3", &usage));
	assert_false(task_usage_parse_stat("", &usage));
}

static void test_status(void **state)
{
	struct task_usage usage = {0};

	(void)state;
	assert_true(task_usage_parse_status("Name:\tcat\nMems_allowed_list:\t0\n"
					    "voluntary_ctxt_switches:\t12\n"
					    "nonvoluntary_ctxt_switches:\t34\n",
					    &usage));
	assert_int_equal(usage.voluntary_switches, 12);
	assert_int_equal(usage.involuntary_switches, 34);
	assert_false(task_usage_parse_status("Name:\tcat\n", &usage));
}

static void test_own(void **state)
{
	struct task_usage_files files __cleanup(task_usage_close) = TASK_USAGE_FILES_NONE;
	struct task_usage before, after;
	enum { PAGES = 64 };
	struct error err;
	char *pages;

	(void)state;
	if (!task_usage_supported(&err) && strstr(err.text, "CONFIG_SCHED_INFO"))
		return;
	assert_true(task_usage_open(gettid(), &files, &err));
	assert_true(task_usage_read(&files, &before));
	pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
	/* It leaves its CPU, which is what the CPU time is accounted at. */
	clock_sleep_until(clock_now_ns() + NS_PER_MS);
	assert_true(task_usage_read(&files, &after));
	assert_true(after.minor_faults >=
		    before.minor_faults + PAGES * 4096 / sysconf(_SC_PAGESIZE));
	assert_true(after.voluntary_switches > before.voluntary_switches);
	assert_true(after.cpu_ns > before.cpu_ns);
	munmap(pages, PAGES * 4096);
}

static void test_gone(void **state)
{
	struct task_usage_files files __cleanup(task_usage_close) = TASK_USAGE_FILES_NONE;
	struct error err;

	(void)state;
	/* Beyond the largest pid that there can be. */
	assert_false(task_usage_open(1 << 30, &files, &err));
	assert_int_equal(files.stat, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
