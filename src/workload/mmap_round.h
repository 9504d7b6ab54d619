/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_MMAP_ROUND_H
#define CONTEND_WORKLOAD_MMAP_ROUND_H

#include "workload/region.h"

/*
 * What mmap1 and mmap2 have in common: a region mapped and unmapped in turn, never touched. A round
 * counts once, when it has been unmapped. They differ in what is mapped.
 */

#define MMAP_ROUND_OPERATIONS                                                                      \
	{                                                                                          \
		[REGION_MMAP] = {.name = "mmap", .series = "mmap_latency", .part = true},          \
		[REGION_MUNMAP] = {.name = "munmap", .series = "munmap_latency"},                  \
	}

#define MMAP_ROUND_PARAM_SIZE                                                                      \
	{                                                                                          \
		"size", PARAM_BYTES, "128M", .low = 0x1p12, .high = 0x1p44,                        \
		.help = "of the region, in whole pages; 128M is what will-it-scale maps"           \
	}

/* The loop of the role `task`. */
void mmap_round_work(struct worker *w);

extern const struct metric mmap_round_metrics[];

#endif
