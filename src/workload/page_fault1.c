// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/region.h"

/*
 * A region mapped, one byte of each page written, unmapped: as page_fault1 of will-it-scale does,
 * and each page counts, as there. A write faults under the VMA's own lock (Linux 6.4) or under
 * mmap_lock for reading; mmap and munmap take mmap_lock for writing, once a region each.
 */

static bool write_page(struct worker *w __attribute__((unused)), volatile char *page)
{
	*page = 0;
	return true;
}

static void work(struct worker *w)
{
	region_walk(w, w->local, write_page);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory, writes one byte to each page, unmaps it",
		.operations = {[REGION_MMAP] = {.name = "mmap",
						.series = "mmap_latency",
						.part = true},
			       [REGION_STEP] = {.name = "write", .series = "latency"},
			       [REGION_MUNMAP] = {"munmap", "munmap_latency", .part = true}},
		.prepare = region_prepare,
		.work = work,
		.note = region_tell,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "128M", .low = 0x1p12, .high = 0x1p44,
	 .help = "of each task's region, in whole pages; 128M is what will-it-scale maps. Smaller, "
		 "or a longer window=, where a window has few regions"},
	REGION_PARAM_THP,
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "pages written per second, mapping and unmapping included, summed over the tasks: "
		 "what will-it-scale counts"},
	METRIC_QUANTILES("latency", "task.latency",
			 "of the write to a page, which faults, between two clock readings; "
			 "record=no does without them"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a page, mapping and unmapping included"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a page: 1 where each write faults, 1/512 with huge pages of 2 MiB"},
	REGION_METRICS_WALK,
	{.name = NULL},
};

const struct workload workload_page_fault1 = {
	.name = "page_fault1",
	.summary = "anonymous memory mapped, each page written, unmapped (as page_fault1 of "
		   "will-it-scale)",
	.needs = "memory for size= of each task",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = region_affordable,
};
