// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/mark_victim.h"
#include "kernel/tracefs.h"

static size_t open_descriptors(void)
{
	DIR *dir __free(dir) = opendir("/proc/self/fd");
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	return n;
}

/* In a process of its own, for it may come to be in another mount namespace. 0: as it should be. */
static int look(void)
{
	size_t before = open_descriptors();
	int other __free(fd) = eventfd(1, EFD_CLOEXEC);
	struct mark_victim m;
	struct error err;

	if (!mark_victim_open(&m, &err))
		return err.code == ERROR_UNSUPPORTED && *err.text ? 0 : 1;
	/* A comm is recorded from Linux 6.10 on, the pid always: behind the eight common bytes. */
	if (tracefs_field_offset("oom", "mark_victim", "pid") != 8 || m.pid_offset != 8)
		return 2;
	if (tracefs_field_offset("oom", "mark_victim", "no_such_field") != -1 ||
	    tracefs_event_id("oom", "no_such_event") != -1)
		return 3;
	/* Nobody chose this process; whoever else was chosen meanwhile is forgotten. */
	if (mark_victim_take(&m, getpid()))
		return 4;
	if (mark_victim_await(&m, other) && mark_victim_take(&m, getpid()))
		return 5;
	mark_victim_close(&m);
	/* Closing twice is harmless. */
	mark_victim_close(&m);
	return open_descriptors() == before + 1 ? 0 : 6;
}

static void test_nobody(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(look());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
