/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_SEQUENTIAL_PLAN_H
#define CONTEND_STATS_SEQUENTIAL_PLAN_H

#include <stddef.h>
#include <stdint.h>

/* What the rule of sequential.h is planned with, and what it is given. */
enum {
	SEQUENTIAL_PATTERNS = 20000,
	SEQUENTIAL_MOST_LOOKS = 32,
	SEQUENTIAL_MOST_PAIRS = 1000, /* the largest N with looks; the e-process has no bound */
};

struct sequential_plan {
	size_t looks[SEQUENTIAL_MOST_LOOKS]; /* after how many pairs, ascending; the last is N */
	size_t look_count;		     /* 0: the e-process alone, and all of alpha is its */
	size_t max_pairs;		     /* N as planned, which is what spending goes by */
	uint64_t seed;
};

/*
 * The e-process's share of alpha where there are looks as well: just enough for seven differences
 * that are all alike to be rejected at alpha = .05 (E is 38.4 then, 1 / (.525 * .05) = 38.1).
 */
#define SEQUENTIAL_E_PROCESS_SHARE .525

/*
 * The plan for at most max_pairs pairs: looks at every fifth of them from the eighth pair on, and
 * at the end. 0: open-ended, or above SEQUENTIAL_MOST_PAIRS: no looks.
 */
struct sequential_plan sequential_plan(size_t max_pairs, uint64_t seed);

/*
 * The planned end came with n <= max_pairs differences, because pairs were dropped: what the looks
 * after n would have spent is spent at n. Only for an end that the differences had no part in.
 */
void sequential_plan_end(struct sequential_plan *plan, size_t n);

/*
 * The share of alpha that the looks up to number `look`, from 0, may use: the last one all of
 * theirs.
 */
double sequential_share(const struct sequential_plan *plan, size_t look);

/*
 * Differences that came to be measured in another unit: while there were before_count of them or
 * fewer they were looked at as before[] has them, with the next one all went to another unit, in
 * which d has them. Looks and evidence that came before stay as they were. before_count 0: one
 * unit. Magnitudes alone may decide when one changes it.
 */
struct sequential_series {
	const double *d;
	size_t n;
	const double *before;
	size_t before_count;
};

#endif
