/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_QUANTILES_H
#define CONTEND_STATS_QUANTILES_H

#include <stddef.h>

#include "stats/interval.h"
#include "stats/order.h"

/*
 * Quantiles of many values at once, exact and without sorting them: time and memory grow with n,
 * whatever the values and their order are. Ten million take a tenth of a second.
 *
 * The values must be finite (no NAN, no infinity) and n at least 1: anything else is a bug of the
 * caller. They are only read, and each has the unit of the data.
 */

struct quantile {
	double q;		  /* asked for, 0 < q < 1 */
	double value;		  /* that of rank ceil(q n) from below: one of the data */
	struct order_ranks ranks; /* of the interval */
	/*
	 * For the quantile of the distribution, were the values independent draws from it: between
	 * those of two ranks, at the exact level ranks.coverage or, with ties, more.
	 */
	struct interval interval;
};

struct quantiles {
	double min, max, mean;
};

/*
 * Finds `count` quantiles, whose q the caller has set in the list, in any order, each with its
 * interval at `level` (order_find_ranks()), and what the values are like besides. NULL for ret:
 * only the quantiles.
 */
void quantiles_find(const double *x, size_t n, double level, struct quantile *list, size_t count,
		    struct quantiles *ret);

/* The values of `count` ranks, from 1 (the least) to n, in any order, repeated or not. */
void quantiles_select(const double *x, size_t n, const size_t *ranks, size_t count,
		      double *ret_values);

#endif
