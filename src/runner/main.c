// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * contend-runner: loads a test case from a shared object and makes its tasks. A static program
 * cannot load one, so this is a program of its own, and dynamic. It is started by contend-agent,
 * whose keeper (src/workload/crew/keeper.h) listens to what is printed here.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "runner/tasks.h"

enum { RUNNER_USAGE = 2 };

static void doing(const struct handover *h, enum guest_doing what)
{
	atomic_store(&h->map.stage->guest.doing, what);
}

static bool run(const struct handover *h, struct error *err)
{
	char path[PATH_MAX];
	struct test test;

	tasks_claim_signals();
	doing(h, GUEST_LOADING);
	/* By its whole name: without a slash it would be looked for where libraries are. */
	if (!realpath(cast_string(&h->cast, "file"), path))
		return error_set_errno(err, "file %s", cast_string(&h->cast, "file"));
	if (!test_load(path, &test, err))
		return false;
	memcpy(h->map.stage->guest.description, test.description, sizeof(test.description));
	doing(h, GUEST_PREPARING);
	if (!test_prepare(&test, h->placement.roles[h->role].tasks, err))
		return false;
	doing(h, GUEST_RUNNING);
	if (!tasks_perform(h, &test, err))
		return false;
	doing(h, GUEST_CLEANING);
	if (test.cleanup)
		test.cleanup();
	return true;
}

int main(int argc, char **argv)
{
	struct handover h;
	struct error err;

	if (argc != 2) {
		fputs("usage: contend-runner JOB\nIt is started by contend-agent.\n", stderr);
		return RUNNER_USAGE;
	}
	json_use_memory();
	if (!handover_take(argv[1], &h, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return RUNNER_USAGE;
	}
	/* What a test case prints is to be seen also when it is killed. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (run(&h, &err)) {
		/* Not exit(): threads may be parked that hold what destructors would wait for. */
		fflush(NULL);
		_exit(0);
	}
	stage_fail(&h.map, &err);
	_exit(1);
}
