// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/page_fault.h"
#include "workload/scratch.h"

/*
 * A file of the task's own, mapped shared, as page_fault3 of will-it-scale: each write finds the
 * file's page in the page cache and makes it dirty (do_shared_fault()), after the file system was
 * asked (page_mkwrite(), where it has one); under the VMA's own lock since Linux 6.7. tmpfs is not
 * asked and has no writeback.
 */

static const enum scratch_use use = SCRATCH_SHARED;

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps its file shared, writes one byte to each page, unmaps it",
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

const struct workload workload_page_fault3 = {
	.name = "page_fault3",
	.summary = "a file of each task mapped shared, each page written, unmapped (as page_fault3 "
		   "of will-it-scale)",
	.needs = "a file of size= for each task in dir=, and memory for it in the page cache",
	.roles = roles,
	.params = params,
	.metrics = page_fault_metrics,
	.supported = scratch_supported,
	.own = &use,
	.describe = scratch_describe,
};
