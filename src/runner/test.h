/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_RUNNER_TEST_H
#define CONTEND_RUNNER_TEST_H

#include "workload/crew/handover.h"
#include <contend/contend.h>

/* A test case that has been loaded. */
struct test {
	/* One of the two, NULL the other: see src/workload/object.h. */
	void *(*testcase)(unsigned long long *iterations, unsigned long number);
	void (*work)(struct contend_task *t);

	/* What goes with it; NULL: it has none. */
	void (*testcase_prepare)(unsigned long tasks);
	const char *(*prepare)(unsigned int tasks);
	void (*cleanup)(void);

	char description[160]; /* what it calls itself; "": nothing */
};

/* Loads a file, running its constructors, and never lets go of it. */
bool test_load(const char *path, struct test *ret, struct error *err);

/* Calls its prepare function. False with its reason (ERROR_UNSUPPORTED). */
bool test_prepare(const struct test *test, unsigned int tasks, struct error *err);

/* contend_work() for a task of the crew, from the gate to the end of the window. */
void test_work(const struct test *test, struct worker *w);

#endif
