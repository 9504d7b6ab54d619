/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_TASK_H
#define CONTEND_WORKLOAD_CREW_TASK_H

#include "workload/crew/delay.h"
#include "workload/crew/pace.h"
#include "workload/crew/stage.h"

/* One task, private to its thread: nothing in it shares a cache line with another task. */
struct task {
	struct worker worker;
	const struct stage_map *map;
	const struct placement *placement;
	size_t role;
	int cpu;
	int nice;
	struct slot *slot;
	/* Besides worker.series, by operation; NULL where there is none. */
	struct raw *raws[OPERATION_MAX];
	struct histogram *own[OPERATION_MAX];
	struct raw *own_raws[OPERATION_MAX];
	int64_t began_ns; /* when the operation at hand really began */
	struct pace pace;
	struct delay delay;
};

/* Allocates: in the process's first thread, or each thread would get a malloc arena of its own. */
void task_init(struct task *t, const struct cast *cast, const struct stage_map *map,
	       const struct placement *placement, size_t role, unsigned int number);

/* Moves it to where it will run: the stack of its thread. */
void task_move(struct task *to, const struct task *from);

/* Goes to the task's CPU and makes everything that it records into ready to be written. */
bool task_settle(struct task *t, struct error *err);

/* From the gate to the end of the window. False where the loop ended on its own. */
bool task_perform(struct task *t, struct error *err);

/* Pins the calling thread. */
bool task_pin(int cpu, struct error *err);

/* Looks whether a thread that is on a CPU can leave the one it was put on, and keeps if it can. */
void task_check_pinned(const struct task *t, pid_t tid, int cpu, enum stray when);

#endif
