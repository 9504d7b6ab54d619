// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "workload/builder.h"

/*
 * What the end of a process costs: a child builds an address space and leaves, or is killed. The
 * child stamps a shared clock as its last act (killed, the parent does so right before), its parent
 * when the pidfd turns readable and when it has reaped. In between lie, in this order: the exit
 * system call or the delivery of the signal; the end of the other threads; exit_mm() and, as the
 * last user of the mm leaves, exit_mmap(): unmap_vmas() frees the pages, free_pgtables() the page
 * tables, then the VMAs go one by one; files, signals, exit_notify(); the wake-up of the parent;
 * release_task(). A child without any memory of its own is the floor of all that.
 *
 * The child is a fork of this small process and has its mappings, too. It runs on its parent's CPU:
 * the parent sleeps meanwhile, no other CPU has to be woken up from idle (in a virtual machine that
 * alone takes as long as a small exit), and several parents tear down side by side.
 */

enum { CHILD, READABLE, BUILD };
enum { CPU, CENSUS };

struct parent {
	struct builder builder;
	bool kills;
	struct census census; /* of the trial child; all later ones are made in the same way */
};

/* One child, from its birth to its end. False with errno where it went otherwise. */
static bool raise_child(struct worker *w, const struct parent *p)
{
	const struct builder *b = &p->builder;
	int64_t fork_ns, end_ns, readable_ns, reaped_ns, cpu_ns = 0, used_ns;
	struct offspring child;
	struct rusage usage;
	bool kill = false;

	fork_ns = clock_now_ns();
	if (!builder_start(b, &child, p->kills))
		return false;
	if (p->kills && builder_await(b, &child)) {
		cpu_ns = offspring_cpu_ns(&child);
		end_ns = clock_now_ns();
		kill = offspring_kill(&child);
	} else if (p->kills) {
		/* It has ended, or what it does cannot be seen: then it would wait for ever. */
		offspring_kill(&child);
	}
	offspring_await(&child, -1);
	readable_ns = clock_now_ns();
	if (!offspring_reap(&child, kill, b->letter->reason, &reaped_ns, &usage))
		return false;
	if (!kill) {
		end_ns = b->letter->stamp_ns;
		cpu_ns = b->letter->cpu_ns;
	}
	used_ns = offspring_used_ns(&usage);
	worker_record(w, CHILD, reaped_ns - end_ns);
	worker_record(w, READABLE, readable_ns - end_ns);
	worker_record(w, BUILD, b->letter->stamp_ns - fork_ns);
	worker_add(w, CPU, (uint64_t)(used_ns > cpu_ns ? used_ns - cpu_ns : 0));
	return true;
}

static void work(struct worker *w)
{
	const struct parent *p = w->local;

	while (worker_next(w)) {
		if (!raise_child(w, p)) {
			worker_fail(w);
			continue;
		}
		census_state(&p->census, w, CENSUS);
	}
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct parent parent;

	parent.kills = text_equal(cast_string(w->cast, "end"), "kill");
	w->local = &parent;
	return builder_prepare(&parent.builder, w, err) &&
	       builder_try(&parent.builder, &parent.census, err);
}

/* teardown is from the stamp on, as is the CPU time. */
static void tell_waiting(const struct role_sum *sum, struct text *note)
{
	uint64_t children = sum->tally.operations[CHILD];

	if (children)
		offspring_tell_waiting("teardown", sum->mean_ns[CHILD],
				       (double)sum->tally.counters[CPU] / (double)children, note);
}

static const struct role roles[] = {
	{
		.name = "parent",
		.help = "forks a child that builds an address space and ends, waits for it, reaps it",
		.operations = {[CHILD] = {.name = "child", .series = "teardown"},
			       [READABLE] = {.name = "readable", .series = "readable", .part = true},
			       [BUILD] = {.name = "build", .series = "build", .part = true}},
		.counters = {[CPU] = {.name = "teardown_cpu_ns"}, [CENSUS] = CENSUS_COUNTERS},
		.mode = ROLE_PROCESSES,
		.slow = "a child takes too long to build and tear down, with a smaller size= or "
			"vmas= it is quicker",
		.note = tell_waiting,
		.prepare = prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	BUILDER_PARAMS,
	{"end", PARAM_CHOICE, "exit", .choices = "exit|kill",
	 .help = "exit: it leaves by itself, and stamps right before; kill: it sleeps, and is sent "
		 "SIGKILL by its parent, who stamps right before"},
	{.name = NULL},
};

/*
 * Primary is the median. What a change to exit_mmap() costs or saves it does so at every exit, and
 * a median moves with that; a mean moves with the few exits in which somebody else had the CPU. (In
 * the mails of 2017 and 2021 about such changes means had standard deviations of 20 to 130 %; in
 * three series of 10 000 empty children on a busy machine means differed by 89 %, medians by 7 %.)
 */
static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("teardown", "parent.teardown",
				 "from the end of a child's life to when it has been reaped",
				 SUMMARY_P50),
	{"teardown_mean", "ns", BETTER_LOWER, SUMMARY_MEAN, "parent.teardown",
	 .help = "mean of the same"},
	{"teardown_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "parent.teardown_cpu_ns",
	 "parent.child", .help = "CPU time of a child after its stamp, in whole us"},
	METRIC_QUANTILES("readable", "parent.readable",
			 "to when the child's pidfd turned readable: without reaping"),
	METRIC_QUANTILES("build", "parent.build",
			 "from the fork to a child that has all its memory and threads"),
	{"children", "1/s", BETTER_HIGHER, SUMMARY_RATE, "parent.child",
	 .help = "children per second from fork to reaped, summed over the parents"},
	CENSUS_METRICS("parent"),
	{.name = NULL},
};

const struct workload workload_exit_mmap = {
	.name = "exit_mmap",
	.summary = "children that build an address space and exit, or are killed",
	.needs = "memory for the children of all parents at once",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = builder_supported,
};
