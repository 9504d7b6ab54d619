/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_LAB_STANDING_H
#define CONTEND_LAB_STANDING_H

#include "model/experiment.h"

/*
 * Where an experiment stands, from its runs alone: which pairs are whole. A pair, with more than
 * two arms a block, is whole when the runs of all arms that it has have ended, however they did,
 * but for an interrupt; the runs of others are its rests.
 */
struct standing {
	struct standing_subject {
		bool *whole; /* by number of the pair */
		int64_t room;
		int64_t next;  /* the least number that is not whole, and not below e->looked */
		int64_t pairs; /* that are whole */
		int64_t longest_ns; /* the longest pair; 0: none, or not known */
	} *subjects;
	size_t subject_count;
	int64_t spent_ns; /* in runs, those set aside too: */
	int64_t lost_ns;
};

void standing_init(struct standing *s, const struct experiment *e, const struct entries *runs);
void standing_done(struct standing *s);

/* A pair has become whole. */
void standing_add(struct standing *s, size_t subject, int64_t pair);

/* The largest `next`: how many pairs those workloads have that never were given up. */
int64_t standing_pairs(const struct standing *s);

/*
 * Sets aside the runs of pairs that are not whole; their ids go to *ret_ids, the caller's, and the
 * result is how many.
 */
size_t standing_set_aside(struct standing *s, struct entries *runs, int64_t **ret_ids);

#endif
