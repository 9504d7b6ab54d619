/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_IDLE_H
#define CONTEND_WORKLOAD_CREW_IDLE_H

#include "kernel/cpu_time.h"
#include "model/json.h"
#include "workload/crew/placement.h"

/*
 * How long CPUs were idle, of those on which tasks were placed and of the whole machine, from just
 * before the windows open until just after they close: the kernel's figures are read where the
 * tasks count nothing, so that reading them costs no run anything.
 */
struct idle {
	struct cpu_idle before, after;
	int64_t begin_ns, end_ns; /* clock_now_ns() */
};

void idle_done(struct idle *i);
void idle_begin(struct idle *i);
void idle_end(struct idle *i);

/* Sets "idle" in a record; nothing where it is not known. */
void idle_record(const struct idle *i, const struct placement *p, json_t *record);

#endif
