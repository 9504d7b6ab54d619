// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/text.h"
#include "workload/workload.h"

/*
 * A region mapped, one byte of each page written, unmapped: as page_fault1 of will-it-scale does,
 * and each page counts, as there. A write faults under the VMA's own lock (Linux 6.4) or under
 * mmap_lock for reading; mmap and munmap take mmap_lock for writing, once a region each.
 *
 * A region can take as long as the window (32768 pages at 30 us are 1 s), so the loop looks at the
 * phase before each page, and both edges of a window lie anywhere in a region:
 *
 * - The pages written inside of the window count, all of them and no other, over its measured time.
 * - An unmapping that was begun inside of it is inside of it whole. The region at the end of the
 *   window stays mapped until the process exits, when nobody is watched any more: unmapped at once
 *   it would take time from tasks that still are in theirs.
 * - So the number of unmappings in a window is within one of the share that its pages stand for,
 * and
 *   the rate within that much of an unmapping's time over the window. How many there were is the
 *   metric `regions`.
 */

enum { MMAP, WRITE, MUNMAP };

struct area {
	size_t bytes, page;
};

static bool prepare(struct worker *w, struct error *err)
{
	static struct area area;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* For this process alone, huge pages of all sizes. */
	if (text_equal(cast_string(w->cast, "thp"), "never") &&
	    prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL))
		return error_set_errno(err, "thp=never: prctl PR_SET_THP_DISABLE");
	area.page = page;
	area.bytes = (size_t)cast_integer(w->cast, "size");
	w->local = &area;
	return true;
}

/* False: the window has ended. */
static bool write_pages(struct worker *w, const struct area *area, volatile char *region)
{
	for (size_t at = 0; at < area->bytes; at += area->page) {
		int64_t begin;

		if (!worker_next(w))
			return false;
		begin = worker_begin(w, WRITE);
		region[at] = 0;
		worker_end(w, WRITE, begin, true);
	}
	return true;
}

static void work(struct worker *w)
{
	const struct area *area = w->local;

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, MMAP);
		void *region = mmap(NULL, area->bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		worker_end(w, MMAP, begin, region != MAP_FAILED);
		if (region == MAP_FAILED)
			continue;
		if (!write_pages(w, area, region))
			return;
		begin = worker_begin(w, MUNMAP);
		worker_end(w, MUNMAP, begin, !munmap(region, area->bytes));
	}
}

/* Above this share that one unmapping has in a window its number matters. */
static const double UNMAPPING_RATIO = 0.01;

/* Without latencies: of the time of a region, as docs/workloads.md has it. */
static const double UNMAPPING_OF_REGION = 1.0 / 6;

static void tell_regions(const struct role_sum *sum, struct text *note)
{
	double regions = (double)sum->tally.operations[MUNMAP] / sum->tasks;
	double ratio = sum->mean_ns[MUNMAP] / (double)sum->window_ns;

	if (regions > 0 && ratio <= 0)
		ratio = UNMAPPING_OF_REGION / regions;
	if (regions <= 0)
		text_puts(note, "no region was unmapped in the window: what unmapping costs is not "
				"in operations");
	else if (ratio > UNMAPPING_RATIO)
		text_printf(note,
			    "%.3g region%s a task were unmapped in the window: one more or less "
			    "changes operations by about %.1f %%",
			    regions, regions == 1 ? "" : "s", 100 * ratio);
	if (note->length)
		text_puts(note, "; with a smaller size= or a longer window= there are more");
}

static bool supported(const struct cast *cast, struct error *err)
{
	double bytes = (double)cast_integer(cast, "size") * (double)cast_integer(cast, "tasks");

	return cast_whole_pages(cast, "size", err) && cast_affords(cast, "the tasks", bytes, err);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory, writes one byte to each page, unmaps it",
		.operations = {[MMAP] = {.name = "mmap", .series = "mmap_latency", .part = true},
			       [WRITE] = {.name = "write", .series = "latency"},
			       [MUNMAP] = {"munmap", "munmap_latency", .part = true}},
		.prepare = prepare,
		.work = work,
		.note = tell_regions,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "128M", .low = 0x1p12, .high = 0x1p44,
	 .help = "of each task's region, in whole pages; 128M is what will-it-scale maps. Smaller, "
		 "or a longer window=, where a window has few regions"},
	{"thp", PARAM_CHOICE, "system", .choices = "system|never",
	 .help = "transparent huge pages as this system has them, or none in these processes. Where "
		 "one fault brings many pages most writes do not fault, and the figures are about "
		 "something else: see the metric faults"},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "pages written per second, mapping and unmapping included, summed over the tasks: "
		 "what will-it-scale counts"},
	METRIC_QUANTILES("latency", "task.latency",
			 "of the write to a page, which faults, between two clock readings; "
			 "record=no does without them"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a page, mapping and unmapping included"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a page: 1 where each write faults, 1/512 with huge pages of 2 MiB"},
	METRIC_QUANTILES("mmap_latency", "task.mmap_latency", "of an mmap call"),
	{"mmap_latency_mean", "ns", BETTER_LOWER, SUMMARY_MEAN, "task.mmap_latency",
	 .help = "mean of the same"},
	METRIC_QUANTILES("munmap_latency", "task.munmap_latency",
			 "of a munmap call, which frees what was written"),
	{"munmap_latency_mean", "ns", BETTER_LOWER, SUMMARY_MEAN, "task.munmap_latency",
	 .help = "mean of the same"},
	{"regions", "1/s", BETTER_NEITHER, SUMMARY_RATE, "task.munmap",
	 .help = "regions unmapped per second, summed over the tasks. operations is exact to one "
		 "unmapping a task: where a window has few choose a smaller size= or a longer "
		 "window="},
	{.name = NULL},
};

const struct workload workload_page_fault1 = {
	.name = "page_fault1",
	.summary = "anonymous memory mapped, each page written, unmapped (as page_fault1 of "
		   "will-it-scale)",
	.needs = "memory for size= of each task",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
