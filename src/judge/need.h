/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_NEED_H
#define CONTEND_JUDGE_NEED_H

#include "judge/verdict.h"

/*
 * How many pairs an effect needs, for `contend plan` and for the "+N" of an undecided verdict.
 * The differences are taken for normal, and their sd for known.
 */

/* By which rule the pairs will be judged. */
struct need {
	enum need_rule {
		NEED_FIXED, /* `--pairs N`: one sign-flip test at the end */
		NEED_LOOKS, /* at most max_pairs: the e-process, and looks planned for that many */
		NEED_OPEN,  /* the e-process alone */
	} rule;
	size_t max_pairs; /* NEED_LOOKS, at least 1; not above SEQUENTIAL_MOST_PAIRS */
	double level;	  /* of the one test: its share of alpha, above 0 */
	double power;	  /* 0 to 1 */
};

/* The pairs from which the rule can reject, when all differences are alike. */
size_t need_least(const struct need *need);

/*
 * Pairs by which an effect is seen with that power, at least need_least(). effect and sd >= 0 share
 * one unit. Beyond max_pairs the looks are used up, and the e-process goes on with its share.
 * 0: more than PLAN_PAIRS_MAX.
 */
size_t need_pairs(const struct need *need, double effect, double sd);

/*
 * Pairs still needed by a metric: for an effect as large as the estimate, or as the margin if that
 * is larger, to be seen in 80 % of experiments with this spread. At least one more than there are.
 * 0: unknown.
 *
 * d: the differences, v->pairs of them, on v->scale; limit: log1p(margin). Needs v->level > 0 and
 * v->comparisons, and goes by v->rule and v->plan.
 */
int64_t need_more_pairs(const struct metric_verdict *v, const double *d, double limit);

#endif
