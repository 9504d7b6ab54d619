// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/region.h"

/*
 * A region mapped and unmapped in turn, never touched: mmap_lock for writing twice a round, a VMA
 * made and freed, no fault. As mmap1 of will-it-scale does, and a round counts once, as there:
 * when it has been unmapped.
 *
 * In mode=thread the regions of several threads lie next to each other, where the kernel merges the
 * mappings: then mmap extends one, and munmap splits or trims one. That, too, is as in
 * will-it-scale.
 */

static void work(struct worker *w)
{
	const struct region *region = w->local;

	while (worker_next(w)) {
		void *at = region_map_timed(w, region);

		if (at)
			region_unmap_timed(w, region, at);
	}
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory and unmaps it, without touching it",
		.operations = {[REGION_MMAP] = {.name = "mmap",
						.series = "mmap_latency",
						.part = true},
			       [REGION_MUNMAP] = {.name = "munmap", .series = "munmap_latency"}},
		.prepare = region_prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "128M", .low = 0x1p12, .high = 0x1p44,
	 .help = "of the region, in whole pages; 128M is what will-it-scale maps"},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "rounds of one mmap and one munmap per second, summed over the tasks: what "
		 "will-it-scale counts"},
	REGION_METRICS_MMAP,
	METRIC_QUANTILES("munmap_latency", "task.munmap_latency", "of a munmap call"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a round"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a round: nothing is touched, so there is next to none"},
	{.name = NULL},
};

const struct workload workload_mmap1 = {
	.name = "mmap1",
	.summary =
		"anonymous memory mapped and unmapped, never touched (as mmap1 of will-it-scale)",
	.needs = "address space for size=, and that vm.overcommit_memory lets it be mapped",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = region_mappable,
};
