/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_FORECAST_H
#define CONTEND_STATS_FORECAST_H

#include <stddef.h>

/*
 * What the rule of sequential.h will need: planning for an experiment that is looked at on the way.
 * The differences are taken for normal with a known sd (plan_upper_sd() when it comes from a few),
 * and only the looks are counted, by the integration of group_sequential.h with bounds of Student's
 * t. What the e-process sees earlier, large effects above all, comes on top: the power is a little
 * more, and the pairs are fewer. effect and sd > 0 share one unit; 0 < alpha < 1.
 */
struct forecast {
	double power; /* two-sided, at alpha */
	double pairs; /* used on average */
};

/* With at most max_pairs pairs, from 1 to SEQUENTIAL_MOST_PAIRS. */
struct forecast forecast(size_t max_pairs, double effect, double sd, double alpha);

/*
 * The smallest max_pairs with that power, 0 < power < 1; 0 when SEQUENTIAL_MOST_PAIRS are not
 * enough. The power falls a little where one more look is added, so a larger number has it but for
 * 1 %.
 */
size_t forecast_max_pairs(double effect, double sd, double alpha, double power);

/*
 * With at most max_pairs pairs, as in forecast(): the look by which that share of experiments, 0 <
 * power < 1, has rejected. 0: not even the last one.
 */
size_t forecast_pairs(size_t max_pairs, double effect, double sd, double alpha, double power);

/*
 * The e-process alone (e_process.h), which has no maximum: by how many pairs that share of
 * experiments has rejected at alpha. 0: by none below PLAN_PAIRS_MAX, as with an effect of under a
 * third of the sd, for which the smallest of its bets is too large.
 *
 * The logarithm of each bet is taken for a Brownian motion with the mean and the variance that the
 * difference gives it, its running maximum has the inverse Gaussian distribution, and the bets are
 * taken to rise and fall together.
 */
size_t forecast_open_pairs(double effect, double sd, double alpha, double power);

/* The smallest effect, in the unit of sd, that is seen with that power, alpha < power, in at most
 * max_pairs pairs. INFINITY: none, so few pairs cannot reject at alpha. */
double forecast_detectable_effect(size_t max_pairs, double sd, double alpha, double power);

#endif
