// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/overall.h"
#include "report/json.h"
#include "report/json_value.h"

/* How many comparisons came to what; each is counted once. */
static json_t *findings_counted(const struct judgement *j)
{
	size_t counts[FINDING_COUNT] = {0};
	json_t *object = json_object();

	for (size_t i = 0; i < j->comparison_count; i++)
		counts[comparison_finding(&j->comparisons[i])]++;
	for (int finding = 0; finding < FINDING_COUNT; finding++)
		json_object_set_new(object, finding_words[finding], json_count(counts[finding]));
	return object;
}

static json_t *overall(const struct overall *o, int arm)
{
	json_t *object = json_object();

	json_object_set_new(object, "arm", json_text(arm_keys[arm]));
	json_object_set_new(object, "why_not", json_text_or_null(o->why_not));
	json_object_set_new(object, "rounds", json_count(o->rounds));
	json_object_set_new(object, "complete", json_count(o->v.pairs));
	json_object_set_new(object, "worsening",
			    o->why_not ? json_null() : json_finite(o->v.estimate));
	json_object_set_new(object, "interval",
			    o->why_not ? json_null() : json_interval(o->v.interval, &o->v));
	json_object_set_new(object, "rule",
			    o->why_not ? json_null() : json_text(judge_rule_words[o->v.rule]));
	json_object_set_new(object, "p", o->why_not ? json_null() : json_finite(o->v.p));
	return object;
}

static json_t *overalls(const struct judgement *j)
{
	json_t *list = json_array();

	for (int arm = 0; arm < ARM_MOST; arm++) {
		if (j->overall[arm])
			json_array_append_new(list, overall(j->overall[arm], arm));
	}
	return list;
}

json_t *json_judgement(const struct judgement *j)
{
	json_t *object = json_object();

	if (!j) {
		json_decref(object);
		return json_null();
	}
	json_object_set_new(object, "blind", json_boolean(j->blind));
	json_object_set_new(object, "finished", json_boolean(j->finished));
	json_object_set_new(object, "early", json_boolean(j->early));
	json_object_set_new(object, "futile", json_boolean(j->futile));
	json_object_set_new(object, "looks", json_count(j->looks));
	json_object_set_new(object, "first_end", json_unless_zero(j->first_end));
	json_object_set_new(object, "aa", json_boolean(j->aa));
	json_object_set_new(object, "crashes", json_boolean(j->crashes));
	json_object_set_new(object, "impossible", json_boolean(j->impossible));
	json_object_set_new(object, "comparisons", findings_counted(j));
	json_object_set_new(object, "overall", overalls(j));
	return object;
}

static json_t *sign_patterns(const struct metric_verdict *v)
{
	int64_t as_far, of;

	if (!facts_sign_patterns(v, &as_far, &of))
		return json_null();
	return json_pack("{s:I, s:I}", "as_far", (json_int_t)as_far, "of", (json_int_t)of);
}

/* Which parts of the rule share alpha, and which of them rejected. */
static void set_looks(json_t *object, const struct metric_verdict *v)
{
	json_t *looks = json_array();

	for (size_t i = 0; i < v->plan.look_count; i++)
		json_array_append_new(looks, json_count(v->plan.looks[i]));
	json_object_set_new(object, "looks_planned", looks);
	json_object_set_new(object, "looks_spent", json_count(v->looks_spent));
	json_object_set_new(object, "e_process_share", json_finite(facts_e_process_share(v)));
	json_object_set_new(object, "rejected_by",
			    json_text_or_null(judge_part_words[v->rejected_by]));
	json_object_set_new(object, "rejected_at", json_unless_zero((int64_t)v->rejected_at));
	json_object_set_new(object, "cleared_at", json_unless_zero((int64_t)v->cleared_at));
	json_object_set_new(object, "futile", json_boolean(v->futile));
}

json_t *json_verdict(const struct metric_verdict *v, int arm)
{
	json_t *object = json_object();

	json_object_set_new(object, "metric", json_text(v->metric->name));
	json_object_set_new(object, "arm", json_text(arm_keys[arm]));
	json_object_set_new(object, "primary", json_boolean(v->primary));
	json_object_set_new(object, "verdict", json_text(verdict_words[v->verdict]));
	json_object_set_new(object, "worse", json_boolean(v->worse));
	json_object_set_new(object, "more_pairs", json_unless_zero(v->more_pairs));
	json_object_set_new(object, "scale", json_text(judge_scale_words[v->scale]));
	json_object_set_new(object, "estimate", json_finite(v->estimate));
	json_object_set_new(object, "interval", json_interval(v->interval, v));
	json_object_set_new(object, "median",
			    json_of_both(arm, json_finite(v->middle_a), json_finite(v->middle_b)));
	json_object_set_new(
		object, "samples",
		json_of_both(arm, json_integer(v->samples_a), json_integer(v->samples_b)));
	json_object_set_new(object, "pairs", json_count(v->pairs));
	json_object_set_new(
		object, "figures",
		json_of_both(arm, json_numbers(v->a, v->pairs), json_numbers(v->b, v->pairs)));
	json_object_set_new(object, "refused", json_count(v->refused));
	json_object_set_new(object, "refusal", json_text_or_null(v->refusal));
	json_object_set_new(object, "remark", json_text_or_null(v->remark));
	json_object_set_new(object, "rule", json_text(judge_rule_words[v->rule]));
	json_object_set_new(object, "p", json_finite(v->p));
	json_object_set_new(object, "p_adjusted", json_finite(v->p_adjusted));
	json_object_set_new(object, "comparisons", json_count(v->comparisons));
	json_object_set_new(object, "correction",
			    json_text_or_null(judge_correction_words[v->correction]));
	json_object_set_new(object, "level", json_finite(v->level));
	json_object_set_new(object, "won_before", json_boolean(v->won_before));
	json_object_set_new(object, "sign_patterns", sign_patterns(v));
	json_object_set_new(object, "evidence", json_finite(v->evidence));
	json_object_set_new(object, "evidence_against_margin", json_finite(v->clearing));
	json_object_set_new(object, "evidence_decides", json_finite(facts_deciding_evidence(v)));
	set_looks(object, v);
	json_object_set_new(object, "bound", json_finite(v->bound));
	json_object_set_new(object, "spread", json_finite(v->spread));
	json_object_set_new(object, "sign_flip_interval",
			    v->rule == RULE_SIGN_FLIP ? json_interval(v->sign_flip, v)
						      : json_null());
	json_object_set_new(object, "paired_t_interval", json_interval(v->paired_t, v));
	return object;
}

static json_t *verdicts(const struct comparison *v)
{
	json_t *array = json_array();

	for (size_t i = 0; i < v->metric_count; i++)
		json_array_append_new(array, json_verdict(&v->metrics[i], v->arm));
	return array;
}

static json_t *comparison(const struct comparison *v, bool blind)
{
	json_t *object = json_object();

	json_object_set_new(object, "arm", json_text(arm_keys[v->arm]));
	json_object_set_new(object, "aa", json_boolean(v->aa));
	json_object_set_new(object, "finding", json_text(finding_words[comparison_finding(v)]));
	json_object_set_new(object, "why_not", json_text_or_null(v->why_not));
	json_object_set_new(object, "pairs", json_count(v->pairs));
	json_object_set_new(object, "dropped", json_count(v->dropped));
	json_object_set_new(object, "first_drop", json_text_or_null(v->first_drop));
	json_object_set_new(object, "failures_in_row",
			    json_of_both(v->arm, json_count(v->failures_in_row[ARM_A]),
					 json_count(v->failures_in_row[v->arm])));
	json_object_set_new(object, "crashes_in_row",
			    json_of_both(v->arm, json_count(v->crashes_in_row[ARM_A]),
					 json_count(v->crashes_in_row[v->arm])));
	json_object_set_new(object, "explored", json_explored(v->explored, v->arm));
	json_object_set_new(object, "verdicts", blind ? json_array() : verdicts(v));
	return object;
}

json_t *json_comparisons(const struct findings *f, size_t index)
{
	const struct judgement *j = f->judgement;
	json_t *array = json_array();

	for (size_t i = 0; j && i < j->comparison_count; i++) {
		if (j->comparisons[i].index == index)
			json_array_append_new(array, comparison(&j->comparisons[i], j->blind));
	}
	return array;
}
