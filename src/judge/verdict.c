// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/verdict.h"

#include "base/memory.h"
#include "model/history.h"

const char *const verdict_words[] = {"regressed", "improved", "cleared", "undecided", "none", NULL};
const char *const judge_scale_words[] = {"log", "difference", NULL};
const char *const finding_words[] = {
	"regressed", "crashes", "improved", "cleared", "undecided", "none", "impossible", NULL,
};
const char *const judge_correction_words[] = {
	[CORRECTION_NONE] = NULL,
	[CORRECTION_HOLM] = "holm",
	[CORRECTION_MAX_T] = "max_t",
	[CORRECTION_BLOCKS] = "blocks",
};
const char *const judge_rule_words[] = {"sign_flip",  "e_process",	  "paired_t",
					"sequential", HISTORY_RULE_ENDED, NULL};
const char *const judge_part_words[] = {NULL, "e_process", "look"};

bool judge_rule_is_sequential(enum judge_rule rule)
{
	return rule == RULE_E_PROCESS || rule == RULE_SEQUENTIAL || rule == RULE_SEQUENTIAL_END;
}

void metric_verdict_done(struct metric_verdict *v)
{
	free(v->refusal);
	free(v->a);
	free(v->b);
	free(v->numbers);
}

bool metric_is_scarce(const struct metric_verdict *v)
{
	return v->pairs && v->pairs < v->refused;
}

bool metric_has_no_events(const struct metric_verdict *v)
{
	for (size_t i = 0; i < v->pairs; i++) {
		if (v->a[i] != 0 || v->b[i] != 0)
			return false;
	}
	return v->pairs > 0;
}

enum finding comparison_finding(const struct comparison *v)
{
	if (v->crashes)
		return FINDING_CRASHES;
	switch (v->metrics[0].verdict) {
	case VERDICT_REGRESSED:
		return FINDING_REGRESSED;
	case VERDICT_IMPROVED:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_IMPROVED;
	case VERDICT_CLEARED:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_CLEARED;
	case VERDICT_UNDECIDED:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_UNDECIDED;
	default:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_NONE;
	}
}
