// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A test case of one's own for `contend run external`: each task locks and unlocks the pages of a
 * region of its own. docs/add-a-workload.md walks through it.
 *
 *	gcc -O2 -shared -fPIC -o mlock.so mlock.c
 *	contend run external file=./mlock.so tasks=2 mode=thread
 */
#include <contend/contend.h>
#include <sys/mman.h>
#include <sys/resource.h>

CONTEND_TEST("mlock and munlock of 64 KiB");

enum { BYTES = 64 << 10 };

const char *contend_prepare(unsigned int tasks)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur / BYTES < tasks)
		return "the limit of locked memory is too low (ulimit -l)";
	return NULL;
}

void contend_work(struct contend_task *t)
{
	char *region = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (region == MAP_FAILED)
		return;
	while (contend_next(t)) {
		int64_t begin = contend_begin(t);

		contend_end(t, begin, !mlock(region, BYTES));
		begin = contend_begin(t);
		contend_end(t, begin, !munlock(region, BYTES));
	}
	munmap(region, BYTES);
}
