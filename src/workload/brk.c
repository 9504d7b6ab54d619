// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/brk.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

/* Where the last call to return left the break; alone in its cache line. */
struct left {
	_Alignas(128) _Atomic uintptr_t place;
};

struct heap {
	struct left left;
	uintptr_t page;
	uintptr_t low;	 /* the lower of a task's two places; of the first task */
	uintptr_t apart; /* from one task's to the next one's */
	bool alone;	 /* the only task in the mm */
};

/* The call returns where the break is now; it has no errno. */
static uintptr_t move(uintptr_t to)
{
	uintptr_t now = (uintptr_t)syscall(SYS_brk, to);

	if (now != to)
		errno = ENOMEM;
	return now;
}

bool brk_prepare(struct worker *w, unsigned int kept_pages, struct error *err)
{
	static struct heap heap;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), written, top;
	bool threads = text_equal(cast_string(w->cast, "mode"), "thread");

	memory_brk_release();
	written = (move(0) + page - 1) & ~(page - 1);
	heap.page = page;
	heap.alone = !threads || w->tasks == 1;
	heap.apart = threads ? kept_pages * page : 0;
	/*
	 * This process was forked as well. A written page on top of the heap that came with it has
	 * a VMA with an anon_vma of its own, as the heap of a process that nobody forked.
	 */
	heap.low = written + (threads ? page : 0) + kept_pages * page;
	top = heap.low + (w->tasks - 1) * heap.apart;
	if (threads && move(written + page) == written + page)
		*(volatile char *)written = 1;
	if (move(top) != top)
		return error_set_errno(err, "brk: cannot move the break up");
	atomic_store(&heap.left.place, top);
	w->local = &heap;
	return true;
}

/*
 * What the last call did, going by where the call that returned before it left the break. With one
 * task in the mm that is exact; the kernel does not tell more.
 */
static inline unsigned int kind(struct heap *heap, uintptr_t now)
{
	uintptr_t before;

	/* A locked exchange takes as long as a fiftieth of the call. */
	if (heap->alone) {
		before = atomic_load_explicit(&heap->left.place, memory_order_relaxed);
		atomic_store_explicit(&heap->left.place, now, memory_order_relaxed);
	} else {
		before = atomic_exchange_explicit(&heap->left.place, now, memory_order_relaxed);
	}
	return now > before ? BRK_GROW : now < before ? BRK_SHRINK : BRK_NOOP;
}

void brk_work(struct worker *w)
{
	struct heap *heap = w->local;
	uintptr_t low = heap->low + w->task * heap->apart;
	uintptr_t high = low + heap->page;

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, BRK_GROW), middle, end;
		uintptr_t up = move(high), down;
		unsigned int first = kind(heap, up), second;

		middle = worker_stamp(w, BRK_GROW);
		down = move(low);
		second = kind(heap, down);
		end = worker_stamp(w, BRK_GROW);
		worker_close(w, first, middle - begin, up == high);
		worker_close(w, second, end - middle, down == low);
	}
}

const struct metric brk_metrics[] = {
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
