/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_MAX_T_H
#define CONTEND_STATS_MAX_T_H

#include <stddef.h>
#include <stdint.h>

/*
 * The joint sign-flip test of several metrics that were measured in the same pairs: every sign
 * pattern is applied to all of them at once, and a metric's
 *
 *	r = |sum d| / sqrt(sum d^2)
 *
 * is compared with the largest r that any metric reaches under each pattern (Westfall and Young's
 * max-T). Metrics that move together are so counted nearly as one, where Holm counts each.
 * Step-down: the metric with the largest r is compared with the largest of all, the next with the
 * largest of all but that one, and so on, and no adjusted p is smaller than one before it. The
 * chance of any false rejection is alpha at most, whatever the metrics have to do with each other,
 * when under H0 both signs of a whole pair are equally likely.
 *
 * r has the order of |t| for one number of pairs, is never infinite, and is 0 where all d are. A
 * metric may be missing in some pairs: there it takes no part, whatever the sign. With pairs
 * missing the r of different metrics are still of one kind (each has mean square 1 over the
 * patterns).
 *
 * Up to MAX_T_EXACT_PAIRS all patterns count. Above, MAX_T_DRAWS random ones and the observed one
 * do: p = (b + 1)/(B + 1). Ties count as reaching. 0.1 s for 25 metrics of 20 pairs.
 */
enum {
	MAX_T_EXACT_PAIRS = 20,
	MAX_T_DRAWS = 99999,
};

/*
 * d[metric * pairs + pair], finite, or NAN where the metric is missing in the pair; pairs >= 1. The
 * adjusted p go to ret_p[metric]. A metric without any pair, or with zeros only, gets 1. The seed
 * is used above MAX_T_EXACT_PAIRS only.
 */
void max_t_adjust(const double *d, size_t metrics, size_t pairs, uint64_t seed, double *ret_p);

#endif
