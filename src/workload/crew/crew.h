/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_CREW_H
#define CONTEND_WORKLOAD_CREW_CREW_H

#include "kernel/surroundings.h"
#include "model/run.h"
#include "workload/workload.h"

/*
 * The crew: what all workloads have in common. It forks the tasks, places them, opens the gate,
 * keeps the time, records, and says what became of it.
 *
 *	params.c     the parameters that every workload has, and a run's values of them
 *	describe.c   a workload as `list` shows it
 *	placement.c  which task runs on which CPU
 *	stage.c      the memory that tasks and supervisor share
 *	task.c       one task and its window
 *	pace.c       an open loop: when its operations are due
 *	delay.c      a slowdown of known size
 *	process.c    a process of tasks, from fork to exit
 *	offspring.c  a child that a task forks in its loop
 *	keeper.c     a process of tasks that are no part of this program
 *	handover.c   what it hands to the program that makes them
 *	slices.c     the rate in each part of the window
 *	idle.c       how long CPUs were idle while the windows last
 *	machine.c    what the kernel counts of the machine while the windows last
 *	minder.c     the window of a task that does not know of it
 *	supervise.c  the supervisor of all these, while a run lasts
 *	oom_kills.c  what the OOM killer did meanwhile
 *	crew.c       one run, from its parameters to its record
 *	record.c     what is read off the stage when all is over
 */

/* The parameters that every workload has: tasks, mode, window, warmup, record, raw, seed, delay. */
extern const struct param crew_params[];

/* The workload as `describe` shows it: a new JSON object that description_from_json() reads. */
json_t *crew_describe(const struct workload *w);

/* True for a parameter that the workload has, or the crew. */
bool crew_declares(const struct workload *w, const char *name);

/* Checks the values of a job: names, types, ranges, and what only makes sense together. */
bool crew_check(const struct workload *w, const json_t *values, struct error *err);

/* False with the reason in err where this machine cannot run the workload with these values. */
bool crew_supported(const struct workload *w, const json_t *values, struct error *err);

/* Who wants to know how a run goes, and may end it. */
struct crew_watch {
	/*
	 * Called about four times a second while a run lasts, with the phase ("ready", "warm-up",
	 * "window", "drain") and the share of it that is over; false: stop, the run was
	 * interrupted.
	 */
	bool (*tick)(void *context, const char *phase, double share_done);
	void *context;
	int fd; /* polled: when readable or hung up tick() is called at once; -1: none */
};

/*
 * Runs a workload once and returns its record: never NULL, whatever happened; no child, no thread
 * and no descriptor is left. values: checked (an object of strings). surroundings: of the tasks;
 * NULL: the caller's. watch: NULL is nobody. The caller's malloc() must not use the break, or brk1
 * measures that too.
 */
json_t *crew_run(const struct workload *w, const json_t *values,
		 const struct surroundings *surroundings, const struct crew_watch *watch);

/*
 * The record of a run that came to nothing before it began. values: as crew_run() takes them.
 * Owned by the caller.
 */
json_t *crew_refuse(const struct workload *w, const json_t *values, enum outcome outcome,
		    const char *reason);

#endif
