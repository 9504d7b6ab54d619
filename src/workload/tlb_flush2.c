// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/tlb_flush.h"

/*
 * Anonymous memory, 1 MiB, as tlb_flush2 of will-it-scale: the write makes a page, madvise frees
 * it, and the read maps the page of zeros.
 */

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory; writes, drops and reads each page; unmaps it",
		.operations = TLB_FLUSH_OPERATIONS,
		.prepare = region_prepare,
		.work = tlb_flush_work_private,
		.note = region_tell,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "1M", .low = 0x1p12, .high = 0x1p44,
	 .help = "of each task's region, in whole pages; 1M is what will-it-scale maps"},
	REGION_PARAM_HUGEPAGE,
	TLB_FLUSH_PARAM_WARMUP,
	{.name = NULL},
};

const struct workload workload_tlb_flush2 = {
	.name = "tlb_flush2",
	.summary = "anonymous memory mapped, each page written, dropped (MADV_DONTNEED) and read "
		   "again; mode=thread: flushed on the other tasks' CPUs (as tlb_flush2 of "
		   "will-it-scale)",
	.needs = "address space for size=, and that vm.overcommit_memory lets it be mapped",
	.roles = roles,
	.params = params,
	.metrics = tlb_flush_metrics,
	.supported = region_mappable,
};
