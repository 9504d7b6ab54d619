// SPDX-License-Identifier: GPL-2.0-or-later
/* A test case of one's own. BEHAVE, in the environment, is what it does besides. */
#include <contend/contend.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

CONTEND_TEST("Behaves as it is told, and knows of it");

static int behaves(const char *how)
{
	const char *said = getenv("BEHAVE");

	return said && !strcmp(said, how);
}

const char *contend_prepare(unsigned int tasks)
{
	if (behaves("refuse"))
		return "there is no moon tonight";
	if (behaves("refuse_silently"))
		return "";
	return tasks > 1000 ? "too many" : NULL;
}

void contend_cleanup(void)
{
}

void contend_work(struct contend_task *t)
{
	int fail = behaves("fail"), leave = behaves("leave"), crash = behaves("crash");
	int never_begin = behaves("never_begin"), begin_late = behaves("begin_late");

	while (contend_next(t)) {
		int64_t begin = contend_begin(t);

		if (leave)
			return;
		if (crash)
			raise(SIGSEGV);
		errno = ENODEV;
		if (never_begin)
			begin = 0;
		if (begin_late)
			begin += 1000000000;
		contend_end(t, begin, !fail);
	}
}
