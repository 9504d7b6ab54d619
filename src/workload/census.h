/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CENSUS_H
#define CONTEND_WORKLOAD_CENSUS_H

#include <sys/types.h>

#include "workload/space.h"

/* What a process has, by the kernel's own count. */
struct census {
	int64_t mappings;	  /* lines of /proc/PID/maps */
	int64_t rss_bytes;	  /* VmRSS of /proc/PID/status */
	int64_t page_table_bytes; /* VmPTE of the same */
	int64_t huge_page_bytes;  /* AnonHugePages of /proc/PID/smaps_rollup; 0: not told */
};

/*
 * Counts a process that has built a space, or has a copy of it, and does not change meanwhile.
 * False where the kernel made another number of mappings of it (figures would be of that), or
 * hugepage=madvise got no huge page (ERROR_UNSUPPORTED). Its own heap is not grown by the count of
 * mappings: it would be in all children that are forked later. Only where procfs_is_ours().
 */
bool census_take(pid_t pid, const struct space *space, const struct space_state *state,
		 struct census *ret, struct error *err);

/*
 * For a role whose children are all like one that was counted: counters, to be said again with each
 * operation (a window begins with none), and their metrics. first: their place among the counters.
 */
#define CENSUS_COUNTERS                                                                            \
	{.name = "vmas", .state = true}, {.name = "rss_bytes", .state = true},                     \
		{.name = "page_table_bytes", .state = true},                                       \
		{.name = "huge_page_bytes", .state = true},                                        \
	{                                                                                          \
		.name = "trial_children", .state = true                                            \
	}

void census_state(const struct census *c, struct worker *w, unsigned int first);

#define CENSUS_METRICS(ROLE)                                                                       \
	{"vmas", "mappings", BETTER_NEITHER, SUMMARY_RATIO, ROLE ".vmas", ROLE ".trial_children",  \
	 .help = "mappings of a child in all, from /proc/PID/maps of the first one of each "       \
		 ROLE},                                                                            \
		{"rss", "bytes", BETTER_NEITHER, SUMMARY_RATIO, ROLE ".rss_bytes",                 \
		 ROLE ".trial_children", .help = "VmRSS of the same child"},                       \
		{"page_tables", "bytes", BETTER_NEITHER, SUMMARY_RATIO, ROLE ".page_table_bytes",  \
		 ROLE ".trial_children", .help = "VmPTE of the same child"},                       \
		{"huge_pages", "bytes", BETTER_NEITHER, SUMMARY_RATIO, ROLE ".huge_page_bytes",    \
		 ROLE ".trial_children", .help = "AnonHugePages of the same child"}

#endif
