// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/scratch.h"
#include "workload/tlb_flush.h"

/*
 * A file of the task's own, mapped privately, as tlb_flush1 of will-it-scale: the write copies the
 * file's page, madvise drops the copy, and the read maps the file's page again, with some of its
 * neighbours (fault-around).
 */

static const enum scratch_use use = SCRATCH_READ;

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps its file privately; writes, drops and reads each page; unmaps it",
		.operations = TLB_FLUSH_OPERATIONS,
		.prepare = scratch_prepare,
		.work = tlb_flush_work_private,
		.slow = scratch_slow,
		.note = region_tell,
	},
	{.name = NULL},
};

static const struct param params[] = {
	REGION_PARAM_SIZE_WALK,
	SCRATCH_PARAM_DIR,
	TLB_FLUSH_PARAM_WARMUP,
	{.name = NULL},
};

const struct workload workload_tlb_flush1 = {
	.name = "tlb_flush1",
	.summary =
		"a file of each task mapped privately, each page written, dropped (MADV_DONTNEED) and read again; mode=thread: flushed on the other tasks' CPUs (as tlb_flush1 of will-it-scale)",
	.needs = "a file of size= for each task in dir=, and memory for it in the page cache",
	.roles = roles,
	.params = params,
	.metrics = tlb_flush_metrics,
	.supported = scratch_supported,
	.own = &use,
	.describe = scratch_describe,
};
