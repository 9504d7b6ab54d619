// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/page_fault.h"

/*
 * Anonymous memory, as page_fault1 of will-it-scale: each page counts, as there. A write faults
 * under the VMA's own lock (Linux 6.4) or under mmap_lock for reading; mmap and munmap take
 * mmap_lock for writing, once a region each.
 */

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory, writes one byte to each page, unmaps it",
		.operations = PAGE_FAULT_OPERATIONS,
		.prepare = region_prepare,
		.work = page_fault_work,
		.note = region_tell,
	},
	{.name = NULL},
};

static const struct param params[] = {
	REGION_PARAM_SIZE_WALK,
	REGION_PARAM_HUGEPAGE,
	{.name = NULL},
};

const struct workload workload_page_fault1 = {
	.name = "page_fault1",
	.summary = "anonymous memory mapped, each page written, unmapped (as page_fault1 of "
		   "will-it-scale)",
	.needs = "memory for size= of each task",
	.roles = roles,
	.params = params,
	.metrics = page_fault_metrics,
	.supported = region_affordable,
};
