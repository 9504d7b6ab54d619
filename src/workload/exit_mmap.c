// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "workload/builder.h"
#include "workload/scratch.h"

/*
 * What the end of a process costs: a child builds an address space and leaves, or is killed. The
 * child stamps a shared clock as its last act (killed, the parent does so right before), its parent
 * when the pidfd turns readable and when it has reaped. In between lie, in this order: the exit
 * system call or the delivery of the signal; the end of the other threads; exit_mm() and, as the
 * last user of the mm leaves, exit_mmap(): unmap_vmas() frees the pages, free_pgtables() the page
 * tables, then the VMAs go one by one; files, signals, exit_notify(); the wake-up of the parent;
 * release_task(). A child without any memory of its own is the floor of all that.
 *
 * The child is a fork of this small process and has its mappings, too. One alone runs on its
 * parent's CPU: the parent sleeps meanwhile, no other CPU has to be woken up from idle (in a
 * virtual machine that alone takes as long as a small exit), and several parents tear down side by
 * side.
 */

enum { CHILD, READABLE, BUILD, ROUND };
enum { CPU, CENSUS };

/* A child on its way from fork to reaped. */
struct passing {
	int64_t fork_ns, end_ns, cpu_ns;
	bool killed;
};

struct parent {
	struct builder builder;
	struct shared_files files;
	unsigned int at_once;
	bool kills;
	struct census census; /* of the trial child; all later ones are made in the same way */
	struct offspring children[OFFSPRING_MAX];
	struct passing passing[OFFSPRING_MAX];
};

/*
 * Forks a child of a round, on the CPU that is so many behind the parent's. One of several sleeps
 * before its end, and is waited for until it does. False with errno: there is none.
 */
static bool raise_child(struct parent *p, unsigned int i)
{
	const struct builder *b = &p->builder;
	enum builder_end end = p->kills		? BUILDER_WAITS
			       : p->at_once > 1 ? BUILDER_GATED
						: BUILDER_EXITS;

	p->passing[i] = (struct passing){.fork_ns = clock_now_ns()};
	if (!builder_start(b, i, i, end, &p->children[i]))
		return false;
	if (end != BUILDER_EXITS && !builder_await(b, &p->children[i])) {
		/* It has ended, or what it does cannot be seen: then it would wait for ever. */
		offspring_kill(&p->children[i]);
	} else if (end == BUILDER_WAITS) {
		p->passing[i].killed = true;
	}
	return true;
}

static void end_children(struct parent *p, unsigned int count)
{
	if (p->at_once > 1 && !p->kills)
		builder_open_gate(&p->builder);
	for (unsigned int i = 0; i < count; i++) {
		if (!p->passing[i].killed)
			continue;
		p->passing[i].cpu_ns = offspring_cpu_ns(&p->children[i]);
		p->passing[i].end_ns = clock_now_ns();
		p->passing[i].killed = offspring_kill(&p->children[i]);
	}
}

/* False with errno where it ended otherwise than it should. */
static bool bury(struct worker *w, struct parent *p, size_t i, struct passing *passing,
		 int64_t *ret_reaped_ns)
{
	const struct letter *letter = &p->builder.letters[i];
	int64_t readable_ns = clock_now_ns(), used_ns;
	struct rusage usage;

	if (!offspring_reap(&p->children[i], passing->killed, letter->reason, ret_reaped_ns,
			    &usage))
		return false;
	if (!passing->killed) {
		passing->end_ns = letter->stamp_ns;
		passing->cpu_ns = letter->cpu_ns;
	}
	used_ns = offspring_used_ns(&usage);
	worker_record(w, CHILD, *ret_reaped_ns - passing->end_ns);
	worker_record(w, READABLE, readable_ns - passing->end_ns);
	worker_record(w, BUILD, letter->built_ns - passing->fork_ns);
	worker_add(w, CPU, (uint64_t)(used_ns > passing->cpu_ns ? used_ns - passing->cpu_ns : 0));
	return true;
}

/* All children of a round, from their birth to the end of the last of them. */
static void play_round(struct worker *w, struct parent *p)
{
	int64_t first_ns = INT64_MAX, reaped_ns = 0;
	unsigned int count = 0;
	bool fine = true;

	while (count < p->at_once && (fine = raise_child(p, count)))
		count++;
	if (!fine)
		worker_fail(w);
	end_children(p, count);
	for (unsigned int left = count; left; left--) {
		size_t i = offspring_await_any(p->children, count);

		if (!bury(w, p, i, &p->passing[i], &reaped_ns)) {
			worker_fail(w);
			fine = false;
		} else if (p->passing[i].end_ns < first_ns) {
			first_ns = p->passing[i].end_ns;
		}
	}
	if (fine)
		worker_record(w, ROUND, reaped_ns - first_ns);
	census_state(&p->census, w, CENSUS);
}

static void work(struct worker *w)
{
	while (worker_next(w))
		play_round(w, w->local);
}

static unsigned int at_once(const struct cast *cast)
{
	return (unsigned int)cast_integer(cast, "at_once");
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct parent parent;
	struct parent *p = &parent;

	p->kills = text_equal(cast_string(w->cast, "end"), "kill");
	p->at_once = at_once(w->cast);
	w->local = p;
	if (!shared_files_prepare(&p->files, w, err))
		return false;
	p->builder.files = &p->files;
	return builder_prepare(&p->builder, w, p->at_once, err) &&
	       builder_try(&p->builder, &p->census, err);
}

static bool supported(const struct cast *cast, struct error *err)
{
	return builder_supported(cast, at_once(cast), err) && shared_files_supported(cast, err);
}

static void describe(const struct cast *cast, json_t *host)
{
	if (cast_integer(cast, "files"))
		scratch_describe(cast, host);
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
			       [BUILD] = {.name = "build", .series = "build", .part = true},
			       [ROUND] = {"round", .series = "all_reaped", .part = true}},
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
	SHARED_FILES_PARAMS,
	{"at_once", PARAM_COUNT, "1", .low = 1, .high = OFFSPRING_MAX,
	 .help = "children of a parent that end at the same moment; the second one lives on the CPU "
		 "behind the parent's, and so on around. They sleep until all of them are built"},
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
	METRIC_QUANTILES(
		"all_reaped", "parent.all_reaped",
		"from the first end in a round (at_once=) until all its children have been "
		"reaped"),
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
	.shared_bytes = SHARED_FILES_BYTES,
	.supported = supported,
	.describe = describe,
};
