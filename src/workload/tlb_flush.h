/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_TLB_FLUSH_H
#define CONTEND_WORKLOAD_TLB_FLUSH_H

#include "workload/region.h"

/*
 * What tlb_flush1, 2 and 3 have in common: a region mapped, each page of it written, dropped by
 * madvise(MADV_DONTNEED) and read again, unmapped. They differ in what is mapped, and so in what is
 * read again.
 *
 * The flush is of one page, on each CPU where a thread of the mm runs; the one that calls waits for
 * the others. In mode=process that is no other CPU, but for the first second: x86 takes a CPU that
 * the mm has left from its mask only when it flushes there, and since Linux 6.14 not before the mm
 * is a second old (should_trim_cpumask()). A process is forked on one CPU and pinned to another.
 */

enum { TLB_FLUSH_MADVISE = REGION_STEP + 1 };

#define TLB_FLUSH_OPERATIONS                                                                       \
	{                                                                                          \
		[REGION_MMAP] = {.name = "mmap", .series = "mmap_latency", .part = true},          \
		[REGION_MUNMAP] = {"munmap", "munmap_latency", .part = true},                      \
		[REGION_STEP] = {.name = "page", .series = "latency"},                             \
		[TLB_FLUSH_MADVISE] = {"madvise", "madvise_latency", .part = true},                \
	}

#define TLB_FLUSH_PARAM_WARMUP                                                                     \
	{                                                                                          \
		"warmup", PARAM_DURATION, "1500ms", .high = 3600 * (double)NS_PER_SEC,             \
		.help = "how long the tasks run before anything counts; for the first second "     \
			"flushes also go to a CPU that the process was on before it was pinned"    \
	}

/*
 * The loops of the role `task`: what was written is gone (a private mapping), or is still there (a
 * shared one). A page that is read otherwise counts as a failure.
 */
void tlb_flush_work_private(struct worker *w);
void tlb_flush_work_shared(struct worker *w);

extern const struct metric tlb_flush_metrics[];

#endif
