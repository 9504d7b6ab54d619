/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CENSUS_H
#define CONTEND_WORKLOAD_CENSUS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* What a process has, by the kernel's own count. */
struct census {
	int64_t mappings;	  /* lines of /proc/PID/maps */
	size_t within;		  /* those of them that begin in the range asked about */
	int64_t rss_bytes;	  /* VmRSS of /proc/PID/status */
	int64_t page_table_bytes; /* VmPTE of the same */
};

/*
 * Counts a process that does not change meanwhile. Its own heap is not grown by it: what it did
 * would be mapped in all children that are forked later. Only where procfs_is_ours().
 */
bool census_take(pid_t pid, uintptr_t low, uintptr_t high, struct census *ret, struct error *err);

#endif
