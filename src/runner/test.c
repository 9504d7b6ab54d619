// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/test.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

/* A function's address as such: dlsym() knows objects only. */
#define FIND(handle, pointer, name) (*(void **)&(pointer) = dlsym(handle, name))

static bool load_own(void *object, struct test *ret, struct error *err)
{
	const unsigned int *abi = dlsym(object, "contend_abi");
	const char *description = dlsym(object, "contend_description");

	if (!abi || !description)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"it has contend_work() and no CONTEND_TEST(\"...\"), which belongs "
			"to it (contend/contend.h)");
	if (*abi != CONTEND_ABI)
		return error_set(err, ERROR_UNSUPPORTED,
				 "it was built with a contend/contend.h of ABI %u, this "
				 "contend-runner knows ABI %u",
				 *abi, (unsigned int)CONTEND_ABI);
	snprintf(ret->description, sizeof(ret->description), "%s", description);
	FIND(object, ret->prepare, "contend_prepare");
	FIND(object, ret->cleanup, "contend_cleanup");
	return true;
}

static bool load_testcase(void *object, struct test *ret, struct error *err)
{
	char *const *description = dlsym(object, "testcase_description");

	FIND(object, ret->testcase, "testcase");
	if (!ret->testcase)
		return error_set(err, ERROR_UNSUPPORTED,
				 "it has neither testcase() nor contend_work()");
	if (description && *description)
		snprintf(ret->description, sizeof(ret->description), "%s", *description);
	FIND(object, ret->testcase_prepare, "testcase_prepare");
	FIND(object, ret->cleanup, "testcase_cleanup");
	return true;
}

bool test_load(const char *path, struct test *ret, struct error *err)
{
	/* Now: a name that nobody has must not be found missing in the midst of a window. */
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct test test = {.description = ""};

	if (!object)
		return error_set(err, ERROR_UNSUPPORTED, "%s", dlerror());
	FIND(object, test.work, "contend_work");
	if (!(test.work ? load_own(object, &test, err) : load_testcase(object, &test, err)))
		return error_wrap(err, "file %s", path);
	*ret = test;
	return true;
}

bool test_prepare(const struct test *test, unsigned int tasks, struct error *err)
{
	const char *reason = NULL;

	if (test->prepare)
		reason = test->prepare(tasks);
	else if (test->testcase_prepare)
		test->testcase_prepare(tasks);
	return !reason ||
	       error_set(err, ERROR_UNSUPPORTED, "%s",
			 *reason ? reason : "contend_prepare() refuses, and does not say why");
}

/* What contend.h promises to whoever was built with it. */

bool contend_next_slow(struct contend_task *t)
{
	struct worker *w = t->self_;
	bool more;

	w->patience = t->patience_;
	more = worker_next_slow(w);
	t->patience_ = w->patience;
	t->seen_phase_ = w->seen_phase;
	return more;
}

/* When the calling task came to its loop. */
static _Thread_local int64_t loop_ns;

/*
 * Who ends before it began, or began before its loop did, was not given its begin by
 * contend_begin(): that is a failure, and no latency.
 */
void contend_record(struct contend_task *t, int64_t latency_ns)
{
	/* Only long ones are worth another reading of the clock. */
	if (latency_ns < 0 || (latency_ns > NS_PER_SEC && clock_now_ns() - latency_ns < loop_ns)) {
		errno = EINVAL;
		contend_fail(t);
		return;
	}
	worker_record(t->self_, 0, latency_ns);
}

void contend_fail(struct contend_task *t)
{
	worker_fail(t->self_);
}

void test_work(const struct test *test, struct worker *w)
{
	struct contend_task t = {
		.task = w->task,
		.tasks = w->tasks,
		.seed = w->seed,
		.patience_ = w->patience,
		.seen_phase_ = w->seen_phase,
		.phase_ = (const uint32_t *)(uintptr_t)w->phase,
		.count_ = &w->tally->operations[0],
		.timed_ = w->series[0] != NULL,
		.self_ = w,
	};

	loop_ns = clock_now_ns();
	test->work(&t);
}
