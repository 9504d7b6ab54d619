/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_NEED_H
#define CONTEND_JUDGE_NEED_H

#include "judge/judge.h"

/*
 * Pairs still needed: for an effect as large as the estimate, or as the margin if that is larger, to
 * be seen in 80 % of experiments with this spread. At least one more than there are, and as many
 * as the rule can reject with. 0: unknown.
 *
 * d: the differences, v->pairs of them, on v->scale; limit: log1p(margin). Needs v->level > 0 and
 * v->comparisons.
 */
int64_t need_pairs(const struct metric_verdict *v, const double *d, double limit);

#endif
