/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_SHAPE_H
#define CONTEND_JUDGE_SHAPE_H

#include "model/run.h"

/*
 * What the slices of a run (model/slices.h) say of its window. Each of the three figures is 0 on
 * average where the order of the slices has nothing to say, whatever the distribution of their
 * rates; of many runs a test can then ask whether it is.
 */
struct shape {
	/*
	 * The head is the first tenth of the window, one slice at the least. The mean rank of its
	 * slices among all: -1 the lowest there can be, 1 the highest.
	 */
	double head_rank;
	double head_ratio; /* rate in it over the rate of the rest, less 1 */
	int64_t head_ns;
	/*
	 * Of the rest: Kendall's tau in the order of time, and last third over first third, less 1.
	 */
	double trend, trend_ratio;
	/*
	 * Of the rest: the autocorrelation of neighbours, less what it is on average in n values
	 * whose order says nothing, -1/n.
	 */
	double dependence;
	int64_t slice_ns; /* length of a slice of the rest, the mean */
};

/* Fewer slices, or slices of fewer operations on average, have no shape. */
enum { SHAPE_LEAST_SLICES = 8, SHAPE_LEAST_OPERATIONS = 5 };

/* False where the run has not enough slices of that role. */
bool shape_read(const struct run *r, const char *role, struct shape *ret);

#endif
