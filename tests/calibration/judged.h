/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_CALIBRATION_JUDGED_H
#define CONTEND_TESTS_CALIBRATION_JUDGED_H

#include "judge/judge.h"

/*
 * What the judge itself makes of figures that were made up: they become the records of runs of one
 * workload with one metric, smaller is better, margin 2 %, and judge() has no way to tell.
 */

/*
 * Pairs of figures above 0, to nine digits. The plan is PLAN_PAIRS or PLAN_DECIDED, of at most
 * `pairs`; n of them were run. The judgement is the caller's and valid until the next call.
 */
struct judgement *judged(enum plan plan, size_t pairs, const double *a, const double *b, size_t n,
			 enum judge_when when);

/*
 * What a verdict claims: 1 B is slower (also where that is within the margin), -1 faster, 0
 * nothing.
 */
int judged_claim(const struct metric_verdict *v);

#endif
