/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_FAMILIES_H
#define CONTEND_JUDGE_FAMILIES_H

#include "judge/verdict.h"

/*
 * Which metrics are one family of claims, and what that makes of their p. In each family the chance
 * of any false rejection is alpha at most, whatever its metrics have to do with each other.
 *
 * Primaries, and under looks the others too: Holm. The others of a plan of pairs: max-T in its
 * step-down form (stats/max_t.h), for the metrics of a workload were measured in the same pairs,
 * and those that move together are then counted nearly as one. Where there are more than two arms,
 * a plan's primaries go by closed tests (closed.h) in each workload, the others by max-T in each
 * arm; what these groups have in common: family_adjust_groups().
 */

/*
 * The primaries of all comparisons, j->comparison_count of them; the list is the caller's. A
 * primary without a figure is still a question that was asked: it keeps its place in the family (p
 * = 1), so that others do not gain by its failure.
 */
struct metric_verdict **families_primaries(const struct judgement *j);

/*
 * The other judged metrics of a workload, of all its arms, *ret_count of them; the list is the
 * caller's.
 */
struct metric_verdict **families_others(const struct judgement *j, size_t subject,
					size_t *ret_count);

/*
 * Fills p_adjusted, comparisons and correction of every judged metric from its p, and from its
 * figures. seed: for Monte Carlo above 20 pairs.
 */
void families_adjust(struct judgement *j, uint64_t seed);

/* The same of a family of whatever its members are: by their p alone (Holm). */
void families_adjust_by_holm(struct metric_verdict **family, size_t count);

/*
 * The differences of several metrics side by side, d[metric * pairs + pair], on the scale of each,
 * NAN where a metric has no figure in the pair. A pair is one in which any of them has one, in the
 * order of their numbers, *ret_numbers; *ret_pairs of them. Matrix and numbers are the caller's.
 */
double *families_differences(struct metric_verdict *const *family, size_t count, size_t *ret_pairs,
			     int64_t **ret_numbers);

/*
 * What a family that was tested once at alpha, at the end of a plan of pairs, leaves of alpha, for
 * ever: alpha less the largest chance of a false rejection that its tests had. Their p are steps,
 * and what lies between alpha and the last step below it was not used. 0: nothing.
 */
double families_level_left(struct metric_verdict *const *family, size_t count, double alpha);

#endif
