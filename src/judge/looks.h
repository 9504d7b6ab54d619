/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_LOOKS_H
#define CONTEND_JUDGE_LOOKS_H

#include "model/experiment.h"
#include "stats/sequential.h"

/*
 * Which looks an experiment has planned. They are fixed before anything is known of the direction
 * of a difference, and what is found here comes from the experiment and its runs alone: whoever
 * takes it up again finds the same.
 */

/*
 * The plan as it was made: for the maximum that was asked for; under PLAN_BUDGET for the pairs that
 * fit into the budget when each takes as long as the first of each workload. How long a pair of
 * runs took is the same with their arms exchanged, so it says nothing of a sign. Without looks (the
 * e-process alone) when there is neither, before the first pairs are whole, and when the budget
 * holds fewer than LOOKS_LEAST_BUDGET; above SEQUENTIAL_MOST_PAIRS for these.
 */
struct sequential_plan looks_plan(const struct experiment *e, const struct entries *runs);

/* docs/method.md has the power of either rule around it. */
enum { LOOKS_LEAST_BUDGET = 8 };

/*
 * The pairs after which the end of the plan came to a workload in an arm and A: with its maximum
 * used up, or with its time. What the looks after the pairs that it has by then would have spent is
 * spent then (sequential_plan_end()). 0: it did not come: it rests, was given up, or goes on.
 */
int64_t looks_end(const struct experiment *e, const struct entries *runs, size_t subject, int arm);

/* The plan for a metric that has `n` figures, `before_end` of them from before that end. */
struct sequential_plan looks_of_metric(const struct sequential_plan *plan, int64_t end,
				       size_t before_end);

/*
 * True while an experiment is to end with its looks, and may end before them where they are futile
 * (judge/futility.h). Whoever gave it more room than it was begun with wants it to go on.
 */
bool looks_may_be_futile(const struct experiment *e);

/* How many of them are behind n differences. */
size_t looks_spent(const struct sequential_plan *plan, size_t n);

#endif
