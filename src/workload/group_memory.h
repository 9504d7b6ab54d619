/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_GROUP_MEMORY_H
#define CONTEND_WORKLOAD_GROUP_MEMORY_H

#include "workload/workload.h"

/*
 * How much memory is charged to the run's own cgroup, and when that has come back: what an OOM
 * killer is for is memory, and a victim may give it back long before it has gone, or long after.
 */
struct group_memory {
	int fd; /* of memory.usage_in_bytes (v1) or memory.current; -1: the run has no such group */
};

/* In prepare(). */
bool group_memory_open(struct group_memory *g, const struct cast *cast, struct error *err);

/* Bytes now; -1: no group. */
int64_t group_memory_bytes(const struct group_memory *g);

/*
 * Less than this cannot be told from what CPUs keep for the next charge: each up to 64 pages
 * (MEMCG_CHARGE_BATCH), here of a task's CPU and of its child's.
 */
int64_t group_memory_least_bytes(void);

/*
 * Looks again and again until nine tenths of what there was above `before` have come back, from
 * `full`. When it saw that, clock_now_ns(); 0: it was less than group_memory_least_bytes(), or
 * there is no group; -1: not within 10 s, so that what its caller times has these in it. Lets
 * others on this CPU run between two looks.
 */
int64_t group_memory_await(const struct group_memory *g, int64_t before, int64_t full);

#endif
