/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_HODGES_LEHMANN_H
#define CONTEND_STATS_HODGES_LEHMANN_H

#include <stddef.h>

/*
 * The estimate of Hodges and Lehmann (Annals of Mathematical Statistics 1963): the median of the
 * means of all pairs of values, each with itself too. Of normal values it is nearly as good as the
 * mean, of values with heavy tails much better; a few values far from the rest hardly move it. In
 * the unit of the data, which are finite; n >= 1. The cost grows with n log n.
 */
double hodges_lehmann(const double *x, size_t n);

#endif
