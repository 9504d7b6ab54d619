/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_DIP_H
#define CONTEND_STATS_DIP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whether values come from more than one heap: Hartigan and Hartigan's dip (Annals of Statistics
 * 13, 1985). The dip is the largest distance between the distribution function of n finite values
 * and the unimodal one that is nearest to it: 1/(2n) for equally spaced values, 1/4 for two distant
 * equal halves.
 *
 * n >= 1; the values need not be in order.
 */
double dip(const double *x, size_t n);

/*
 * How often a sample of n has such a dip, or a larger one, when one mode is all there is: against
 * DIP_DRAWS samples from the uniform distribution, which of all unimodal ones has the largest dips,
 * p = (b + 1)/(B + 1). So it is at most alpha in at most alpha of samples, whatever the shape of
 * the one mode is (for skewed or heavy-tailed ones in far fewer), except that values with coarse
 * steps are heaps. n <= DIP_MOST, 20 ms for n = 40.
 */
enum {
	DIP_DRAWS = 1999,
	DIP_MOST = 10000,
};

double dip_p(const double *x, size_t n, uint64_t seed);

#endif
