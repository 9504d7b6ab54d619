/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_PROCESS_H
#define CONTEND_WORKLOAD_CREW_PROCESS_H

#include "workload/crew/stage.h"

/* A process of a role: one task, or several threads. */
struct process {
	const struct cast *cast;
	const struct placement *placement;
	const struct stage_map *map;
	size_t role;
	unsigned int first; /* its first task */
	unsigned int count;
	bool threads;
};

/*
 * What a forked child does, to its end: exit status 0 when all its tasks are done, 1 with the
 * reason on the stage.
 */
_Noreturn void process_main(const struct process *p);

#endif
