/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_FORECAST_H
#define CONTEND_STATS_FORECAST_H

#include <stddef.h>

/*
 * What the rule of sequential.h will need: planning for an experiment that is looked at on the way.
 * The differences are taken for normal with a known sd (plan_upper_sd() when it comes from a few), and
 * only the looks are counted, by the integration of group_sequential.h with bounds of Student's t. What
 * the e-process sees earlier, large effects above all, comes on top: the power is a little more, and
 * the pairs are fewer. effect and sd > 0 share one unit; 0 < alpha < 1.
 */
struct forecast {
	double power; /* two-sided, at alpha */
	double pairs; /* used on average */
};

/* With at most max_pairs pairs, from 1 to SEQUENTIAL_MOST_PAIRS. */
struct forecast forecast(size_t max_pairs, double effect, double sd, double alpha);

/*
 * The smallest max_pairs with that power, 0 < power < 1; 0 when SEQUENTIAL_MOST_PAIRS are not enough.
 * The power falls a little where one more look is added, so a larger number has it but for 1 %.
 */
size_t forecast_max_pairs(double effect, double sd, double alpha, double power);

#endif
