/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_MINDER_H
#define CONTEND_WORKLOAD_CREW_MINDER_H

#include "workload/crew/task.h"

/*
 * A task that never looks up from its loop cannot begin and end its own window; a minder does that
 * for it, from another process: no signal, which would interrupt a system call of the task, and no
 * thread in its mm, which would make that one of several threads (atomic where it was not, with TLB
 * flushes of other CPUs). The minder is a thread on the CPU of the task and sleeps. When it wakes
 * at an edge of the window the task is off that CPU, so that what it has counted, its CPU time as
 * the scheduler accounted it, and the clock belong to one moment. It costs the task two preemptions
 * a run, of which no more than the return from the first is inside of the window.
 */

/*
 * From the gate to the end of the window of one task of a guest; t: initialised for it, and in a
 * thread of its own. False with the reason: it has ended, or cannot be looked at.
 */
bool minder_perform(struct task *t, struct error *err);

#endif
