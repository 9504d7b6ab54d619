// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cpu_time.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

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

/* ---- by CPU ---- */

void cpu_idle_done(struct cpu_idle *c)
{
	free(c->list);
	*c = (struct cpu_idle){0};
}

/* False for a line that is of no CPU, as the first one, which is of all. */
static bool parse_line(const char *line, int64_t tick_ns, struct cpu_idle_of *ret)
{
	int64_t idle, iowait, ticks;
	int number;

	/* A number may have blanks before it, for sscanf(): the first line has two. */
	if (!isdigit((unsigned char)line[strlen("cpu")]) ||
	    sscanf(line, "cpu%d %*d %*d %*d %" SCNd64 " %" SCNd64, &number, &idle, &iowait) != 3 ||
	    number < 0 || idle < 0 || iowait < 0 || __builtin_add_overflow(idle, iowait, &ticks) ||
	    __builtin_mul_overflow(ticks, tick_ns, &ret->ns))
		return false;
	ret->number = number;
	return true;
}

struct cpu_idle cpu_idle_read(const char *root)
{
	/* A line of 4096 CPUs has 200 bytes at most; of what follows them nothing is wanted. */
	enum { STAT_BYTES = 1 << 20 };
	int64_t tick_ns = NS_PER_SEC / sysconf(_SC_CLK_TCK);
	struct text stat __text = {0};
	struct cpu_idle idle = {0};
	struct error ignored;
	const char *at;

	if (!file_read_head(root, "/proc/stat", STAT_BYTES, &stat, &ignored))
		return idle;
	for (at = text_string(&stat); text_starts(at, "cpu"); at += strcspn(at, "\n") + 1) {
		struct cpu_idle_of one;

		if (parse_line(at, tick_ns, &one)) {
			idle.list = memory_grow(idle.list, (idle.count + 1) * sizeof(one));
			idle.list[idle.count++] = one;
		}
		if (!at[strcspn(at, "\n")])
			break;
	}
	return idle;
}

bool cpu_idle_between(const struct cpu_idle *before, const struct cpu_idle *after,
		      bool (*picks)(const void *context, int cpu), const void *context,
		      size_t *ret_cpus, int64_t *ret_idle_ns)
{
	int64_t idle_ns = 0;
	size_t cpus = 0;

	if (!before->count || before->count != after->count)
		return false;
	for (size_t i = 0; i < before->count; i++) {
		int64_t own = after->list[i].ns - before->list[i].ns;

		if (before->list[i].number != after->list[i].number)
			return false;
		if (picks && !picks(context, before->list[i].number))
			continue;
		cpus++;
		if (own > 0 && __builtin_add_overflow(idle_ns, own, &idle_ns))
			return false;
	}
	*ret_cpus = cpus;
	*ret_idle_ns = idle_ns;
	return true;
}
