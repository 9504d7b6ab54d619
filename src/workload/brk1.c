// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/workload.h"

/*
 * One page up, one page down, at the top of the program break, by the system call itself. There is
 * one break in an mm. Threads therefore ask for the same two addresses, and what a call does
 * depends on the one before it, whoever made that: it grows the break, shrinks it, or finds it
 * where it was asked to be. The three cost differently, so they are counted apart.
 *
 * What a call does to the VMA of the heap is what it does in brk1 of will-it-scale. Its processes
 * are forked with a heap that was written before. The VMA of such a heap does not grow: it shares
 * its anon_vma (is_mergeable_anon_vma() wants that to be the only one in the chain), so that
 * growing the break makes a VMA, and shrinking it removes that. Its threads run in the process that
 * wrote the
 * heap: there the VMA grows, and is split to be cut.
 */

enum { GROW, SHRINK, NOOP };

/* Where the last call to return left the break; alone in its cache line. */
struct left {
	_Alignas(128) _Atomic uintptr_t place;
};

struct heap {
	struct left left;
	uintptr_t low, high; /* the two places of the break */
};

/* The call returns where the break is now; it has no errno. */
static uintptr_t move(uintptr_t to)
{
	uintptr_t now = (uintptr_t)syscall(SYS_brk, to);

	if (now != to)
		errno = ENOMEM;
	return now;
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct heap heap;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	bool threads = text_equal(cast_string(w->cast, "mode"), "thread");

	memory_brk_release();
	heap.low = (move(0) + page - 1) & ~(page - 1);
	/*
	 * This process was forked as well. A written page on top of the heap that came with it has
	 * a VMA with an anon_vma of its own, as the heap of a process that nobody forked.
	 */
	if (threads)
		heap.low += page;
	heap.high = heap.low + page;
	if (move(heap.low) != heap.low)
		return error_set_errno(err, "brk: cannot move the break up");
	if (threads)
		*(volatile char *)(heap.low - page) = 1;
	atomic_store(&heap.left.place, heap.low);
	w->local = &heap;
	return true;
}

/*
 * Asks for a place and says what that did, going by where the call that returned before it left the
 * break. With one task in the mm that is exact; the kernel does not tell more.
 */
static void step(struct worker *w, struct heap *heap, uintptr_t to)
{
	int64_t begin = worker_begin(w, GROW);
	uintptr_t now = move(to);
	uintptr_t before = atomic_exchange_explicit(&heap->left.place, now, memory_order_relaxed);

	worker_end(w, now > before ? GROW : now < before ? SHRINK : NOOP, begin, now == to);
}

static void work(struct worker *w)
{
	struct heap *heap = w->local;

	while (worker_next(w)) {
		step(w, heap, heap->high);
		step(w, heap, heap->low);
	}
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "asks for the break one page up and back in turn",
		.operations = {[GROW] = {.name = "grow", .series = "latency"},
			       [SHRINK] = {.name = "shrink", .series = "latency"},
			       [NOOP] = {.name = "noop", .series = "latency"}},
		.prepare = prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "brk calls per second, summed over the tasks"},
	METRIC_QUANTILES("latency", "task.latency", "of a call"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a call"},
	{"grow_share", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.grow", "task.operations",
	 .help = "calls that moved the break up, of all; with several threads by the order in which "
		 "calls returned"},
	{"shrink_share", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.shrink", "task.operations",
	 .help = "calls that moved it down, of all"},
	{"noop_share", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.noop", "task.operations",
	 .help = "calls that found it where they asked for it, of all"},
	{.name = NULL},
};

const struct workload workload_brk1 = {
	.name = "brk1",
	.summary = "the program break one page up and down; mode=thread: many threads on one break "
		   "(as brk1 of will-it-scale)",
	.roles = roles,
	.metrics = metrics,
};
