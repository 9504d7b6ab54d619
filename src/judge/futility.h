/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_FUTILITY_H
#define CONTEND_JUDGE_FUTILITY_H

#include "judge/verdict.h"

/*
 * Whether the rest of a plan with looks is worth its time. The chance that the metric is improved,
 * regressed or cleared after all of its pairs, given those that there are, for differences that go
 * on with a mean up to FUTILITY_ERRORS standard errors better or worse than theirs, whichever gives
 * the best chance; the differences are taken for normal, with the sd that they have. Where that is
 * below FUTILITY_CHANCE it is futile to go on.
 *
 * It costs nothing in false verdicts, for who ends as undecided claims nothing, and it spends no
 * look. What it costs in power is in docs/method.md.
 */
#define FUTILITY_CHANCE .1
#define FUTILITY_ERRORS 1.5

/*
 * d: the differences, v->pairs of them, on v->scale; limit: log1p(margin). Needs v->level, v->plan
 * and v->comparisons. 1 where nothing can be said: few pairs, all alike, no looks left.
 */
double futility_chance(const struct metric_verdict *v, const double *d, double limit);

#endif
