// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "workload/fenced.h"

/*
 * A mapping, or a part of it, whose pages were written before, made read-only and writable again.
 * Each call takes mmap_lock for writing, splits the VMA or merges it with its neighbours again
 * where it is a part, changes every present page table entry, and flushes the TLBs of the CPUs that
 * run the process. Nothing faults between the calls, and nothing has to be made ready.
 *
 * A call that allows writing makes the entries of pages that are nobody else's writable at once
 * since Linux 6.0. Before, it left that to a fault, and there is none here: all entries stay
 * read-only from the first round on, and calls find nothing to change in them.
 */

enum { READ_ONLY, WRITABLE };

enum part { PART_WHOLE, PART_BEGIN, PART_MIDDLE, PART_END };

static void change(struct worker *w, unsigned int operation, char *at, size_t bytes, int protection)
{
	int64_t begin = worker_begin(w, operation);

	worker_end(w, operation, begin, !mprotect(at, bytes, protection));
}

static void work(struct worker *w)
{
	const struct fenced *f = w->local;
	enum part part = (enum part)cast_integer(w->cast, "part");
	size_t pages = f->region.bytes / f->region.page;
	size_t first = part == PART_MIDDLE ? pages / 4 : part == PART_END ? pages - pages / 2 : 0;
	size_t bytes = (part == PART_WHOLE ? pages : pages / 2) * f->region.page;
	char *place = fenced_place(w), *at = place + first * f->region.page;

	if (!fenced_settle(w, place))
		return;
	while (worker_next(w)) {
		change(w, READ_ONLY, at, bytes, PROT_READ);
		change(w, WRITABLE, at, bytes, PROT_READ | PROT_WRITE);
	}
}

static bool supported(const struct cast *cast, struct error *err)
{
	static const int64_t least[] = {
		[PART_WHOLE] = 1, [PART_BEGIN] = 2, [PART_MIDDLE] = 4, [PART_END] = 2};
	const char *part = cast_string(cast, "part");
	int64_t pages = least[cast_integer(cast, "part")];
	long page = sysconf(_SC_PAGESIZE);

	if (!fenced_supported(cast, err))
		return false;
	if (cast_integer(cast, "size") >= pages * page)
		return true;
	return error_set(err, ERROR_UNSUPPORTED, "part=%s needs a size= of at least %lld bytes",
			 part, (long long)(pages * page));
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "makes a part of its mapping read-only and writable again",
		.operations = {[READ_ONLY] = {.name = "read_only", .series = "read_only_latency"},
			       [WRITABLE] = {.name = "writable", .series = "writable_latency"}},
		.prepare = fenced_prepare_size,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"part", PARAM_CHOICE, "whole", .choices = "whole|begin|middle|end",
	 .help = "what of it is changed. whole: its VMA stays one; begin, end, middle: half of its "
		 "pages there, for which the VMA is split in two, or three, and merged again"},
	FENCED_PARAMS("1M", "", "0%: there is a VMA to change, and no page table entry"),
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "mprotect calls per second, summed over the tasks"},
	METRIC_QUANTILES("read_only_latency", "task.read_only_latency",
			 "of a call that makes it read-only"),
	METRIC_QUANTILES("writable_latency", "task.writable_latency",
			 "of a call that makes it writable again"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a call"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a call: all is touched before, so there is next to none"},
	{.name = NULL},
};

const struct workload workload_mprotect = {
	.name = "mprotect",
	.summary = "a mapping, or a part of it, made read-only and writable again",
	.needs = "memory for size= of each task",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
