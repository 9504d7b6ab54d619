// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload/touch.h"
#include "workload/workload.h"

/*
 * A thread from nothing to nothing: its stack is mapped, a guard page is left at its end, the
 * thread is made, runs and ends, is joined, and its stack is unmapped. The stack is this loop's
 * own. glibc keeps up to 40 MiB of those that it maps itself and gives them to the next threads, so
 * that a program that makes and joins threads with it maps none; here each thread has what the
 * first one of a program has, or any beyond that cache.
 *
 * mmap, mprotect and munmap take mmap_lock for writing, the page faults of a new stack take the
 * lock of its VMA (Linux 6.4) or mmap_lock for reading. A thread is made without that lock.
 */

enum { THREAD, MAP, CREATE, JOIN, UNMAP };
enum { TOUCHED };

/* At the top of a stack: what glibc has there (the static TLS), and the thread's own frames. */
enum { OWN_BYTES = 16 << 10 };

struct stack {
	size_t bytes; /* without the guard */
	size_t guard_bytes;
	size_t page;
	size_t touched; /* pages that the thread writes */
};

static bool prepare(struct worker *w, struct error *err)
{
	static struct stack stack;
	size_t own_pages;

	(void)err;
	stack.page = (size_t)sysconf(_SC_PAGESIZE);
	stack.bytes = (size_t)cast_integer(w->cast, "stack");
	stack.guard_bytes = cast_switch(w->cast, "guard") ? stack.page : 0;
	own_pages = (OWN_BYTES + stack.page - 1) / stack.page;
	stack.touched =
		touch_before(cast_number(w->cast, "touch"), stack.bytes / stack.page - own_pages);
	w->local = &stack;
	return true;
}

/* As glibc does it: no access at all, then access to what is above the guard. */
static char *map_stack(const struct stack *s)
{
	int access = s->guard_bytes ? PROT_NONE : PROT_READ | PROT_WRITE;
	char *low = mmap(NULL, s->guard_bytes + s->bytes, access,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (low == MAP_FAILED)
		return NULL;
	if (s->guard_bytes && mprotect(low + s->guard_bytes, s->bytes, PROT_READ | PROT_WRITE)) {
		int reason = errno;

		munmap(low, s->guard_bytes + s->bytes);
		errno = reason;
		return NULL;
	}
	return low;
}

struct life {
	const struct stack *stack;
	char *low; /* of the stack itself */
};

/* From the bottom of the stack on, where the thread has none of its own frames. */
static void *live(void *argument)
{
	const struct life *life = argument;

	for (size_t i = 0; i < life->stack->touched; i++)
		((volatile char *)life->low)[i * life->stack->page] = 1;
	return NULL;
}

/* What fails is counted where it failed. */
static bool churn(struct worker *w, const struct stack *s)
{
	int64_t begin = worker_begin(w, MAP);
	char *low = map_stack(s);
	struct life life = {.stack = s};
	pthread_attr_t attributes;
	pthread_t thread;
	bool made, joined = false, gone;

	worker_end(w, MAP, begin, low);
	if (!low)
		return false;
	life.low = low + s->guard_bytes;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, life.low, s->bytes);
	begin = worker_begin(w, CREATE);
	errno = pthread_create(&thread, &attributes, live, &life);
	made = !errno;
	worker_end(w, CREATE, begin, made);
	if (made) {
		begin = worker_begin(w, JOIN);
		errno = pthread_join(thread, NULL);
		joined = !errno;
		worker_end(w, JOIN, begin, joined);
	}
	begin = worker_begin(w, UNMAP);
	gone = !munmap(low, s->guard_bytes + s->bytes);
	worker_end(w, UNMAP, begin, gone);
	return joined && gone;
}

static void work(struct worker *w)
{
	const struct stack *stack = w->local;

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, THREAD);

		if (churn(w, stack))
			worker_end(w, THREAD, begin, true);
	}
}

static bool supported(const struct cast *cast, struct error *err)
{
	double bytes = cast_number(cast, "stack") * cast_number(cast, "touch");

	return cast_whole_pages(cast, "stack", err) &&
	       cast_affords(cast, "the threads", bytes * cast_number(cast, "tasks"), err);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "maps a stack, makes a thread on it, joins it, unmaps the stack",
		.operations = {[THREAD] = {.name = "thread", .series = "latency"},
			       [MAP] = {.name = "map", .series = "map", .part = true},
			       [CREATE] = {.name = "create", .series = "create", .part = true},
			       [JOIN] = {.name = "join", .series = "join", .part = true},
			       [UNMAP] = {.name = "unmap", .series = "unmap", .part = true}},
		.prepare = prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"stack", PARAM_BYTES, "8M", .low = 0x1p16, .high = 0x1p40,
	 .help = "of a thread, in whole pages, without its guard; 8M is what a thread has by default "
		 "where ulimit -s is 8 MiB"},
	{"guard", PARAM_SWITCH, "yes",
	 .help = "a page at the end of the stack that nobody may touch, by mprotect as glibc does it; "
		 "no: no mprotect, one mapping"},
	{"touch", PARAM_PERCENT, "0%", .high = 1,
	 .help = "share of its stack that the thread writes, a byte a page; what it needs to run is "
		 "touched anyway, a page or two"},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "threads made, joined and gone with their stacks per second, summed over the tasks"},
	METRIC_QUANTILES("latency", "task.latency",
			 "of a thread, from before its stack is mapped to "
			 "after it has been unmapped"),
	METRIC_QUANTILES("map", "task.map", "of mmap and mprotect"),
	METRIC_QUANTILES("create", "task.create", "of pthread_create"),
	METRIC_QUANTILES("join", "task.join",
			 "of pthread_join: the thread runs meanwhile, on the same CPU"),
	METRIC_QUANTILES("unmap", "task.unmap", "of munmap"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a thread of who makes it; what the thread itself uses is not in it"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a thread of who makes it: pthread_create writes to the stack"},
	{.name = NULL},
};

const struct workload workload_thread_churn = {
	.name = "thread_churn",
	.summary = "threads made and joined, each on a stack that is mapped and unmapped for it",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
