/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_ORDER_H
#define CONTEND_STATS_ORDER_H

#include <stddef.h>

/*
 * Intervals for the quantile q of a continuous distribution, between two of n independent values in
 * ascending order. 0 < q < 1, 0 < level < 1.
 */

/* Ranks are counted from 1. */
struct order_ranks {
	size_t low;	 /* 0: unbounded below */
	size_t high;	 /* n + 1: unbounded above */
	double coverage; /* P(low <= X <= high - 1), X binomial (n, q): at least the level */
};

/*
 * The equal-tailed interval: low and high - 1 are the quantiles (1 - level)/2 and (1 + level)/2 of
 * the binomial (n, q); n >= 1.
 */
struct order_ranks order_find_ranks(size_t n, double q, double level);

/*
 * The rank of the quantile q itself among n values: the least one whose share of all, rank / n,
 * reaches q, which is ceil(q n); n >= 1.
 */
size_t order_rank(size_t n, double q);

/*
 * What can be said of the share of further values that exceed all of n independent ones: it is at
 * most 1 - (1 - level)^(1/n) with probability `level`; 0 < level < 1, n >= 1.
 */
double order_exceedance_bound(size_t n, double level);

/*
 * The smallest n whose least and greatest value enclose the quantile with probability `level`:
 * 1 - q^n - (1-q)^n >= level. With q far from one half one of the two terms vanishes, and this is
 * the least n for a finite one-sided bound; for q near one half it asks for a little more.
 */
size_t order_smallest_n_bound(double q, double level);

/* The smallest n for which order_find_ranks() is bounded on both sides. */
size_t order_smallest_n_interval(double q, double level);

#endif
