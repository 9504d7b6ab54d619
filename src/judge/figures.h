/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_FIGURES_H
#define CONTEND_JUDGE_FIGURES_H

#include "judge/pairs.h"
#include "judge/verdict.h"

/*
 * The figures of a metric by pair. Fills those of all pairs, v->a and v->b, with the numbers of the
 * pairs; one without a figure in either arm is refused whole. Needs v->metric.
 */
void figures_collect(const struct pairs *pairs, struct metric_verdict *v);

/* How many of them are of pairs with a smaller number. */
size_t figures_before(const struct metric_verdict *v, int64_t number);

#endif
