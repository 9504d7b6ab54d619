/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_SEQUENTIAL_H
#define CONTEND_STATS_SEQUENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/e_process.h"
#include "stats/interval.h"
#include "stats/sequential_plan.h"

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

#endif
