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
	bool gave_up;	     /* it can do no more */
	const char *why_not; /* why it has no ratio, "has ..."; NULL: look for yourself. Borrowed */
};

/* What is averaged, and how. */
struct overall_of {
	const struct overall_workload *workloads;
	size_t count;
	/*
	 * That all of them have: the mean is of B/A of this metric, and in its direction. NULL:
	 * they differ, and the mean is of by how much worse B is. Borrowed by what is made.
	 */
	const struct metric *metric;
	/* Of the looks, which are taken at so many rounds; NULL: none before the end. */
	const struct sequential_plan *plan;
	double alpha;
	uint64_t seed; /* as of rule_measure() */
};

struct overall {
	size_t workloads;
	char *why_not; /* why there is none: the rest then says nothing; NULL: there is one */
	size_t rounds; /* in which all workloads took part; v.pairs of them have a figure of each */
	/*
	 * The rounds as pairs, with their numbers: the ratio of a round in b, beside 1 in a.
	 * estimate and interval are ratios - 1, of a worsening above 0 where B is worse; rule,
	 * interval and p are those of any metric.
	 */
	struct metric_verdict v;
};

/*
 * That a workload came to rest ends the rounds, and what was found by then stays. The result is the
 * caller's.
 */
struct overall *overall_make(const struct overall_of *of);
void overall_free(struct overall *s);

#endif
