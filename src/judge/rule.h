/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_RULE_H
#define CONTEND_JUDGE_RULE_H

#include "judge/verdict.h"

/*
 * One metric: what the rule makes of its figures by pair (judge/figures.h). rule_measure() fills
 * all but the verdict, which rule_decide() gives once the family's adjusted p is known.
 */

/* The differences by pair on the scale that the figures allow, v->pairs of them. The caller's. */
double *rule_differences(const struct metric_verdict *v);

/* How much a measurement is to say. */
enum rule_depth {
	RULE_WHOLE,
	RULE_GLANCE, /* JUDGE_GLANCE */
};

/*
 * Differences, estimate, p, evidence. Needs v->level, at which the interval is. looks: the rule of
 * v->plan, otherwise those for a planned end. alpha: of the experiment, for the paired t interval.
 * seed: for Monte Carlo above 20 pairs.
 */
void rule_measure(struct metric_verdict *v, bool looks, enum rule_depth depth, double alpha,
		  uint64_t seed);

/*
 * Verdict, bound and pairs still needed. Needs v->p_adjusted and v->comparisons. margin is a ratio.
 * before: what an extension extends, whose verdict stays; NULL: nothing. seed: as above.
 */
void rule_decide(struct metric_verdict *v, double margin, enum judge_when when,
		 const struct metric_verdict *before, uint64_t seed);

/* Is it futile to go on with a metric that rule_decide() left undecided (judge/futility.h)? */
bool rule_is_futile(const struct metric_verdict *v, double margin);

/*
 * The interval of an extension: what neither its own nor the one that was shown before excludes.
 * Together they miss with at most alpha, whenever one stops.
 */
void rule_join(struct metric_verdict *v, const struct metric_verdict *before);

/* How many more pairs, all with the same sign, bring the evidence to 1 / level, at the least. */
int64_t rule_pairs_to_reject(const struct metric_verdict *v, double level);

#endif
