/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_PAIRS_H
#define CONTEND_JUDGE_PAIRS_H

#include "judge/judge.h"

/* From the runs of a subject, in whatever order they were stored, to its pairs. */
struct pair {
	int64_t number;
	const struct run *run[ARM_COUNT]; /* NULL: not there (yet) */
};

struct pairs {
	struct pair *list; /* by number */
	size_t count;
};

void pairs_done(struct pairs *p);

/*
 * Collects the pairs of a subject whose members are both ok into ret_whole; counts runs, failures
 * and dropped pairs into verdict. A pair that still lacks a member, or was cut in one, is neither.
 * Runs that were set aside are passed over, and so are pairs numbered `below` or more.
 */
void pairs_collect(const struct entries *runs, size_t subject, int64_t below,
		   struct pairs *ret_whole, struct subject_verdict *verdict);

#endif
