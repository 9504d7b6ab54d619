/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_GROUP_SEQUENTIAL_H
#define CONTEND_STATS_GROUP_SEQUENTIAL_H

#include <stddef.h>

#include "stats/interval.h"

/*
 * Group-sequential tests of normal data, two-sided and symmetric: a few looks at information times
 * 0 < t_1 < t_2 < ... <= 1 (the share of the planned maximum that is there), at each of which the
 * z of all data so far rejects when |z| >= its bound. The looks share alpha by a spending function
 * (Lan and DeMets 1983), so neither their number nor their times need be known before: a bound
 * depends on the looks up to it and on none that follows. What decides when to look may be anything
 * but the data's direction.
 *
 * z_k sqrt(t_k) is a Brownian motion seen at t_k, with drift: the expected z at t = 1. For the mean
 * of differences with sd s and at most N pairs the drift is effect * sqrt(N) / s. The probabilities
 * come from integrating its density from look to look (Armitage, McPherson and Rowe 1969), to
 * 1e-10.
 */

/* Both are of O'Brien and Fleming's kind: hardly anything early, nearly all of alpha at the end. */
enum group_sequential_spending {
	GROUP_SEQUENTIAL_TWO_SIDED, /* 2 - 2 Phi(z_{1-alpha/2} / sqrt t) */
	GROUP_SEQUENTIAL_PER_SIDE,  /* 4 - 4 Phi(z_{1-alpha/4} / sqrt t): ldbounds, gsDesign LDOF */
};

/* A test: looks at t with bounds z, both of the caller. A bound of INFINITY never rejects. */
struct group_sequential {
	const double *t;
	const double *z;
	size_t looks;
};

/* The share of alpha that may be used up until t, 0 <= t <= 1: 0 at 0, alpha at 1. */
double group_sequential_spent(enum group_sequential_spending spending, double alpha, double t);

/*
 * The bounds at which looks at t[0] < ... < t[looks - 1] <= 1 have spent spent[0] <= ... <=
 * spent[looks - 1] < 1, two-sided: what group_sequential_spent() says, or any other function.
 */
void group_sequential_bounds(const double *t, const double *spent, size_t looks, double *ret_z);

/*
 * The probability that look k is the first to reject, for each look, upper and lower bound together
 * in ret_rejecting (not NULL); returns their sum, the power.
 */
double group_sequential_power(const struct group_sequential *test, double drift,
			      double *ret_rejecting);

#endif
