/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_MANN_KENDALL_H
#define CONTEND_STATS_MANN_KENDALL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The Mann-Kendall test for a trend (Mann 1945, Kendall 1938): did n values, in the order of time,
 * tend to rise or to fall? It takes no shape of the trend and no distribution of the values.
 */

/* Up to as many values p is exact, above it is the normal approximation. */
enum { MANN_KENDALL_EXACT = 50 };

struct mann_kendall {
	size_t n;
	double s;   /* pairs that rise less pairs that fall */
	double tau; /* Kendall's tau-b, -1 (all fall) to 1; 0 where all values are equal */
	double p;   /* two-sided; 1 where all values are equal */
	bool exact;
};

/*
 * x: n >= 1 finite values in the order of time.
 *
 * The exact p is the share of all orders of these very values, ties included, whose |S| is as
 * large. The number of falling pairs in a random order of a multiset is the sum of independent
 * Mann-Whitney U, one for each group of equal values against those counted before it, and has the
 * q-multinomial coefficient as its generating function. Above MANN_KENDALL_EXACT values
 * z = (|S| - 1) / sqrt(V), V with the correction for ties.
 */
struct mann_kendall mann_kendall_test(const double *x, size_t n);

#endif
