/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_CGROUP_H
#define CONTEND_KERNEL_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* The limits of the group that this process is in, those of the groups above it included. */
struct cgroup {
	const char *version; /* static: "v1", "v2", "hybrid" (both mounted); NULL: unknown */
	bool memory_known, cpu_known;
	int64_t memory_bytes; /* INT64_MAX: no limit below the machine's memory */
	/*
	 * What may still be charged before the OOM killer comes: the least, over these groups, of
	 * limit less usage, with the page cache counted as free. INT64_MAX: no limit.
	 */
	int64_t memory_left_bytes;
	int64_t oom_kills; /* in the group so far; -1: not known (before Linux 4.13) */
	double cpus;	   /* CPU time a second that the group may use; 0: no limit */
};

/* Hierarchies are looked for where systemd mounts them, below /sys/fs/cgroup. */
struct cgroup cgroup_read(const char *root);

#endif
