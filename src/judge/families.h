/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_FAMILIES_H
#define CONTEND_JUDGE_FAMILIES_H

#include "judge/judge.h"

/* Which metrics are one family of claims, and what that makes of their p. */

/*
 * The primaries of all workloads, j->subject_count of them; the list is the caller's. A primary
 * without a figure is still a question that was asked: it keeps its place in the family (p = 1), so
 * that others do not gain by its failure.
 */
struct metric_verdict **families_primaries(const struct judgement *j);

/* The other judged metrics of a workload, *ret_count of them; the list is the caller's. */
struct metric_verdict **families_others(const struct subject_verdict *v, size_t *ret_count);

/* Fills p_adjusted and comparisons of every judged metric from its p. */
void families_adjust(struct judgement *j);

#endif
