/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_SUPERVISE_H
#define CONTEND_WORKLOAD_CREW_SUPERVISE_H

#include "base/child.h"
#include "workload/crew/crew.h"
#include "workload/crew/errand.h"
#include "workload/crew/idle.h"
#include "workload/crew/machine.h"
#include "workload/crew/oom_kills.h"
#include "workload/crew/process.h"
#include "workload/crew/slices.h"

/*
 * The supervisor of a run: forks the workers, opens the gate, keeps the time, watches who dies, and
 * sees to it that nobody is left.
 */

/* One worker process. */
struct member {
	struct child child;
	struct process process;
};

/* A run, as its supervisor sees it. */
struct crew {
	struct cast cast;
	const struct crew_watch *watch;
	struct placement placement;
	struct stage_map map;
	struct member *members;
	struct pollfd *polled;
	size_t forked, living;
	uint32_t tasks; /* of all roles */
	int64_t next_tick_ns;
	struct slices slices;
	struct idle idle;
	struct machine machine;
	struct oom_kills oom; /* before the run */
	struct errand_result errand;
	enum outcome outcome;
	char *reason;
};

/*
 * Ends the run with an outcome, and a reason as printf() has it. Returns false; only the first call
 * counts.
 */
bool supervise_give_up(struct crew *c, enum outcome outcome, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with an error as the reason: the outcome goes by its code. */
bool supervise_give_up_for(struct crew *c, const struct error *err);

/*
 * From the first fork to the end of all workers; c->placement and c->map are there. False: gave up.
 */
bool supervise(struct crew *c);

/* Whatever still lives is killed, all at once before the first is waited for. */
void supervise_dismiss(struct crew *c);

#endif
