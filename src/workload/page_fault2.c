// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/page_fault.h"
#include "workload/scratch.h"

/*
 * A file of the task's own, mapped privately, as page_fault2 of will-it-scale: each write finds the
 * file's page in the page cache and copies it (do_cow_fault()), under the VMA's own lock since
 * Linux 6.7. What is written stays out of the file, so that its pages are never dirty.
 */

static const enum scratch_use use = SCRATCH_COPIED;

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps its file privately, writes one byte to each page, unmaps it",
		.operations = PAGE_FAULT_OPERATIONS,
		.prepare = scratch_prepare,
		.work = page_fault_work,
		.slow = scratch_slow,
		.note = region_tell,
	},
	{.name = NULL},
};

static const struct param params[] = {
	REGION_PARAM_SIZE_WALK,
	SCRATCH_PARAM_DIR,
	{.name = NULL},
};

const struct workload workload_page_fault2 = {
	.name = "page_fault2",
	.summary = "a file of each task mapped privately, each page written and so copied, "
		   "unmapped (as page_fault2 of will-it-scale)",
	.needs = "a file of size= for each task in dir=, and memory for twice that",
	.roles = roles,
	.params = params,
	.metrics = page_fault_metrics,
	.supported = scratch_supported,
	.own = &use,
	.describe = scratch_describe,
};
