/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_AUTOCORRELATION_H
#define CONTEND_STATS_AUTOCORRELATION_H

#include <stddef.h>

/*
 * How much values that follow each other in time depend on each other. n finite values in that
 * order, n >= 2. Where all are equal there is nothing to say: 0, 2 and n.
 */

/* The autocorrelation at a lag below n, divided by the full sum of squares as R's acf() does. */
double autocorrelation(const double *x, size_t n, size_t lag);

/*
 * Von Neumann's ratio (1941): the sum of squared differences of neighbours over the sum of squares
 * around the mean. About 2 for independent values, less where neighbours are alike.
 */
double autocorrelation_von_neumann(const double *x, size_t n);

/*
 * As many independent values would know the mean as well: n / (1 + 2 sum rho_l), the sum over pairs
 * of lags for as long as these are positive (Geyer 1992, initial positive sequence). Between 1 and
 * n: negative dependence is not credited.
 */
double autocorrelation_effective_n(const double *x, size_t n);

#endif
