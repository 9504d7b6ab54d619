/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_PACE_H
#define CONTEND_WORKLOAD_CREW_PACE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/random.h"

/*
 * An open loop: when operations start does not depend on how long they take. The schedule has one
 * start in each period, at a random moment of it (drawn from the seed), not one every period
 * sharp: two roles whose rates have a common measure, or a role and the timer tick, would meet at
 * the same phase throughout a run, and the phase would be the figure.
 *
 * A start that comes late is never moved: its latency counts from when it was due, and the next
 * ones follow without a pause until the schedule is caught up. (Otherwise what delays operations
 * would also hide that they were delayed: coordinated omission.)
 */
struct pace {
	double period_ns; /* 0: not paced */
	struct random random;
	int64_t base_ns;
	uint64_t begun;
	int64_t next_ns;  /* when the next operation is due */
	int64_t start_ns; /* when the one now running was due */
	int64_t cpu_ns;	  /* the thread's CPU time at its start */
};

void pace_init(struct pace *p, double rate, uint64_t seed);

/* Begins the schedule anew. */
void pace_restart(struct pace *p, int64_t now_ns);

/*
 * Waits for the next start. Returns false when the phase changed first: that start is still due. A
 * long wait looks at the phase at least every 5 ms.
 */
bool pace_wait(struct pace *p, const _Atomic uint32_t *phase, uint32_t seen);

/* CPU time since the start, without waiting and spinning for it. */
int64_t pace_spent_ns(const struct pace *p);

/* How many operations were due by now and have not begun. */
uint64_t pace_unstarted(const struct pace *p, int64_t now_ns);

#endif
