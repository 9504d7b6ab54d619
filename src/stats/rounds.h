/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_ROUNDS_H
#define CONTEND_STATS_ROUNDS_H

#include <stddef.h>

/*
 * One difference for several workloads. A round is one pair of each of them; its figure is the mean
 * over the workloads of d = log(b/a), so exp() of it is their geometric mean ratio.
 *
 * What is estimated is the centre of that mean for the declared workloads, each with the same
 * weight: nothing is said about others. The round is the unit: n is the number of rounds, whatever
 * the number of workloads, so more workloads do not sharpen anything by being counted. A workload
 * twice says what it said once; one that changes nothing and has no noise shrinks estimate and
 * interval alike, and leaves p as it was. The test and interval are those of sign_flip.h or
 * sequential.h on the rounds: both signs of a round are equally likely under H0 also when its
 * workloads depend on each other, or when each had a coin of its own.
 */

/*
 * d[workload * rounds + round], NAN where a pair is missing. A round with anything missing is left
 * out, for the mean of the others would be of other workloads. The means go to ret_means, in order;
 * returns their number, at most `rounds`. workloads >= 1.
 */
size_t rounds_average(const double *d, size_t workloads, size_t rounds, double *ret_means);

#endif
