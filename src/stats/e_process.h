/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_E_PROCESS_H
#define CONTEND_STATS_E_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/interval.h"

/*
 * The sign-flip e-process: evidence about the centre of symmetric differences that may be looked at
 * after every one of them. With x_i = d_i - theta, s_i = median(|x_1|..|x_i|), z_i = x_i / s_i,
 *
 *	E_n = mean over lambda in {.5, 1, 2, 4} and both signs of
 *	      prod exp(+-lambda z_i)/cosh(lambda z_i)
 *
 * Each z_i is fixed when its difference arrives. Given the past and |x_i|, both signs of z_i are
 * equally likely when d is symmetric about theta, and then every factor has mean 1: E is a
 * non-negative martingale that starts at 1, and the chance that it ever reaches 1/alpha is at most
 * alpha (Ville). No more than 2^(n-1) is possible after n differences, so 20 takes six of them.
 *
 * s_i is the median of the non-zero magnitudes when the median of all is 0, and while all of them
 * are 0 there is no evidence: factor 1.
 *
 * Against smaller centres only (E_PROCESS_SMALLER) the mean is over the minus signs. This E bounds
 * its level for every centre >= theta, not only at theta: z_i rises with x_i, so moving the centre
 * up can only lower each factor. For larger centres push -d with -theta.
 */
enum e_process_side {
	E_PROCESS_TWO_SIDED, /* H0: the centre is theta */
	E_PROCESS_SMALLER,   /* H0: the centre is theta or larger; evidence that it is smaller */
};

enum { E_PROCESS_BETS = 4 };

struct e_process {
	double theta;
	enum e_process_side side;
	size_t n, zeros, capacity;
	double *magnitudes; /* |x_1|..|x_n|, ascending */
	double log_up[E_PROCESS_BETS], log_down[E_PROCESS_BETS];
	double log_value, log_max;
	double z; /* of the last difference; 0 where it was no evidence */
};

/* The lambdas: {.5, 1, 2, 4}. exp(+-lambda z)/cosh(lambda z) is 1 +- tanh(lambda z). */
extern const double e_process_lambdas[E_PROCESS_BETS];

/* Starts at n = 0 with E = 1. theta is finite and in the unit of the differences to come. */
void e_process_init(struct e_process *e, double theta, enum e_process_side side);
void e_process_done(struct e_process *e);

/*
 * Takes the next difference (d and d - theta finite) and returns E_n, which is +INFINITY above the
 * largest double.
 */
double e_process_push(struct e_process *e, double d);

/*
 * Goes on in another unit, theta being 0: d are the n differences so far as they would have been in
 * it. The evidence stays as it was won; only the magnitudes with which later differences are
 * compared change. E stays a martingale as long as nothing but magnitudes decides when one does
 * this.
 */
void e_process_change_unit(struct e_process *e, const double *d, size_t n);

/*
 * E_n as it stands, the largest so far, and the anytime p = min(1, 1 / largest E), always above 0.
 */
double e_process_value(const struct e_process *e);
double e_process_max(const struct e_process *e);
double e_process_p(const struct e_process *e);

/*
 * The interval that is valid whenever one stops: the hull of all theta for which the two-sided
 * e-process on d - theta has not reached 1/alpha at any of 1..n. In the unit of d, unbounded on a
 * side where no theta is excluded from some point on.
 *
 * Returns false, and leaves *ret_interval alone, when every theta is excluded: then the differences
 * have no common centre at this level (they drifted).
 *
 * The hull can contain a theta that is itself excluded, also 0, because E is not unimodal in theta;
 * whether 0 is excluded is for e_process_p() to say. An end is too far out by at most 1e-7 of the
 * range of d, and never too far in. Differences nearer to each other than 1e-12 of the largest
 * magnitude count as equal. The cost grows with n^2: 2 ms for n = 40, 10 ms for 100.
 */
bool e_process_interval(const double *d, size_t n, double alpha, struct interval *ret_interval);

#endif
