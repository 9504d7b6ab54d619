/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_CURVE_H
#define CONTEND_JUDGE_CURVE_H

#include "judge/judge.h"
#include "judge/overall.h"

/*
 * A curve in an arm against A (docs/method.md). Its points are judged as several workloads are;
 * here is what is said of them together. No exit status goes by it.
 *
 * The mean: of B/A of the primary, the geometric mean over the points, a figure a round. The means
 * of all curves and arms are one family.
 *
 * The scaling of a point: its primary over that of the first point, of a rate over so many times
 * that of the first point as there are more tasks, so that 1 is as good as it gets. Both are of the
 * same round, so n counts rounds. Its change is that of the point less that of the first one: it is
 * not zero where the arms scale in different ways. The scalings of a curve in an arm are a family.
 */
struct curve_verdict {
	const struct curve *curve; /* borrowed from the experiment */
	int arm;
	struct overall *mean; /* v.primary is false, and v has its verdict */
	struct metric scaling;
	struct metric_verdict *scalings; /* of the points from the second on */
	size_t scaling_count;		 /* curve->count - 1 */
};

/* Which comparisons of a judgement are judged, and how; plan: as of struct overall_of. */
struct curve_terms {
	const struct experiment *e;
	enum judge_when when;
	const struct sequential_plan *plan;
};

/* Makes and judges the curves of a judgement whose comparisons have their verdicts. */
void curves_judge(const struct curve_terms *terms, struct judgement *j);
void curves_free(struct curve_verdict *curves, size_t count);

/* That of a curve in an arm; NULL: there is none. */
const struct curve_verdict *curve_verdict_of(const struct judgement *j, const struct curve *c,
					     int arm);

/* The comparison of a point, counted from 0, in an arm. */
struct comparison *curve_comparison(const struct judgement *j, const struct experiment *e,
				    const struct curve *c, size_t point, int arm);

#endif
