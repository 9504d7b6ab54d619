// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/page_fault.h"

static bool write_page(struct worker *w __attribute__((unused)), volatile char *page)
{
	*page = 0;
	return true;
}

void page_fault_work(struct worker *w)
{
	region_walk(w, region_of(w), write_page);
}

const struct metric page_fault_metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "pages written per second, mapping and unmapping included, summed over the tasks: "
		 "what will-it-scale counts"},
	METRIC_QUANTILES("latency", "task.latency",
			 "of the write to a page, which faults, between two clock readings; "
			 "record=no does without them"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a page, mapping and unmapping included"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a page: 1 where each write faults, less where one brings many pages: 1/512 "
		 "with huge pages of 2 MiB, large folios of a file that is mapped shared"},
	REGION_METRICS_WALK,
	{.name = NULL},
};
