/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_SLICES_H
#define CONTEND_WORKLOAD_CREW_SLICES_H

#include "workload/crew/stage.h"

/*
 * How the operations of each role were spread over the window: the supervisor wakes at some moments
 * of it and reads what the tasks have counted by then, while they go on counting. They do nothing
 * for it. What it costs them is the supervisor's time on the CPU of one of them, a few us a moment,
 * and that the line of a tally is fetched back once.
 */

/* Slices of a window. In a short one there are fewer, none in one too short for SLICES_LEAST. */
enum { SLICES_WISHED = 20, SLICES_LEAST = 4, SLICE_LEAST_MS = 10 };

struct slices {
	const struct cast *cast;
	const struct placement *placement;
	const struct stage_map *map;
	int64_t begin_ns;
	int64_t step_ns;
	int64_t last_ns; /* when the last moment was */
	int64_t due_ns;	 /* when to call slices_read() next; INT64_MAX: not at all */
	size_t moments;
	struct slice_moment {
		int64_t at_ns[ROLE_MAX]; /* since begin_ns, of each role when it was read */
		uint64_t operations[ROLE_MAX];
	} list[SLICES_WISHED + 1];
};

#define SLICES_NONE                                                                                \
	{                                                                                          \
		.due_ns = INT64_MAX                                                                \
	}

/*
 * The operations of a role that succeeded, while or after they are counted; without parts of
 * others.
 */
uint64_t slices_successes(const struct role *role, const struct tally *tally);

/* The window has begun for all tasks, and is as long as said. What is given must outlive s. */
void slices_begin(struct slices *s, const struct cast *cast, const struct placement *placement,
		  const struct stage_map *map, int64_t window_ns);

/* One moment: at due_ns, or later. */
void slices_read(struct slices *s);

/* The last moment, before the tasks are told to stop. */
void slices_end(struct slices *s);

/*
 * Adds `slices` to a run's record, an object for each role that has tasks; where there are none,
 * nothing.
 */
void slices_record(const struct slices *s, json_t *record);

#endif
