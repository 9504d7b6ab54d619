// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/mmap_round.h"

/*
 * Anonymous memory, as mmap1 of will-it-scale: mmap_lock for writing twice a round, a VMA made and
 * freed, no fault.
 *
 * In mode=thread the regions of several threads lie next to each other, where the kernel merges the
 * mappings: then mmap extends one, and munmap splits or trims one. That, too, is as in
 * will-it-scale.
 */

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory and unmaps it, without touching it",
		.operations = MMAP_ROUND_OPERATIONS,
		.prepare = region_prepare,
		.work = mmap_round_work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	MMAP_ROUND_PARAM_SIZE,
	{.name = NULL},
};

const struct workload workload_mmap1 = {
	.name = "mmap1",
	.summary =
		"anonymous memory mapped and unmapped, never touched (as mmap1 of will-it-scale)",
	.needs = "address space for size=, and that vm.overcommit_memory lets it be mapped",
	.roles = roles,
	.params = params,
	.metrics = mmap_round_metrics,
	.supported = region_mappable,
};
