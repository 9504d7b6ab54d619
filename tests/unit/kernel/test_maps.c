// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "kernel/maps.h"

enum { SLOTS = 300 };

static const char *const counted[] = {"maps", "smaps", "numa_maps", "query"};

static int64_t count(const char *file)
{
	struct maps *m __free(memory) = memory_alloc(sizeof(*m));
	struct error err;
	int64_t found;

	maps_init(m, getpid(), file);
	found = maps_count(m, &err);
	if (found < 0)
		fail_msg("%s", err.text);
	return found;
}

/* Mappings that cannot merge make each count larger by as many. */
static void test_count(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int64_t before[4];
	struct error err;
	char *base;

	(void)state;
	base = mmap(NULL, 2 * SLOTS * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(base != MAP_FAILED);
	for (size_t i = 0; i < 4; i++)
		before[i] = maps_supported(counted[i], &err) ? count(counted[i]) : -1;
	for (size_t i = 0; i < SLOTS; i++)
		assert_int_equal(mprotect(base + (2 * i + 1) * page, page, PROT_READ), 0);
	for (size_t i = 0; i < 4; i++) {
		/* The last one has no fence behind it: it may merge with what is there. */
		int64_t more = before[i] < 0 ? 2 * SLOTS : count(counted[i]) - before[i];

		assert_in_range(more, 2 * SLOTS - 2, 2 * SLOTS);
	}
	munmap(base, 2 * SLOTS * page);
}

static void test_scan(void **state)
{
	static const char *const files[] = {
		"maps", "smaps", "smaps_rollup", "numa_maps", "query", "stat",
	};
	struct maps *m __free(memory) = memory_alloc(sizeof(*m));
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!maps_supported(files[i], &err)) {
			assert_int_equal(err.code, ERROR_UNSUPPORTED);
			continue;
		}
		maps_init(m, getpid(), files[i]);
		assert_true(maps_scan(m) > 0);
	}
}

/* The address space of a process that has ended is not a short scan. */
static void test_ended(void **state)
{
	struct maps *m __free(memory) = memory_alloc(sizeof(*m));
	struct child c = CHILD_NONE;
	struct pollfd ended;
	struct error err;
	int status;

	(void)state;
	switch (child_fork(&c, &err)) {
	case -1:
		fail_msg("%s", err.text);
		return;
	case 0:
		pause();
		_exit(0);
	}
	maps_init(m, c.pid, "maps");
	assert_true(maps_scan(m) > 0);
	kill(c.pid, SIGKILL);
	ended = (struct pollfd){.fd = c.pidfd, .events = POLLIN};
	assert_int_equal(poll(&ended, 1, 60000), 1);
	/* Not reaped yet: kernels differ in whether the file opens. */
	assert_true(maps_scan(m) <= 0);
	assert_int_equal(errno, ESRCH);
	assert_true(child_reap(&c, clock_now_ns() + 60 * NS_PER_SEC, &status));
	assert_int_equal(maps_scan(m), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(maps_count(m, &err), -1);
	assert_non_null(strstr(err.text, m->path));
	child_done(&c);
}

static void test_unsupported(void **state)
{
	struct error err;

	(void)state;
	assert_false(maps_supported("no_such_maps", &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "no_such_maps"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
