// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/mmap_round.h"
#include "workload/scratch.h"

/*
 * A file of the task's own, mapped privately, as mmap2 of will-it-scale: what mmap1 does, and the
 * VMA goes into the file's tree of mappings and out of it (i_mmap_rwsem for writing), with a
 * reference to the file. Each file has one mapping at a time, so that nobody else wants its tree;
 * and threads' mappings are of different files, so that they are not merged.
 */

static const enum scratch_use use = SCRATCH_MAPPED;

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps its file privately and unmaps it, without touching it",
		.operations = MMAP_ROUND_OPERATIONS,
		.prepare = scratch_prepare,
		.work = mmap_round_work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	MMAP_ROUND_PARAM_SIZE,
	SCRATCH_PARAM_DIR,
	{.name = NULL},
};

const struct workload workload_mmap2 = {
	.name = "mmap2",
	.summary = "a file of each task mapped and unmapped, never touched (as mmap2 of "
		   "will-it-scale)",
	.needs = "a sparse file of size= for each task in dir=",
	.roles = roles,
	.params = params,
	.metrics = mmap_round_metrics,
	.supported = scratch_supported,
	.own = &use,
	.describe = scratch_describe,
};
