/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_LAB_ROOM_H
#define CONTEND_LAB_ROOM_H

#include "lab/state.h"

/* What a plan has room for: in pairs, and of a budget in time. */

/* The pairs of a plan; 0: any number. */
int64_t room_pairs(const struct experiment *e);

/* Whether the plan has room for another pair of a workload, but for time. */
bool room_for_pair(const struct experiment *e, const struct standing_subject *own);

int64_t room_spent_ns(const struct lab *l);

/* Time left at most; -1 before anything is known. */
int64_t room_left_ns(const struct lab *l);

/* True when a workload goes on, and the plan has room for a pair of it. */
bool room_takes_part(const struct lab *l, size_t subject);

/* The number of the next round: the least pair that is due. INT64_MAX: none is. */
int64_t room_next_round(const struct lab *l);

/* True when the plan has no room for that round. */
bool room_is_up(const struct lab *l, int64_t round);

/*
 * True when it was the time that ended an experiment, which knows nothing of directions: not
 * somebody who gave it another budget, even for a while, or took time from it by stopping it.
 */
bool room_time_is_up(const struct lab *l);

#endif
