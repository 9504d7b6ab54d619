/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_SUMMARY_H
#define CONTEND_STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Summaries of n doubles. Each has the unit of the data. The data must be finite and n at least 1
 * (2 for the sd): anything else is a bug of the caller. They hold over the whole range of a double
 * (no square or sum overflows or underflows on the way), and values that are all equal have exactly
 * that value as their mean and exactly 0 as their sd, whatever the rounding of their sum.
 */

/* Whether no value is infinite or NAN. */
bool summary_is_finite(const double *x, size_t n);

/*
 * A power of two that brings the largest magnitude near 1, for who squares: multiplying by it is
 * exact, except that values 300 orders of magnitude below the largest vanish, as they would in any
 * sum with it. Its inverse is a double too.
 */
double summary_scale(const double *x, size_t n);

double summary_min(const double *x, size_t n);
double summary_max(const double *x, size_t n);
double summary_mean(const double *x, size_t n);

/*
 * Sample standard deviation, divisor n - 1; n >= 2. +INFINITY where it is itself above the largest
 * double, as it is for DBL_MAX and -DBL_MAX.
 */
double summary_sd(const double *x, size_t n);

/* The middle value, or the mean of the two middle ones. */
double summary_median(const double *x, size_t n);

/* The same in linear time without a copy: reorders x, whose values may be +INFINITY here. */
double summary_median_in_place(double *x, size_t n);

/* The k-th smallest value, k from 0, in linear time: reorders x, whose values may be infinite. */
double summary_select_in_place(double *x, size_t n, size_t k);

/*
 * The quantile q in [0, 1] by linear interpolation between the order statistics around position
 * (n - 1) q, counted from 0: definition 7 of Hyndman and Fan 1996, R's default.
 */
double summary_quantile(const double *x, size_t n, double q);

#endif
