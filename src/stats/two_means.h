/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_TWO_MEANS_H
#define CONTEND_STATS_TWO_MEANS_H

#include <stddef.h>

/*
 * The cut of n finite values, n >= 2, into a lower and an upper group that leaves the least sum of
 * squares around the means of the two (Fisher 1958; k-means for k = 2, exact). Any values can be
 * cut so: whether they are two groups is another question (stats/dip.h). Equal values are not
 * parted unless all are equal.
 */
struct two_means {
	size_t lower;	  /* values in the lower group, 1 to n - 1 */
	double low, high; /* medians of the groups */
	double cut;	  /* half way between the groups: the lower one lies at or below it */
};

struct two_means two_means_split(const double *x, size_t n);

#endif
