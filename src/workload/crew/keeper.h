/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_KEEPER_H
#define CONTEND_WORKLOAD_CREW_KEEPER_H

#include "workload/crew/process.h"

/*
 * A role that is a guest has one process of the crew, its keeper, whatever mode= says. The keeper
 * executes contend-runner, which loads the file and makes the tasks; it minds those that cannot do
 * it themselves, tells how the runner died, and ends whatever it leaves: as subreaper it gets each
 * process that loses its parent, in whatever group or session that is by then.
 *
 *	agent            supervises
 *	  keeper         waits, listens, minds
 *	    contend-runner   loads, prepares; its threads are the tasks (mode=thread)
 *	      a process a task                                          (mode=process)
 *
 * When the agent dies the keeper gets SIGTERM and ends the rest. When the keeper dies the kernel
 * kills the runner, and with it its tasks (PR_SET_PDEATHSIG), and the agent, a subreaper too, ends
 * the rest.
 */

/* How long it may take to end the rest. */
enum { KEEPER_GRACE_MS = 2000 };

/*
 * Kills whatever is still a child of this process, in whatever group or session, until nothing is
 * or KEEPER_GRACE_MS have passed. It must be a subreaper, and have no children that it wants to
 * keep. Returns how many there were.
 */
int keeper_sweep(void);

/* What the keeper does from fork to exit; false with the reason (or on the stage already). */
bool keeper_perform(const struct process *p, struct error *err);

/* What its guest is at: "testcase_prepare() has not returned"; NULL: nothing that would explain it. */
const char *keeper_doing(const struct stage_map *map);

/*
 * Finds the program. NULL with the reason (ERROR_UNSUPPORTED): there is none. Owned by the caller.
 */
char *keeper_find_runner(struct error *err);

#endif
