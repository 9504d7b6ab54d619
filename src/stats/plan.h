/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_PLAN_H
#define CONTEND_STATS_PLAN_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many pairs, and what they can resolve: planning for the paired t, with its exact power by the
 * noncentral t. sd is that of the differences; effects, half widths, margins and sd share one unit,
 * any. 0 < alpha < 1, 0 < power < 1, sd >= 0 and finite.
 *
 * The planned numbers assume that sd is known. When it comes from a few pairs, plan with
 * plan_upper_sd().
 */

/*
 * What a plan returns when PLAN_PAIRS_MAX pairs are not enough. Larger than every number of pairs.
 */
#define PLAN_UNREACHABLE SIZE_MAX

enum { PLAN_PAIRS_MAX = 1000000 };

/* The power of the two-sided test at alpha with n >= 2 pairs when the true centre is `effect`. */
double plan_power(size_t n, double effect, double sd, double alpha);

/* The smallest n with that power; its sign does not matter, and an effect of 0 is unreachable. */
size_t plan_pairs_for_effect(double effect, double sd, double alpha, double power);

/* The smallest n with t_{1-alpha/2,n-1} sd / sqrt(n) <= half_width, half_width >= 0. */
size_t plan_pairs_for_half_width(double half_width, double sd, double alpha);

/*
 * The smallest n at which, when the true centre is 0, the one-sided bound at 1 - alpha lies below
 * `margin` > 0 with that power (non-inferiority).
 */
size_t plan_pairs_for_margin(double margin, double sd, double alpha, double power);

/*
 * The smallest n at which, when the true centre is 0, both one-sided bounds at 1 - alpha lie within
 * -margin .. margin with that power (equivalence by two one-sided tests: Schuirmann 1987).
 */
size_t plan_pairs_for_equivalence(double margin, double sd, double alpha, double power);

/* The effect that the two-sided test at alpha detects with that power from n >= 2 pairs. */
double plan_detectable_effect(size_t n, double sd, double alpha, double power);

/*
 * The one-sided upper limit, at `level`, of the true sd when that of n >= 2 normal values is sd:
 * sd sqrt((n-1) / chi2_{1-level,n-1}).
 */
double plan_upper_sd(double sd, size_t n, double level);

#endif
