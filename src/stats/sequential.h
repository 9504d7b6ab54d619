/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_SEQUENTIAL_H
#define CONTEND_STATS_SEQUENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/e_process.h"
#include "stats/interval.h"

/*
 * The rule for an experiment of at most N pairs that is looked at on the way. Two parts share
 * alpha:
 *
 * - the e-process, which may reject after every pair, at 1 / (its share of alpha). It sees large
 *   effects first, and needs no maximum;
 * - looks at planned numbers of pairs, which see small effects. Each may reject a share of all sign
 *   patterns: its increment of a spending function (group_sequential_spent(), O'Brien-Fleming)
 *   times the looks' share of alpha. Which patterns these are is found by giving the magnitudes
 *   that were seen random signs, the same ones at every look: those with the largest |sum| among
 *   the patterns that neither an earlier look nor the e-process has rejected yet.
 *
 * When both signs of every difference are equally likely, which the coin for the order of a pair
 * sees to, the signs that were seen are one more such pattern. So the looks reject them with at
 * most the probability that they are given, whatever the distribution of the magnitudes is, and the
 * whole rejects with probability alpha at most (union bound). No normality, no correlation between
 * looks is assumed: the patterns have the right one. Up to 2^13 = 8192 all patterns are used,
 * otherwise SEQUENTIAL_PATTERNS random ones, of which the observed is one (as in Phipson and Smyth
 * 2010).
 *
 * A pattern that is rejected at a level is rejected at each larger one. So p, the smallest level at
 * which there is a rejection so far, never rises, and the chance that it ever is u or less is u:
 * Holm's procedure may be used on it at any time. With few pairs a look may be unable to reject.
 *
 * Going on beyond N is allowed: the looks are used up, the e-process goes on.
 *
 * The method of looks is Lan and DeMets' (Biometrika 1983) with the permutation distribution in
 * place of the normal one.
 */
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

enum sequential_part {
	SEQUENTIAL_NOTHING, /* not rejected */
	SEQUENTIAL_E_PROCESS,
	SEQUENTIAL_LOOK,
};

struct sequential {
	double p;		 /* see above; in (0, 1] */
	enum sequential_part by; /* what rejected at alpha first */
	size_t rejected_at;	 /* after how many pairs; 0 when not rejected */
	/*
	 * On which side of theta the differences were for the part that rejected, then: 1 above, -1
	 * below; 0 when not rejected. Whatever comes later leaves it as it is.
	 */
	int side;
	double e_process_largest; /* E so far */
};

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

/*
 * Tests d[0..n-1], finite, in order, n >= 1: H0 is that the centre is theta (E_PROCESS_TWO_SIDED)
 * or that it is theta or larger (E_PROCESS_SMALLER: non-inferiority when d is worsening and theta
 * the margin). p <= alpha exactly when it is rejected at alpha. About 10 ms at 40 pairs.
 */
struct sequential sequential_test(const struct sequential_plan *plan, const double *d, size_t n,
				  double theta, enum e_process_side side, double alpha);

/* The same for a series that may have changed its unit: then theta is 0. */
struct sequential sequential_test_series(const struct sequential_plan *plan,
					 const struct sequential_series *series, double theta,
					 enum e_process_side side, double alpha);

/* The same without p, for who has many to do: after how many pairs it is rejected, 0: it is not. */
size_t sequential_rejected_at(const struct sequential_plan *plan, const double *d, size_t n,
			      double theta, enum e_process_side side, double alpha);

/*
 * The interval that the rule justifies whenever one stops: the theta that it has not rejected so
 * far in its two-sided form. It holds 0 exactly when 0 is not rejected, unless some theta on both
 * sides of 0 is not rejected although 0 is: then it is their hull. Returns false, and leaves
 * *ret_interval alone, when every theta is rejected: the differences drifted.
 *
 * An end is found to 1e-5 of the interval, going inwards from the end of the interval of the
 * e-process part in steps of 1/16 of the way to the median: what lies isolated between two rejected
 * steps is passed over. About 20 ms at 40 pairs.
 */
bool sequential_interval(const struct sequential_plan *plan, const double *d, size_t n,
			 double alpha, struct interval *ret_interval);

/*
 * The share of alpha that the looks up to number `look`, from 0, may use: the last one all of
 * theirs.
 */
double sequential_share(const struct sequential_plan *plan, size_t look);

#endif
