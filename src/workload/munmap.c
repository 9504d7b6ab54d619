// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/fenced.h"

/*
 * A region mapped, a share of its pages written, and then what is measured: munmap. It takes
 * mmap_lock for writing to take the VMA out of the tree, and holds it for reading only (Linux 4.20)
 * while it clears the page table entries, flushes the TLBs and frees pages and page tables. mmap1
 * has the call on a region that was never touched together with its mmap, page_fault1 once a region
 * of many faults.
 */

enum { MUNMAP };

static void work(struct worker *w)
{
	const struct fenced *f = w->local;
	char *at = fenced_place(w);

	while (worker_next(w)) {
		enum fenced_touched touched;
		int64_t begin;

		if (!fenced_map(f, at)) {
			worker_fail(w);
			continue;
		}
		touched = fenced_touch(w, at);
		if (touched == FENCED_ENDED)
			return;
		if (touched == FENCED_FAILED)
			continue;
		begin = worker_begin(w, MUNMAP);
		fenced_end(w, MUNMAP, begin, !munmap(at, f->region.bytes));
	}
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory, writes to a share of its pages, and unmaps it, "
			"which is what is timed",
		.operations = {[MUNMAP] = {.name = "munmap", .series = "latency"}},
		.counters = {FENCED_COUNTERS},
		.prepare = fenced_prepare_size,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	FENCED_PARAMS("1M", "", "0%: munmap has a VMA to remove, and no page"),
	{.name = NULL},
};

static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("latency", "task.latency", "of a munmap call", SUMMARY_P50),
	FENCED_METRICS("munmap"),
	{.name = NULL},
};

const struct workload workload_munmap = {
	.name = "munmap",
	.summary = "munmap of a mapping of which a share was written",
	.needs = "memory for size= of each task",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = fenced_supported,
};
