/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_CPU_TIME_H
#define CONTEND_KERNEL_CPU_TIME_H

#include <stdint.h>

/*
 * CPU time of the whole machine since boot, in ticks of USER_HZ, all CPUs added up, from the first
 * line of /proc/stat. total counts each moment of each CPU once: time of guests is in user already.
 */
struct cpu_time {
	int64_t total; /* 0: could not be read */
	int64_t steal; /* wanted to run, and the hypervisor ran something else */
};

struct cpu_time cpu_time_read(const char *root);

/*
 * The share of the time between two readings that was stolen, 0 to 1; < 0: unknown. So it is of
 * fewer than 100 ticks, half a second of two CPUs: a single tick, which may be one of a moment's
 * theft, would be more than 1 %.
 */
double cpu_time_steal_ratio(const struct cpu_time *before, const struct cpu_time *after);

#endif
