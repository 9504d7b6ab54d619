/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_CPU_TIME_H
#define CONTEND_KERNEL_CPU_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

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

/*
 * How long each CPU has been idle since boot, from its line of /proc/stat: what it had nothing to
 * run in, also while it waited for I/O. Whole ticks of USER_HZ, 10 ms each.
 */
struct cpu_idle {
	struct cpu_idle_of {
		int number;
		int64_t ns;
	} *list;     /* those online, as the kernel lists them */
	size_t count; /* 0: could not be read */
};

void cpu_idle_done(struct cpu_idle *c);
struct cpu_idle cpu_idle_read(const char *root);

/*
 * Adds up how long the CPUs that `picks` wants were idle between two readings; picks NULL: all. How
 * many these were goes to ret_cpus. False where that is not known: one came or went between them.
 * A CPU's idle time may step back (Linux, get_cpu_idle_time_us()): nothing is added then.
 */
bool cpu_idle_between(const struct cpu_idle *before, const struct cpu_idle *after,
		      bool (*picks)(const void *context, int cpu), const void *context,
		      size_t *ret_cpus, int64_t *ret_idle_ns);

#endif
