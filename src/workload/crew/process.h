/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_PROCESS_H
#define CONTEND_WORKLOAD_CREW_PROCESS_H

#include "workload/crew/stage.h"

/* The tasks of one role in a process. */
struct part {
	size_t role;
	unsigned int first; /* its first task */
	unsigned int count;
};

/* A process: one task, or the threads of one role, or of several (role.with). */
struct process {
	const struct cast *cast;
	const struct placement *placement;
	const struct stage_map *map;
	struct part parts[ROLE_MAX];
	size_t part_count;
	bool threads;
	/* A guest's tasks are all in one of these, which is their keeper (crew/keeper.h). */
};

/* "writer 0", "reader 0 to 3", "faulter 0 to 1 with writer 0". Owned by the caller. */
char *process_text(const struct process *p);

/*
 * Where memory ends the OOM killer is to take the calling process, and the children that it will
 * have, and not the agent, who tells of it.
 */
void process_offer_to_oom_killer(void);

/*
 * What a forked child does, to its end: exit status 0 when all its tasks are done, 1 with the
 * reason on the stage.
 */
_Noreturn void process_main(const struct process *p);

#endif
