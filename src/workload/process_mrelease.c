// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "workload/builder.h"
#include "workload/group_memory.h"

/*
 * A victim is killed, and its killer at once releases its memory from outside, as a daemon does
 * that must have memory back: process_mrelease() (Linux 5.15) unmaps what is anonymous of a process
 * that is about to die, in the caller's time and under the victim's mmap_lock for reading, side by
 * side with the exit_mmap() of the victim.
 *
 * It is a race, and the call says who won (mm/oom_kill.c):
 *
 *	0	the memory was released; by the call, or by the exit while the call waited
 *	EAGAIN	a part of it could not be (an MMU notifier that may not sleep)
 *	ESRCH	too late: the victim had left its mm already (exit_mm())
 *	EINVAL	too early: it was not about to die, or shares its mm with somebody who is not
 *
 * Each is counted, and only the first is timed. With reap=no the victim is killed and no more.
 */

enum { VICTIM, RELEASED, AGAIN, LOST, REFUSED, BACK };
enum { CALLS, CPU, CENSUS };

struct killer {
	struct builder builder;
	struct group_memory memory;
	unsigned int steps; /* to the CPU of the victims */
	bool reaps;
	struct census census; /* of the trial child; all victims are made in the same way */
};

/* The operation that stands for what the call said; -1 with errno: it should not have. */
static int outcome_of(int errno_or_0)
{
	switch (errno_or_0) {
	case 0:
		return RELEASED;
	case EAGAIN:
		return AGAIN;
	case ESRCH:
		return LOST;
	case EINVAL:
		return REFUSED;
	default:
		errno = errno_or_0;
		return -1;
	}
}

static void release(struct worker *w, const struct offspring *victim)
{
	int64_t begin_ns = clock_now_ns(), took_ns;
	int failure = syscall(SYS_process_mrelease, victim->pidfd, 0) ? errno : 0;
	int outcome;

	took_ns = clock_now_ns() - begin_ns;
	outcome = outcome_of(failure);
	worker_add(w, CALLS, 1);
	if (outcome < 0)
		worker_fail(w);
	else
		worker_record(w, (unsigned int)outcome, took_ns);
}

/* False with errno where the victim ended otherwise than it should. */
static bool kill_one(struct worker *w, const struct killer *k)
{
	struct offspring victim;
	int64_t kill_ns, back_ns = 0, reaped_ns, cpu_ns, used_ns;
	int64_t before = group_memory_bytes(&k->memory), full;
	struct rusage usage;
	bool ready;

	if (!builder_start(&k->builder, 0, k->steps, BUILDER_WAITS, &victim))
		return false;
	ready = builder_await(&k->builder, &victim);
	cpu_ns = offspring_cpu_ns(&victim);
	full = group_memory_bytes(&k->memory);
	kill_ns = clock_now_ns();
	/* Also where it is not known to sleep: it may, and would never end. */
	offspring_kill(&victim);
	if (ready && k->reaps)
		release(w, &victim);
	if (ready)
		back_ns = group_memory_await(&k->memory, before, full);
	offspring_await(&victim, -1);
	if (!offspring_reap(&victim, ready, k->builder.letters[0].reason, &reaped_ns, &usage))
		return false;
	if (back_ns < 0) {
		errno = ETIMEDOUT;
		return false;
	}
	used_ns = offspring_used_ns(&usage);
	worker_record(w, VICTIM, reaped_ns - kill_ns);
	if (back_ns)
		worker_record(w, BACK, back_ns - kill_ns);
	worker_add(w, CPU, (uint64_t)(used_ns > cpu_ns ? used_ns - cpu_ns : 0));
	return true;
}

static void work(struct worker *w)
{
	const struct killer *k = w->local;

	while (worker_next(w)) {
		if (!kill_one(w, k))
			worker_fail(w);
		census_state(&k->census, w, CENSUS);
	}
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct killer killer;

	killer.steps = text_equal(cast_string(w->cast, "victim_cpu"), "other");
	killer.reaps = cast_switch(w->cast, "reap");
	w->local = &killer;
	killer.memory.fd = -1;
	/* Of several killers each would wait for the memory of the others' victims. */
	return (w->tasks > 1 || group_memory_open(&killer.memory, w->cast, err)) &&
	       builder_prepare(&killer.builder, w, 1, err) &&
	       builder_try(&killer.builder, &killer.census, err);
}

/* A run without a call that did something says nothing about the call. */
static bool finish(const struct worker *w, struct error *err)
{
	const struct tally *t = w->tally;

	if (!t->counters[CALLS] || t->operations[RELEASED])
		return true;
	return error_set(err, ERROR_DATA,
			 "none of %llu calls of process_mrelease released memory: %llu came too "
			 "late (ESRCH), %llu too early (EINVAL), %llu gave up (EAGAIN); a victim "
			 "with a larger size= takes longer to go",
			 (unsigned long long)t->counters[CALLS],
			 (unsigned long long)t->operations[LOST],
			 (unsigned long long)t->operations[REFUSED],
			 (unsigned long long)t->operations[AGAIN]);
}

static bool supported(const struct cast *cast, struct error *err)
{
	if (syscall(SYS_process_mrelease, -1, 0) && errno == ENOSYS)
		return error_set(err, ERROR_UNSUPPORTED,
				 "this kernel has no process_mrelease (Linux 5.15)");
	if (text_equal(cast_string(cast, "victim_cpu"), "other") && offspring_cpus() == 1)
		return error_set(err, ERROR_UNSUPPORTED,
				 "victim_cpu=other: this process may use only one CPU");
	return builder_supported(cast, 1, err);
}

static const struct role roles[] = {
	{
		.name = "killer",
		.help = "forks a victim that builds an address space, kills it, releases its "
			"memory, reaps it",
		.operations = {[VICTIM] = {.name = "victim", .series = "exit"},
			       [RELEASED] = {.name = "released", .series = "call", .part = true},
			       [AGAIN] = {.name = "again", .part = true},
			       [LOST] = {.name = "lost", .part = true},
			       [REFUSED] = {.name = "refused", .part = true},
			       [BACK] = {.name = "back", .series = "back", .part = true}},
		.counters = {[CALLS] = {.name = "calls"},
			     [CPU] = {.name = "exit_cpu_ns"},
			     [CENSUS] = CENSUS_COUNTERS},
		.mode = ROLE_PROCESSES,
		.slow = "a victim takes too long to build and tear down, with a smaller size= or "
			"vmas= it is quicker",
		.prepare = prepare,
		.work = work,
		.finish = finish,
	},
	{.name = NULL},
};

static const struct param params[] = {
	BUILDER_PARAMS,
	{"reap", PARAM_SWITCH, "yes",
	 .help = "yes: process_mrelease right behind the kill; no: the kill alone, to compare with"},
	{"victim_cpu", PARAM_CHOICE, "other", .choices = "other|same",
	 .help = "other: the victim is on the CPU behind its killer's, and its exit and the call run "
		 "side by side; same: it is on the killer's, nothing runs side by side, and which of "
		 "them is first is up to the scheduler"},
	{.name = NULL},
};

static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("exit", "killer.exit",
				 "from the kill until the victim has been reaped", SUMMARY_P50),
	METRIC_QUANTILES(
		"back", "killer.back",
		"from the kill until nine tenths of the victim's memory are back in its "
		"cgroup, as the killer sees it behind its call; only with memcg=, one killer, "
		"and a victim of 5 MiB or more (4 KiB pages)"),
	METRIC_QUANTILES("call", "killer.call", "of a process_mrelease that returned 0"),
	{"released_share", "ratio", BETTER_HIGHER, SUMMARY_RATIO, "killer.released", "killer.calls",
	 .help = "calls that returned 0, of all"},
	{"lost_share", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "killer.lost", "killer.calls",
	 .help = "calls that came too late (ESRCH): the victim had left its mm"},
	{"again_share", "ratio", BETTER_LOWER, SUMMARY_RATIO, "killer.again", "killer.calls",
	 .help = "calls that could not release all of it (EAGAIN)"},
	{"refused_share", "ratio", BETTER_LOWER, SUMMARY_RATIO, "killer.refused", "killer.calls",
	 .help = "calls on a victim that was not about to die (EINVAL)"},
	{"exit_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "killer.exit_cpu_ns", "killer.victim",
	 .help = "CPU time of a victim from the kill on, in whole us: what the call does the exit "
		 "need not"},
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "killer.cpu_ns", "killer.victim",
	 .help = "CPU time of the killer a victim, the call included"},
	{"victims", "1/s", BETTER_HIGHER, SUMMARY_RATE, "killer.victim",
	 .help = "victims per second from fork to reaped, summed over the killers"},
	CENSUS_METRICS("killer"),
	{.name = NULL},
};

const struct workload workload_process_mrelease = {
	.name = "process_mrelease",
	.summary =
		"victims that are killed and whose memory is released from outside while they exit",
	.needs = "Linux 5.15; a second CPU, or victim_cpu=same; memory for the victims",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
