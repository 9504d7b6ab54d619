// SPDX-License-Identifier: GPL-2.0-or-later
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "workload/region.h"

/*
 * malloc() and free() of a large block, as malloc1 of will-it-scale: glibc maps it and writes its
 * size in front of it, which is one fault, and unmaps it. So it is mmap1 and that fault.
 *
 * The malloc() is that of the libc in the agent, whose threshold is kept at its initial 128 KiB. By
 * default a free() of what was mapped raises it, up to 32 MiB (DEFAULT_MMAP_THRESHOLD_MAX), and
 * from then on blocks of that size come from a heap, without a system call: the 128 MiB of
 * will-it-scale are beyond that and are mapped either way.
 */

enum { MALLOC, FREE };
enum { THRESHOLD_BYTES = 128 << 10 };

/* glibc's takes it; that of a sanitizer does not, and maps what it likes. */
static bool keep_threshold(struct error *err)
{
	return mallopt(M_MMAP_THRESHOLD, THRESHOLD_BYTES) ||
	       error_set(err, ERROR_UNSUPPORTED, "malloc() has no M_MMAP_THRESHOLD here");
}

static bool supported(const struct cast *cast, struct error *err)
{
	return region_mappable(cast, err) && keep_threshold(err);
}

static bool prepare(struct worker *w, struct error *err)
{
	struct region ignored;

	/* The latter for hugepage=. */
	return keep_threshold(err) && region_init(&ignored, w->cast, err);
}

/* A mapped block is whole pages, two words of which are malloc()'s. */
static bool is_mapped(void *block, size_t page)
{
	return (malloc_usable_size(block) + 2 * sizeof(size_t)) % page == 0;
}

/*
 * Before it maps anything malloc() gives what its arena has left: 128 KiB and a little in that of a
 * new thread. Each block of that would be one without a system call, so it is taken, for good.
 */
static void use_up_arena(size_t bytes)
{
	enum { MOST = 64 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < MOST; i++) {
		void *block = malloc(bytes);

		if (!block)
			return;
		if (is_mapped(block, page)) {
			free(block);
			return;
		}
	}
}

static void work(struct worker *w)
{
	size_t bytes = (size_t)cast_integer(w->cast, "size");

	use_up_arena(bytes);
	while (worker_next(w)) {
		int64_t begin = worker_begin(w, MALLOC);
		void *block = malloc(bytes);

		/* Or the compiler takes both calls for needless. */
		__asm__ volatile("" : : "r"(block) : "memory");
		worker_end(w, MALLOC, begin, block);
		if (!block)
			continue;
		begin = worker_begin(w, FREE);
		free(block);
		worker_end(w, FREE, begin, true);
	}
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "allocates a block that malloc maps, without touching it, and frees it",
		.operations = {[MALLOC] = {.name = "malloc",
					   .series = "malloc_latency",
					   .part = true},
			       [FREE] = {.name = "free", .series = "free_latency"}},
		.prepare = prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "128M", .low = THRESHOLD_BYTES, .high = 0x1p44,
	 .help = "of the block, in whole pages; 128M is what will-it-scale allocates. It is mapped "
		 "whatever was freed before (M_MMAP_THRESHOLD), which glibc by default does from "
		 "32M on"},
	REGION_PARAM_HUGEPAGE,
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "rounds of one malloc and one free per second, summed over the tasks: what "
		 "will-it-scale counts"},
	METRIC_QUANTILES("malloc_latency", "task.malloc_latency",
			 "of a malloc call: mmap, and the fault of the block's first page"),
	METRIC_QUANTILES("free_latency", "task.free_latency", "of a free call: munmap"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a round"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a round: 1, of the page that has the block's size"},
	{.name = NULL},
};

const struct workload workload_malloc1 = {
	.name = "malloc1",
	.summary = "a large block allocated and freed: mmap, one fault, munmap by way of glibc (as "
		   "malloc1 of will-it-scale)",
	.needs = "address space for size=, and that vm.overcommit_memory lets it be mapped",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
