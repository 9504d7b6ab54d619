// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/procfs.h"
#include "workload/census.h"
#include "workload/crew/offspring.h"
#include "workload/space.h"

/*
 * What fork() costs the process that calls it, which is dup_mmap() where it has an address space to
 * speak of: under mmap_lock for writing each VMA is copied, linked to its anon_vmas and to the
 * file it maps, and the page tables of what is anonymous are copied entry by entry, each of which
 * is made read-only in the parent.
 *
 * The child ends at once, on the same CPU, and has been reaped when the next one is forked: that is
 * in the loop, not in the latency. Where the scheduler runs the child before its parent goes on,
 * the time of the call has all of the child's life in it; such a fork is counted and timed apart.
 * Then the parent writes its pages again, as one that goes on working would. Each write faults: the
 * page is the parent's alone again and is made writable (wp_page_reuse()), nothing is copied. Pages
 * that nobody has written since the last fork cost the next one less.
 */

enum { FORK, OVERTAKEN, CHILD, WRITE };
enum { CHILD_CPU, CENSUS };

/* A child says in it that it runs; in memory that both have, one for each task. */
struct cry {
	_Alignas(128) _Atomic int heard;
};

struct forker {
	struct space space;
	struct space_state built;
	double write_ratio;
	struct cry *cries;    /* by task */
	struct census census; /* of a first child; all later ones are like it */
};

/* A child that has what all later ones have, and sleeps until it has been counted. */
static bool try_child(struct forker *f, struct error *err)
{
	struct offspring child;
	struct rusage ignored;
	int64_t when;
	bool counted;

	switch (offspring_fork(&child)) {
	case -1:
		error_set_errno(err, "fork");
		if (errno == ENOMEM || errno == EAGAIN)
			err->code = ERROR_UNSUPPORTED;
		return false;
	case 0:
		for (;;)
			pause();
	}
	counted = offspring_await_sleep(child.pid) ||
		  error_set(err, ERROR_SYSTEM, "the child: its state in /proc cannot be read");
	counted = counted && census_take(child.pid, &f->space, &f->built, &f->census, err);
	offspring_kill(&child);
	return offspring_reap(&child, true, 0, &when, &ignored) ? counted
								: error_set_errno(err, "the child");
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct forker forker;

	w->local = &forker;
	space_take(&forker.space, w->cast);
	forker.write_ratio = cast_number(w->cast, "write_after");
	forker.cries = mmap(NULL, w->tasks * sizeof(*forker.cries), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (forker.cries == MAP_FAILED)
		return error_set_errno(err, "map a page");
	if (!space_build(&forker.space, &forker.built))
		return space_refuse(&forker.space, &forker.built, err);
	return offspring_prepare(w, err) && try_child(&forker, err);
}

static _Noreturn void child_main(struct cry *cry)
{
	atomic_store_explicit(&cry->heard, 1, memory_order_relaxed);
	_exit(0);
}

/*
 * A child is run before its parent goes on where the parent has used up its slice (3 ms): that of
 * who has slept is a new one.
 */
static void renew_slice(void)
{
	clock_sleep_until(clock_now_ns() + NS_PER_US);
}

static void work(struct worker *w)
{
	const struct forker *f = w->local;
	struct cry *cry = &f->cries[w->task];

	for (; worker_next(w); atomic_store_explicit(&cry->heard, 0, memory_order_relaxed)) {
		int64_t begin;
		/*
		 * Without what glibc does about locks, in which threads would wait for each other.
		 */
		pid_t pid;
		struct rusage usage;
		bool ok;

		renew_slice();
		begin = worker_begin(w, FORK);
		pid = _Fork();
		if (!pid)
			child_main(cry);
		worker_end(w,
			   atomic_load_explicit(&cry->heard, memory_order_relaxed) ? OVERTAKEN
										   : FORK,
			   begin, pid > 0);
		if (pid < 0)
			continue;
		begin = worker_begin(w, CHILD);
		ok = offspring_wait(pid, &usage);
		worker_end(w, CHILD, begin, ok);
		if (ok)
			worker_add(w, CHILD_CPU, (uint64_t)offspring_used_ns(&usage));
		census_state(&f->census, w, CENSUS);
		if (f->write_ratio > 0) {
			begin = worker_begin(w, WRITE);
			space_write(&f->space, &f->built, f->write_ratio);
			worker_end(w, WRITE, begin, true);
		}
	}
}

static bool supported(const struct cast *cast, struct error *err)
{
	double processes =
		text_equal(cast_string(cast, "mode"), "thread") ? 1 : cast_number(cast, "tasks");
	double bytes;

	/* Children add page tables, which are small beside it. */
	return space_supported(cast, &bytes, err) && procfs_is_ours(err) &&
	       cast_affords(cast, "the tasks", bytes * processes, err);
}

/* Above this share latency speaks of too few of them to stand for all. */
static const double OVERTAKEN_RATIO = 0.25;

static void tell_overtaken(const struct role_sum *sum, struct text *note)
{
	double overtaken = (double)sum->tally.operations[OVERTAKEN];
	double ratio = overtaken / (overtaken + (double)sum->tally.operations[FORK]);

	if (ratio > OVERTAKEN_RATIO)
		text_printf(note,
			    "in %.0f %% of the forks the child ran before the call had returned: "
			    "they are not in latency, but in overtaken",
			    100 * ratio);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "forks a child that exits at once, reaps it, writes its own memory again",
		.operations = {[FORK] = {.name = "fork", .series = "latency"},
			       [OVERTAKEN] = {.name = "overtaken", .series = "overtaken"},
			       [CHILD] = {.name = "child", .series = "child", .part = true},
			       [WRITE] = {.name = "write", .series = "write", .part = true}},
		.counters = {[CHILD_CPU] = {.name = "child_cpu_ns"}, [CENSUS] = CENSUS_COUNTERS},
		.slow = "with a smaller size= or vmas= a fork is quicker",
		.prepare = prepare,
		.work = work,
		.note = tell_overtaken,
	},
	{.name = NULL},
};

static const struct param params[] = {
	SPACE_PARAMS("of a parent process, which it has before it forks",
		     "; it has a dozen more (the metric vmas has them all)"),
	{"write_after", PARAM_PERCENT, "100%", .high = 1,
	 .help = "share of the touched pages that the parent writes again when a child has gone, "
		 "evenly spread: the next fork makes so many read-only. 0%: all of them are from the "
		 "fork before"},
	{.name = NULL},
};

/* Primary is the median of the call: what a change to dup_mmap() costs it costs at every fork. */
static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("latency", "task.latency",
				 "of a fork call in the parent, back before its child ran",
				 SUMMARY_P50),
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations",
	 .help = "forks per second, the children's lives, the writes and a sleep between them "
		 "included, summed over the tasks"},
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time of the parent a fork, writes included"},
	METRIC_QUANTILES(
		"child", "task.child",
		"from the return of the call until the child has been reaped: its exit, and "
		"the teardown of its copy"),
	{"child_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.child_cpu_ns", "task.child",
	 .help = "CPU time of a child, in whole us each of user and system"},
	METRIC_QUANTILES("overtaken", "task.overtaken",
			 "of a call whose child ran before it returned; not in latency"),
	{"overtaken_share", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.overtaken",
	 "task.operations", .help = "such calls, of all"},
	METRIC_QUANTILES("write", "task.write", "of the writes after a child (write_after=)"),
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults of the parent a fork: one for each page that it writes again, and a "
		 "few of its stack and data"},
	CENSUS_METRICS("task"),
	{.name = NULL},
};

const struct workload workload_fork = {
	.name = "fork",
	.summary = "forks from a process with size= of memory in vmas= mappings: dup_mmap()",
	.needs = "memory for size= of each process",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
