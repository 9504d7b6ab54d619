// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/workload.h"

/* What the harness itself costs: everything that surrounds an operation, and no operation. */

enum { EMPTY };

static void work(struct worker *w)
{
	while (worker_next(w)) {
		int64_t begin = worker_begin(w, EMPTY);

		/* The compiler must not see that nothing is between. */
		__asm__ volatile("" ::: "memory");
		worker_end(w, EMPTY, begin, true);
	}
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "does nothing, and counts and times it",
		.operations = {[EMPTY] = {.name = "empty", .series = "latency"}},
		.work = work,
	},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "empty operations per second, summed over the tasks"},
	METRIC_QUANTILES("latency", "task.latency",
			 "between the two clock readings around an empty operation"),
	{.name = NULL},
};

const struct workload workload_null = {
	.name = "null",
	.summary = "an empty operation: what the harness costs (record=no: its bare loop)",
	.roles = roles,
	.metrics = metrics,
};
