/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_RULE_H
#define CONTEND_JUDGE_RULE_H

#include "judge/judge.h"
#include "judge/pairs.h"

/*
 * One metric: its figures by pair, and what the rule makes of them. rule_measure() fills all but the
 * verdict, which rule_decide() gives once the family's adjusted p is known.
 */

/* Figures of all pairs in v->a and v->b; a pair without one in either arm is refused whole. */
void rule_collect(const struct pairs *pairs, struct metric_verdict *v);

/*
 * Differences, estimate, p, evidence. looks: the e-process, otherwise the rules for a planned end.
 * alpha: of the experiment. seed: for Monte Carlo above 20 pairs.
 */
void rule_measure(struct metric_verdict *v, bool looks, double alpha, uint64_t seed);

/*
 * Verdict, bound and pairs still needed. Needs v->p_adjusted and v->comparisons. margin is a ratio.
 */
void rule_decide(struct metric_verdict *v, double alpha, double margin, enum judge_when when);

#endif
