/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_OVERALL_H
#define CONTEND_JUDGE_OVERALL_H

#include "judge/verdict.h"

/*
 * One difference for all workloads of an experiment: the geometric mean, over the workloads, of by
 * how much worse B is in the primary of each, B/A or, where higher is better, A/B. Each workload
 * counts alike. A round is a pair of each of them, with the same number; its mean is one figure, so
 * n counts rounds, and no workload makes it larger (stats/rounds.h). It is described and judged by
 * nobody.
 *
 * It is about all workloads that were asked for or about none: one that has no ratio is not left
 * out, for then whatever breaks the worst of them would improve the mean.
 */
struct overall_workload {
	const char *name; /* borrowed, only while it is made */
	struct metric_verdict *primary;
	bool gave_up; /* it can do no more */
};

struct overall {
	size_t workloads;
	char *why_not; /* why there is none: the rest then says nothing; NULL: there is one */
	size_t rounds; /* in which all workloads took part; v.pairs of them have a figure of each */
	/*
	 * The rounds as pairs: the ratio of a round in b, beside 1 in a. estimate and interval are
	 * ratios - 1, above 0 where B is worse; rule, interval and p are those of any metric.
	 */
	struct metric_verdict v;
};

/*
 * plan: of the looks, which are taken at so many rounds; NULL: none is taken before the end. That a
 * workload came to rest ends the rounds, and what was found by then stays. seed: as of
 * rule_measure(). The result is the caller's.
 */
struct overall *overall_make(const struct overall_workload *workloads, size_t count,
			     const struct sequential_plan *plan, double alpha, uint64_t seed);
void overall_free(struct overall *s);

#endif
