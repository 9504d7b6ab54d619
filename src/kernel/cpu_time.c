// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cpu_time.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"

enum { LEAST_TICKS = 100 };

/*
 * In the order of fs/proc/stat.c; guest and guest_nice, which follow, are parts of user and nice.
 */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };

struct cpu_time cpu_time_read(const char *root)
{
	char *line __free(memory) = file_read_line(root, "/proc/stat");
	struct cpu_time time = {0};
	int64_t f[FIELDS];

	if (!line || sscanf(line,
			    "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
			    " %" SCNd64 " %" SCNd64 " %" SCNd64,
			    &f[USER], &f[NICE], &f[SYSTEM], &f[IDLE], &f[IOWAIT], &f[IRQ],
			    &f[SOFTIRQ], &f[STEAL]) != FIELDS)
		return time;
	for (int i = 0; i < FIELDS; i++) {
		if (f[i] < 0 || __builtin_add_overflow(time.total, f[i], &time.total))
			return (struct cpu_time){0};
	}
	time.steal = f[STEAL];
	return time;
}

double cpu_time_steal_ratio(const struct cpu_time *before, const struct cpu_time *after)
{
	/*
	 * idle and iowait of a CPU may step back (Linux, get_cpu_idle_time_us): no time has passed.
	 */
	if (after->total < before->total + LEAST_TICKS || after->steal < before->steal ||
	    after->steal - before->steal > after->total - before->total)
		return -1;
	return (double)(after->steal - before->steal) / (double)(after->total - before->total);
}
