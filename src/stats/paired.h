/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_PAIRED_H
#define CONTEND_STATS_PAIRED_H

#include <stddef.h>

#include "stats/interval.h"

/*
 * Student's paired t on n differences d: finite doubles, n >= 1, in any one unit, which is also the
 * unit of estimates and bounds. 0 < alpha < 1.
 */

enum paired_kind {
	PAIRED_ORDINARY,  /* everything below holds */
	PAIRED_SINGLE,	  /* one pair: an estimate, and no way to know its spread */
	PAIRED_IDENTICAL, /* every difference is 0 */
	PAIRED_CONSTANT,  /* every difference is the same value other than 0 */
};

/*
 * Without a spread there is no t, and an infinite one would call three equal differences a proof.
 * So sd, t and df say something only for PAIRED_ORDINARY and are 0 otherwise, and p and interval
 * then are those of the exact sign-flip test, which assumes no spread:
 *
 * kind       p      interval
 * SINGLE     1      unbounded
 * IDENTICAL  1      [0, 0] if 2/2^n <= alpha, otherwise unbounded
 * CONSTANT   2/2^n  [estimate, estimate] if 2/2^n <= alpha, otherwise unbounded
 */
struct paired {
	enum paired_kind kind;
	size_t n;
	double estimate;	  /* mean of d */
	double sd;		  /* sample sd of d, divisor n - 1 */
	double t;		  /* estimate / (sd / sqrt(n)) */
	double df;		  /* n - 1 */
	double p;		  /* two-sided */
	struct interval interval; /* at level 1 - alpha: estimate -+ t_crit sd / sqrt(n) */
};

struct paired paired_test(const double *d, size_t n, double alpha);

/*
 * The one-sided bound at level 1 - alpha: the centre of d is above it in at most alpha of
 * experiments. The mean plus t_{1-alpha,n-1} sd / sqrt(n). Infinite for a single pair; for
 * differences without spread their value if 2^-n <= alpha, otherwise infinite.
 */
double paired_upper_bound(const double *d, size_t n, double alpha);

#endif
