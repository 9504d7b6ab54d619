/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_AUTOCORRELATION_H
#define CONTEND_STATS_AUTOCORRELATION_H

#include <stddef.h>

/*
 * How much values that follow each other in time depend on each other. n finite values in that
 * order, n >= 2. Where all are equal there is nothing to say: 0.
 */

/* The autocorrelation at a lag below n, divided by the full sum of squares as R's acf() does. */
double autocorrelation(const double *x, size_t n, size_t lag);

#endif
