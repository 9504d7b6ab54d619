/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_PLACEMENT_H
#define CONTEND_WORKLOAD_CREW_PLACEMENT_H

#include "kernel/topology.h"
#include "workload/workload.h"

/* Which CPU each task runs on. */
struct placement {
	struct {
		unsigned int tasks;
		unsigned int distinct; /* on how many CPUs they are */
		int *cpus;	       /* by task; NULL: no tasks */
	} roles[ROLE_MAX];
	/* All CPUs that may be used, in the order of the topology. */
	int *order;
	size_t order_count;
};

void placement_done(struct placement *p);

/* The CPU that comes so many behind another one in that order, around its end. */
int placement_behind(const struct placement *p, int cpu, unsigned int steps);

/*
 * Places the tasks of all roles in the order of the topology; more tasks than CPUs wrap. False
 * (ERROR_UNSUPPORTED) where a role that must be apart has no CPU left.
 */
bool placement_make(const struct cast *cast, const struct topology *topology, struct placement *ret,
		    struct error *err);

#endif
