/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_FENCED_H
#define CONTEND_WORKLOAD_FENCED_H

#include "workload/region.h"

/*
 * A place in the address space for each task, with a fence on both sides: mappings of PROT_NONE,
 * which are there from before the loop to the end of the process. The kernel merges a mapping of a
 * place with none of its neighbours, two tasks of a process never work on one VMA, and an operation
 * on a place leaves as many VMAs as it found or as many as it says.
 *
 * A place begins and ends where a page table does (2 MiB with pages of 4 KiB), which is where a
 * huge page can begin, too: its page tables map nothing else, and unmapping frees them.
 */
struct fenced {
	struct region region;
	double touched_ratio; /* of the pages of a region, evenly spread */
	size_t touched_pages;
	char *first;   /* the place of the process's first task */
	size_t stride; /* from one place to the next; 0: each process has one */
};

/*
 * The parameters size=, touch= and hugepage=; SIZE_HELP and TOUCH_HELP end the help of the first
 * two.
 */
#define FENCED_PARAMS(SIZE, SIZE_HELP, TOUCH_HELP)                                                 \
	{"size", PARAM_BYTES, SIZE, .low = 0x1p12, .high = 0x1p44,                                 \
	 .help = "of each task's mapping, in whole pages" SIZE_HELP},                              \
		{"touch", PARAM_PERCENT, "100%", .high = 1,                                        \
		 .help = "share of its pages that is written before, evenly spread; huge pages "   \
			 "fill more. " TOUCH_HELP},                                                \
		REGION_PARAM_HUGEPAGE

/*
 * For supported(), where the workload has size= and touch=: false (ERROR_UNSUPPORTED) where size=
 * is not whole pages, where touch= is less than one of them, or where the kernel would not map or
 * this machine not hold what all tasks have at once.
 */
bool fenced_supported(const struct cast *cast, struct error *err);

/*
 * For prepare(): reserves a place of at least span_bytes for each task of the process, between
 * fences, with nothing mapped in it, and leaves the struct, which is never freed, in w->local.
 */
bool fenced_prepare(struct worker *w, size_t span_bytes, struct error *err);

/* As a role's prepare(): places of size=. */
bool fenced_prepare_size(struct worker *w, struct error *err);

/* How much address space one page table maps. */
size_t fenced_table_bytes(void);

/* The place of a task. */
static inline char *fenced_place(const struct worker *w)
{
	const struct fenced *f = w->local;

	return f->first + w->task * f->stride;
}

/* Maps a region at its place, over whatever is there. False with errno on failure. */
static inline bool fenced_map(const struct fenced *f, char *at)
{
	return mmap(at, f->region.bytes, PROT_READ | PROT_WRITE, f->region.flags | MAP_FIXED, -1,
		    0) == at;
}

/*
 * Writes to the touched share of a region between two timed operations. FENCED_ENDED: the window
 * ended meanwhile, which the loop must do, too; what was written stays until the process exits.
 * FENCED_FAILED has been counted as a failure.
 */
enum fenced_touched { FENCED_TOUCHED, FENCED_FAILED, FENCED_ENDED };
enum fenced_touched fenced_touch(struct worker *w, char *at);

/* The same with pages that are new: what is there is thrown away before (MADV_DONTNEED). */
enum fenced_touched fenced_renew(struct worker *w, char *at);

/*
 * Before the loop: maps the region of a task and writes to its share, by the task itself, so that
 * the memory is near its CPU. The window does not begin before that is done. Where it fails it is
 * the loop, of nothing but failures, and false.
 */
bool fenced_settle(struct worker *w, char *at);

/*
 * What a role counts whose loop also makes ready what the timed call undoes: time in the call, and
 * touched pages that it was made on. The first counters of the role.
 */
enum { FENCED_TIMED, FENCED_PAGES };
#define FENCED_COUNTERS                                                                            \
	[FENCED_TIMED] = {.name = "timed_ns", .timed = true}, [FENCED_PAGES] = {.name = "pages"}

/* Counts a call of which the crew's counting says that it took so long. */
static inline void fenced_count(struct worker *w, int64_t took_ns)
{
	const struct fenced *f = w->local;

	worker_add(w, FENCED_TIMED, (uint64_t)took_ns);
	worker_add(w, FENCED_PAGES, f->touched_pages);
}

/* worker_end(), and counts the call where it is one. */
static inline void fenced_end(struct worker *w, unsigned int operation, int64_t begin_ns, bool ok)
{
	int64_t took_ns = worker_end(w, operation, begin_ns, ok);

	if (ok)
		fenced_count(w, took_ns);
}

/* Metrics of such a role `task`, CALL being the name of its timed operation. */
#define FENCED_METRICS(CALL)                                                                       \
	{"page_latency", "ns/page", BETTER_LOWER, SUMMARY_RATIO, "task.timed_ns", "task.pages",    \
	 .help = "time in the " CALL " calls over the touched pages that they were made on"},      \
		{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations",              \
		 .help = CALL " calls per second, with all that is done between them, summed "     \
			      "over the tasks"},                                                   \
		{"timed_share", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.timed_ns",           \
		 "task.window_ns",                                                                 \
		 .help = "share of the window in the " CALL " calls; the rest makes ready what "   \
			 "they undo"},                                                             \
		{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",    \
		 .help = "CPU time a round: the " CALL " call and what is done before it"},        \
		{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults",            \
		 "task.operations", .help = "minor faults a round, of what is done before the "    \
					    "call or by it"}

#endif
