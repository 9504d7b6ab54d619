/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_DISTRIBUTION_H
#define CONTEND_STATS_DISTRIBUTION_H

#include <stddef.h>

/*
 * Tails and quantiles of the distributions that the rest of this folder needs. The numbers are R's
 * own: this is the only door to libRmath (R Core Team, package r-mathlib).
 *
 * Not thread-safe: libRmath keeps static state in several of its functions and promises nothing
 * about the others. It also reports a loss of precision by printf() to standard output, so the
 * functions below ask only in ways for which it has nothing to say.
 *
 * Probabilities lie strictly between 0 and 1, degrees of freedom are at least 1; anything else is a
 * bug of the caller. The results are never NAN.
 */

/* P(Z > z) for the standard normal, in full relative accuracy far out; z is not NAN. */
double distribution_normal_above(double z);

/* The value that the standard normal exceeds with probability tail, which may be 1e-300. */
double distribution_normal_critical(double tail);

/* P(|T| >= |t|) for Student's t with df degrees of freedom; t is finite. */
double distribution_t_two_sided(double t, double df);

/* The value that Student's t exceeds with probability tail; positive for a tail below one half. */
double distribution_t_critical(double tail, double df);

/*
 * P(T > t) for the noncentral t, t > 0. An infinite noncentrality is its limit. Absolute error
 * about 1e-12 (algorithm AS 243) for |noncentrality| <= 37.62; beyond that Rmath changes to a
 * normal approximation, which matters only for df of 1 or 2, where a power short of 1 can lie out
 * there.
 */
double distribution_noncentral_t_upper(double t, double df, double noncentrality);

/* The smallest k with P(X <= k) >= p, X the number of successes in n trials of probability q. */
size_t distribution_binomial_quantile(double p, size_t n, double q);

/* P(X < k), X the number of successes in n trials of probability q; 0 for k = 0. */
double distribution_binomial_below(size_t k, size_t n, double q);

/* P(F > f) for Fisher's F, f >= 0, INFINITY allowed. */
double distribution_f_above(double f, double df1, double df2);

/* The value that chi-square with df degrees of freedom stays below with probability p. */
double distribution_chi_square_quantile(double p, double df);

#endif
