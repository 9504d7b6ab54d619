// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/need.h"

#include <math.h>

#include "stats/e_process.h"
#include "stats/plan.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

/* The pairs from which the rule can reject at a level: with differences all alike. */
static size_t least_pairs(enum judge_rule rule, double level)
{
	struct e_process process __cleanup(e_process_done) = {0};
	size_t least = JUDGE_LEAST_PAIRS;

	if (rule != RULE_E_PROCESS) {
		while (least < SIGN_FLIP_EXACT_PAIRS && sign_flip_smallest_p(least) > level)
			least++;
		return least;
	}
	e_process_init(&process, 0, E_PROCESS_TWO_SIDED);
	while (e_process_max(&process) < 1 / level)
		e_process_push(&process, 1);
	return process.n > least ? process.n : least;
}

int64_t need_pairs(const struct metric_verdict *v, const double *d, double limit)
{
	double share = v->level / (double)v->comparisons;
	double effect = fabs(v->rule == RULE_E_PROCESS ? summary_median(d, v->pairs)
						       : summary_mean(d, v->pairs));
	size_t least, need = 0;

	/* Jointly all of the level is the first one's that rejects. */
	least = least_pairs(v->rule, v->correction == CORRECTION_MAX_T ? v->level : share);
	if (v->scale == SCALE_LOG)
		effect = fmax(effect, limit);
	if (v->pairs >= 2)
		need = plan_pairs_for_effect(effect, v->spread, share, 0.8);
	if (need == PLAN_UNREACHABLE)
		return 0;
	if (need < least)
		need = least;
	return need > v->pairs ? (int64_t)(need - v->pairs) : 1;
}
