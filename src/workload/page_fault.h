/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_PAGE_FAULT_H
#define CONTEND_WORKLOAD_PAGE_FAULT_H

#include "workload/region.h"

/*
 * What page_fault1, 2 and 3 have in common: a region mapped, one byte of each page written,
 * unmapped. They differ in what is mapped.
 */

#define PAGE_FAULT_OPERATIONS                                                                      \
	{                                                                                          \
		[REGION_MMAP] = {.name = "mmap", .series = "mmap_latency", .part = true},          \
		[REGION_MUNMAP] = {"munmap", "munmap_latency", .part = true},                      \
		[REGION_STEP] = {.name = "write", .series = "latency"},                            \
	}

/* The loop of the role `task`. */
void page_fault_work(struct worker *w);

extern const struct metric page_fault_metrics[];

#endif
