// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "kernel/meminfo.h"
#include "workload/workload.h"

/*
 * A region mapped and unmapped in turn, never touched: mmap_lock for writing twice a round, a VMA
 * made and freed, no fault. As mmap1 of will-it-scale does, and a round counts once, as there:
 * when it has been unmapped.
 *
 * In mode=thread the regions of several threads lie next to each other, where the kernel merges the
 * mappings: then mmap extends one, and munmap splits or trims one. That, too, is as in
 * will-it-scale.
 */

enum { MMAP, MUNMAP };

static void work(struct worker *w)
{
	size_t bytes = (size_t)cast_integer(w->cast, "size");

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, MMAP);
		void *region = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		worker_end(w, MMAP, begin, region != MAP_FAILED);
		if (region == MAP_FAILED)
			continue;
		begin = worker_begin(w, MUNMAP);
		worker_end(w, MUNMAP, begin, !munmap(region, bytes));
	}
}

/* With vm.overcommit_memory=2 what is mapped counts, and all tasks have theirs at once. */
static bool commits(const struct cast *cast, const char *mode, struct error *err)
{
	int64_t limit = meminfo_bytes("", "/proc/meminfo", "CommitLimit");
	int64_t used = meminfo_bytes("", "/proc/meminfo", "Committed_AS");
	double bytes = cast_number(cast, "size") * cast_number(cast, "tasks");
	char needed[UNITS_TEXT], left[UNITS_TEXT];

	if (!text_equal(mode, "2") || limit < 0 || used < 0 || bytes <= (double)(limit - used))
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "the tasks would map %s at once: vm.overcommit_memory=2 leaves %s of "
			 "CommitLimit",
			 units_format(bytes, "bytes", needed),
			 units_format((double)(limit - used), "bytes", left));
}

/*
 * A mapping of that size, tried: by default the kernel refuses one that memory and swap cannot
 * hold.
 */
static bool supported(const struct cast *cast, struct error *err)
{
	char *mode __free(memory) = file_read_line("", "/proc/sys/vm/overcommit_memory");
	size_t bytes = (size_t)cast_integer(cast, "size");
	void *region;

	if (!cast_whole_pages(cast, "size", err) || !commits(cast, mode ? mode : "", err))
		return false;
	region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED) {
		error_set_errno(err, "size=%s: mmap (vm.overcommit_memory=%s)",
				cast_string(cast, "size"), mode ? mode : "?");
		err->code = ERROR_UNSUPPORTED;
		return false;
	}
	munmap(region, bytes);
	return true;
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps anonymous memory and unmaps it, without touching it",
		.operations = {[MMAP] = {.name = "mmap", .series = "mmap_latency", .part = true},
			       [MUNMAP] = {.name = "munmap", .series = "munmap_latency"}},
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "128M", .low = 0x1p12, .high = 0x1p44,
	 .help = "of the region, in whole pages; 128M is what will-it-scale maps"},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "rounds of one mmap and one munmap per second, summed over the tasks: what "
		 "will-it-scale counts"},
	METRIC_QUANTILES("mmap_latency", "task.mmap_latency", "of an mmap call"),
	METRIC_QUANTILES("munmap_latency", "task.munmap_latency", "of a munmap call"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a round"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a round: nothing is touched, so there is next to none"},
	{.name = NULL},
};

const struct workload workload_mmap1 = {
	.name = "mmap1",
	.summary =
		"anonymous memory mapped and unmapped, never touched (as mmap1 of will-it-scale)",
	.needs = "address space for size=, and that vm.overcommit_memory lets it be mapped",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
