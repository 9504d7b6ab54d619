/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_REGION_H
#define CONTEND_WORKLOAD_REGION_H

#include <sys/mman.h>

#include "workload/workload.h"

/*
 * What workloads share that map a region of size= in each task: parameters, checks, and the two
 * loops over regions.
 */

/* The first operations of a role that uses the loops below. */
enum { REGION_MMAP, REGION_MUNMAP, REGION_STEP };

struct region {
	size_t bytes, page;
	int flags; /* of mmap */
	int fd;	   /* of the file that is mapped; -1: none */
};

/* The parameter size= of a role that walks; what will-it-scale maps is the default. */
#define REGION_PARAM_SIZE_WALK                                                                     \
	{                                                                                          \
		"size", PARAM_BYTES, "128M", .low = 0x1p12, .high = 0x1p44,                        \
		.help = "of each task's region, in whole pages; 128M is what will-it-scale maps. " \
			"Smaller, or a longer window=, where a window has few regions"             \
	}

/* The parameter hugepage=; region_init() does what it says. */
#define REGION_PARAM_HUGEPAGE                                                                      \
	{                                                                                          \
		"hugepage", PARAM_CHOICE, "system", .choices = "system|never",                     \
		.help = "transparent huge pages as this system has them, or none in these "        \
			"processes. Where one fault brings many pages most writes do not fault, "  \
			"and the figures are about something else: see the metric faults"          \
	}

/*
 * For supported(): false (ERROR_UNSUPPORTED) where size= is not whole pages, or the kernel would
 * not map it in every task at once: vm.overcommit_memory, or address space. Maps one to see.
 */
bool region_mappable(const struct cast *cast, struct error *err);

/* That trial alone, of a region as it is. */
bool region_try(const struct region *r, const struct cast *cast, struct error *err);

/* False (ERROR_UNSUPPORTED) where size= is not whole pages, or more than all tasks can have. */
bool region_affordable(const struct cast *cast, struct error *err);

/*
 * For prepare(): an anonymous region of size=. Does what hugepage= says where the workload has it,
 * for this process alone and huge pages of all sizes.
 */
bool region_init(struct region *r, const struct cast *cast, struct error *err);

/* As a role's prepare(), where an anonymous region is all that its tasks need: see region_of(). */
bool region_prepare(struct worker *w, struct error *err);

/* The region of a task, when prepare() has left one for each task of the role in w->local. */
static inline const struct region *region_of(const struct worker *w)
{
	return (const struct region *)w->local + w->task;
}

/*
 * NULL with errno where it could not be mapped. Readable and writable, wherever the kernel likes.
 */
static inline void *region_map(const struct region *r)
{
	void *at = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, r->flags, r->fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* The same as an operation of the role. */
static inline void *region_map_timed(struct worker *w, const struct region *r)
{
	int64_t begin = worker_begin(w, REGION_MMAP);
	void *at = region_map(r);

	worker_end(w, REGION_MMAP, begin, at);
	return at;
}

static inline void region_unmap_timed(struct worker *w, const struct region *r, void *at)
{
	int64_t begin = worker_begin(w, REGION_MUNMAP);

	worker_end(w, REGION_MUNMAP, begin, !munmap(at, r->bytes));
}

/*
 * The loop of a role that maps its region, does `step` to each page of it, and unmaps it. The role
 * declares REGION_MMAP and REGION_MUNMAP as parts, and each step is a REGION_STEP. A step begins
 * where the one before ended, so that the clock is read once a page: against a fault of 500 ns a
 * second reading would be seen. What the entry into the histogram takes is part of the next step.
 *
 * A region can take as long as the window (32768 pages at 30 us are 1 s), so the loop looks at the
 * phase before each page, and both edges of a window lie anywhere in a region:
 *
 * - The steps made inside of the window count, all of them and no other, over its measured time.
 * - An unmapping that was begun inside of it is inside of it whole. The region at the end of the
 *   window stays mapped until the process exits, when nobody is watched any more: unmapped at once
 *   it would take time from tasks that still are in theirs.
 * - So the number of unmappings in a window is within one of the share that its pages stand for,
 *   and the rate within that much of an unmapping's time over the window. How many there were is
 *   the metric `regions`; region_tell() says where it matters.
 */
static inline __attribute__((always_inline)) void
region_walk(struct worker *w, const struct region *r,
	    bool (*step)(struct worker *w, volatile char *page))
{
	while (worker_next(w)) {
		volatile char *at = region_map_timed(w, r);
		int64_t begin, end;

		if (!at)
			continue;
		begin = worker_stamp(w, REGION_STEP);
		for (size_t done = 0; done < r->bytes; done += r->page) {
			bool ok;

			if (!worker_next_from(w, REGION_STEP, &begin))
				return;
			ok = step(w, at + done);
			end = worker_stamp(w, REGION_STEP);
			worker_close(w, REGION_STEP, end - begin, ok);
			begin = end;
		}
		region_unmap_timed(w, r, (void *)(uintptr_t)at);
	}
}

/* The note() of such a role. */
void region_tell(const struct role_sum *sum, struct text *note);

/* Metrics of the mappings themselves, of a role `task`. */
#define REGION_METRICS_MMAP METRIC_QUANTILES("mmap_latency", "task.mmap_latency", "of an mmap call")
#define REGION_METRIC_MEAN(series)                                                                 \
	{                                                                                          \
		series "_mean", "ns", BETTER_LOWER, SUMMARY_MEAN, "task." series,                  \
			.help = "mean of the same"                                                 \
	}
#define REGION_METRIC_REGIONS                                                                      \
	{                                                                                          \
		"regions", "1/s", BETTER_NEITHER, SUMMARY_RATE, "task.munmap",                     \
			.help = "regions unmapped per second, summed over the tasks. operations "  \
				"is exact to one unmapping a task: where a window has few choose " \
				"a smaller size= or a longer window="                              \
	}
#define REGION_METRICS_WALK                                                                        \
	REGION_METRICS_MMAP, REGION_METRIC_MEAN("mmap_latency"),                                   \
		METRIC_QUANTILES("munmap_latency", "task.munmap_latency",                          \
				 "of a munmap call, which frees what was written"),                \
		REGION_METRIC_MEAN("munmap_latency"), REGION_METRIC_REGIONS

#endif
