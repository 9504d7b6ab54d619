/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_PAIRS_H
#define CONTEND_JUDGE_PAIRS_H

#include "judge/verdict.h"

/* From the runs of a comparison, in whatever order they were stored, to its pairs. */
struct pair {
	int64_t number;
	const struct run *a, *b; /* of A, of the arm compared with it; NULL: not there (yet) */
};

struct pairs {
	struct pair *list; /* by number */
	size_t count;
	int arm; /* the one that is compared with A */
};

void pairs_done(struct pairs *p);

/*
 * Collects the pairs of a comparison whose members are both ok into ret_whole; counts runs,
 * failures and dropped pairs into it. Of a block of more than two arms the runs of the others do
 * not matter, and one in which the arm had no part is no pair. A pair that still lacks a member, or
 * was cut in one, is neither. Runs that were set aside are passed over, and so are pairs numbered
 * `below` or more.
 */
void pairs_collect(const struct entries *runs, int64_t below, struct pairs *ret_whole,
		   struct comparison *c);

#endif
