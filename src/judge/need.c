// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/need.h"

#include <assert.h>
#include <math.h>

#include "stats/e_process.h"
#include "stats/forecast.h"
#include "stats/hodges_lehmann.h"
#include "stats/plan.h"
#include "stats/sequential.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

/* What the e-process may use of the level. */
static double open_level(const struct need *need)
{
	return need->rule == NEED_LOOKS ? need->level * SEQUENTIAL_E_PROCESS_SHARE : need->level;
}

static size_t least_of_e_process(double level)
{
	struct e_process process __cleanup(e_process_done) = {0};

	e_process_init(&process, 0, E_PROCESS_TWO_SIDED);
	while (e_process_max(&process) < 1 / level)
		e_process_push(&process, 1);
	return process.n;
}

size_t need_least(const struct need *need)
{
	/* With looks too: where the e-process cannot reject no look has so many patterns. */
	size_t least = need->rule == NEED_FIXED ? sign_flip_least_pairs(need->level)
						: least_of_e_process(open_level(need));

	return least > JUDGE_LEAST_PAIRS ? least : JUDGE_LEAST_PAIRS;
}

static size_t pairs_for(const struct need *need, double effect, double sd)
{
	size_t pairs = 0;

	if (need->rule == NEED_FIXED) {
		pairs = plan_pairs_for_effect(effect, sd, need->level, need->power);
		return pairs == PLAN_UNREACHABLE ? 0 : pairs;
	}
	if (need->rule == NEED_LOOKS)
		pairs = forecast_pairs(need->max_pairs, effect, sd, need->level, need->power);
	if (pairs)
		return pairs;
	pairs = forecast_open_pairs(effect, sd, open_level(need), need->power);
	/* Before that the looks would have seen it. */
	return need->rule == NEED_LOOKS && pairs && pairs <= need->max_pairs ? need->max_pairs + 1
									     : pairs;
}

size_t need_pairs(const struct need *need, double effect, double sd)
{
	size_t least = need_least(need), pairs;

	assert(need->level > 0 && need->level < 1 && need->power > 0 && need->power < 1);
	if (effect == 0)
		return 0;
	pairs = sd == 0 ? least : pairs_for(need, effect, sd);
	return pairs && pairs < least ? least : pairs;
}

static enum need_rule rule_of(const struct metric_verdict *v)
{
	if (!judge_rule_is_sequential(v->rule))
		return NEED_FIXED;
	return v->looks_spent < v->plan.look_count ? NEED_LOOKS : NEED_OPEN;
}

int64_t need_more_pairs(const struct metric_verdict *v, const double *d, double limit)
{
	struct need need = {
		.rule = rule_of(v),
		.max_pairs = v->plan.max_pairs,
		.level = v->level / (double)v->comparisons,
		.power = 0.8,
	};
	double effect = fabs(need.rule == NEED_FIXED ? summary_mean(d, v->pairs)
						     : hodges_lehmann(d, v->pairs));
	size_t pairs;

	/* Once its looks are behind, a plan goes on by the e-process, at its share. */
	if (v->plan.look_count && need.rule == NEED_OPEN)
		need.level *= SEQUENTIAL_E_PROCESS_SHARE;
	if (v->scale == SCALE_LOG)
		effect = fmax(effect, limit);
	pairs = v->pairs < 2 ? need_least(&need) : need_pairs(&need, effect, v->spread);
	if (!pairs)
		return 0;
	return pairs > v->pairs ? (int64_t)(pairs - v->pairs) : 1;
}
