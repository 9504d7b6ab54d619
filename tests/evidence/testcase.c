// SPDX-License-Identifier: GPL-2.0-or-later
/* A test case as will-it-scale has them, for rows/external: two locks for writing an iteration. */
#include <stdlib.h>
#include <sys/mman.h>

extern char *testcase_description;
void testcase(unsigned long long *iterations, unsigned long nr);

char *testcase_description = (char[]){"a page mapped and unmapped"};

void testcase(unsigned long long *iterations, unsigned long nr)
{
	(void)nr;
	for (;;) {
		void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED || munmap(page, 4096))
			abort();
		(*iterations)++;
	}
}
