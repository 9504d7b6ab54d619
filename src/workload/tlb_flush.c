// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/tlb_flush.h"

static inline bool flush_page(struct worker *w, volatile char *page, char expected)
{
	int64_t begin;
	bool ok;

	*page = 1;
	begin = worker_begin(w, TLB_FLUSH_MADVISE);
	ok = !madvise((void *)(uintptr_t)page, region_of(w)->page, MADV_DONTNEED);
	worker_end(w, TLB_FLUSH_MADVISE, begin, ok);
	if (ok && *page == expected)
		return true;
	errno = ok ? EBADMSG : errno;
	return false;
}

static bool flush_private(struct worker *w, volatile char *page)
{
	return flush_page(w, page, 0);
}

static bool flush_shared(struct worker *w, volatile char *page)
{
	return flush_page(w, page, 1);
}

void tlb_flush_work_private(struct worker *w)
{
	region_walk(w, region_of(w), flush_private);
}

void tlb_flush_work_shared(struct worker *w)
{
	region_walk(w, region_of(w), flush_shared);
}

const struct metric tlb_flush_metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "pages written, dropped and read again per second, mapping and unmapping included, "
		 "summed over the tasks: what will-it-scale counts"},
	METRIC_QUANTILES("latency", "task.latency",
			 "of a page: the write, which faults, madvise, and the read, which faults"),
	METRIC_QUANTILES("madvise_latency", "task.madvise_latency",
			 "of the madvise(MADV_DONTNEED) of one page, the flush in it"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a page, mapping and unmapping included; that of the interrupts is where "
		 "they are served"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a page: 2, of the write and of the read. Less where a fault maps "
		 "pages around it writable as well: then their writes find them mapped"},
	REGION_METRICS_WALK,
	{.name = NULL},
};
