// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "judge/arm.h"
#include "judge/overall.h"
#include "judge/within.h"
#include "model/fingerprint.h"
#include "report/facts.h"
#include "report/json_diagnosis.h"
#include "report/json_explored.h"
#include "report/quote.h"

/*
 * The report for programs: docs/json.md describes it, docs/report.schema.json checks it, and a test
 * checks that the two reports do not disagree. Keys come in a fixed order.
 */

enum { FORMAT_VERSION = 3 };

/* No figure may be shown by which the arms could be told apart. */
static bool is_blind(const struct findings *f)
{
	return f->judgement && f->judgement->blind;
}

/* ---- values ---- */

/* JSON has no infinity and no NaN: null, which json.md explains for each field. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(size_t value)
{
	return json_integer((json_int_t)value);
}

/* A stamp or an id, 0 where there is none. */
static json_t *unless_zero(int64_t value)
{
	return value ? json_integer(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

/* Counts by arm, of the arms that the experiment has. */
static json_t *by_arm(const struct experiment *e, const size_t values[ARM_MOST])
{
	json_t *object = json_object();

	for (int arm = 0; arm < e->arm_count; arm++)
		json_object_set_new(object, arm_keys[arm], count(values[arm]));
	return object;
}

/* Two values: of A, and of the arm that is compared with it. Takes both. */
static json_t *of_both(int arm, json_t *a, json_t *other)
{
	return json_pack("{s:o, s:o}", arm_keys[ARM_A], a, arm_keys[arm], other);
}

static json_t *range(double low, double high)
{
	return json_pack("{s:o, s:o}", "low", number(low), "high", number(high));
}

/* An end that is not bounded is null; an interval that was not made is null as a whole. */
static json_t *interval(struct interval i, const struct metric_verdict *v)
{
	if (!v->pairs || metric_is_scarce(v) || isnan(i.low) || isnan(i.high))
		return json_null();
	/* Below every ratio: exp(-infinity) - 1. */
	if (v->scale == SCALE_LOG && i.low <= -1)
		i.low = -INFINITY;
	return range(i.low, i.high);
}

static json_t *numbers(const double *values, size_t length)
{
	json_t *array = json_array();

	for (size_t i = 0; i < length; i++)
		json_array_append_new(array, number(values[i]));
	return array;
}

static json_t *recurrences(const struct experiment *e, const struct recurrences *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(array, json_pack("{s:o, s:b, s:o}", "text",
						       json_text(r->list[i].text), "varies",
						       r->list[i].varies, "runs",
						       by_arm(e, r->list[i].runs)));
	return array;
}

/* Counted from 1, as in everything that people read. */
static json_t *pair(const struct experiment *x, const struct entry *e)
{
	return x->plan == PLAN_SINGLE ? json_null() : json_integer(e->pair + 1);
}

/* ---- experiment and machine ---- */

static json_t *experiment(const struct experiment *e)
{
	json_t *object = json_object();
	json_t *labels = json_object();

	for (int arm = 0; arm < e->arm_count; arm++)
		json_object_set_new(labels, arm_keys[arm], json_text(e->labels[arm]));
	json_object_set_new(object, "id", unless_zero(e->id));
	json_object_set_new(object, "created_ns", unless_zero(e->created_ns));
	json_object_set_new(object, "command", json_text(e->command));
	json_object_set_new(object, "labels", labels);
	json_object_set_new(object, "plan", json_text(plan_words[e->plan]));
	json_object_set_new(object, "pairs", unless_zero(e->pairs));
	json_object_set_new(object, "budget_ns", unless_zero(e->budget_ns));
	json_object_set_new(object, "planned_pairs", unless_zero(e->planned_pairs));
	json_object_set_new(object, "planned_budget_ns", unless_zero(e->planned_budget_ns));
	json_object_set_new(object, "margin", number(e->margin));
	json_object_set_new(object, "alpha", number(e->alpha));
	json_object_set_new(object, "seed",
			    e->plan == PLAN_SINGLE ? json_null()
						   : json_integer((json_int_t)e->seed));
	json_object_set_new(object, "strict", json_boolean(e->strict));
	return object;
}

static json_t *cpu_count(const struct machine *m, const char *key)
{
	const char *list = json_string_value(json_object_get(m->host, key));

	return list ? unless_zero(fingerprint_cpu_count(list)) : json_null();
}

/* What a record says of its machine: names and numbers, nothing deeper. */
static json_t *host(const struct machine *m)
{
	json_t *object = m->host ? json_object() : json_null();
	const char *key;
	json_t *value;

	json_object_foreach(m->host, key, value) {
		if (json_is_string(value) || json_is_number(value))
			json_object_set(object, key, value);
	}
	return object;
}

static json_t *changes(const struct findings *f, const struct difference *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->change_count; i++) {
		const struct change *c = &d->changes[i];
		const struct entry *e = &f->runs->list[c->run];
		json_t *object = json_object();

		json_object_set_new(object, "before", json_text(c->before));
		json_object_set_new(object, "after", json_text(c->after));
		json_object_set_new(object, "subject", count(e->subject));
		json_object_set_new(object, "pair", pair(f->experiment, e));
		json_object_set_new(object, "arm", json_text(arm_keys[e->arm]));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *differences(const struct findings *f, const struct machine *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->difference_count; i++) {
		const struct difference *d = &m->differences[i];
		json_t *object = json_object();

		json_object_set_new(object, "key", json_text(d->key));
		json_object_set_new(object, "of_arms", json_boolean(d->of_arms));
		json_object_set_new(object, "values", recurrences(f->experiment, &d->values));
		json_object_set_new(object, "changes", changes(f, d));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *doubts(const struct experiment *e, const struct machine *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->doubt_count; i++) {
		const struct machine_doubt *d = &m->doubts[i];
		json_t *object = json_object();

		json_object_set_new(object, "key", json_text(d->key));
		json_object_set_new(object, "reason", json_text(d->reason));
		json_object_set_new(object, "grave", json_boolean(d->grave));
		json_object_set_new(object, "runs", by_arm(e, d->runs));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *machine(const struct findings *f, const struct machine *m)
{
	json_t *object = json_object();

	json_object_set_new(object, "host", host(m));
	json_object_set_new(object, "emulated", json_boolean(machine_emulated(m)));
	json_object_set_new(object, "cpus_online", cpu_count(m, "cpus_online"));
	json_object_set_new(object, "cpus_allowed", cpu_count(m, "cpus_allowed"));
	json_object_set_new(object, "load1",
			    isnan(m->load_low) ? json_null() : range(m->load_low, m->load_high));
	json_object_set_new(object, "differences", differences(f, m));
	json_object_set_new(object, "doubts", doubts(f->experiment, m));
	return object;
}

/* How many comparisons came to what; each is counted once. */
static json_t *findings_counted(const struct judgement *j)
{
	size_t counts[FINDING_COUNT] = {0};
	json_t *object = json_object();

	for (size_t i = 0; i < j->comparison_count; i++)
		counts[comparison_finding(&j->comparisons[i])]++;
	for (int finding = 0; finding < FINDING_COUNT; finding++)
		json_object_set_new(object, finding_words[finding], count(counts[finding]));
	return object;
}

static json_t *overall(const struct overall *o, int arm)
{
	json_t *object = json_object();

	json_object_set_new(object, "arm", json_text(arm_keys[arm]));
	json_object_set_new(object, "why_not", text_or_null(o->why_not));
	json_object_set_new(object, "rounds", count(o->rounds));
	json_object_set_new(object, "complete", count(o->v.pairs));
	json_object_set_new(object, "worsening", o->why_not ? json_null() : number(o->v.estimate));
	json_object_set_new(object, "interval",
			    o->why_not ? json_null() : interval(o->v.interval, &o->v));
	json_object_set_new(object, "rule",
			    o->why_not ? json_null() : json_text(judge_rule_words[o->v.rule]));
	json_object_set_new(object, "p", o->why_not ? json_null() : number(o->v.p));
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

static json_t *judgement(const struct judgement *j)
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
	json_object_set_new(object, "looks", count(j->looks));
	json_object_set_new(object, "first_end", unless_zero(j->first_end));
	json_object_set_new(object, "aa", json_boolean(j->aa));
	json_object_set_new(object, "crashes", json_boolean(j->crashes));
	json_object_set_new(object, "impossible", json_boolean(j->impossible));
	json_object_set_new(object, "comparisons", findings_counted(j));
	json_object_set_new(object, "overall", overalls(j));
	return object;
}

/* ---- verdicts ---- */

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
		json_array_append_new(looks, count(v->plan.looks[i]));
	json_object_set_new(object, "looks_planned", looks);
	json_object_set_new(object, "looks_spent", count(v->looks_spent));
	json_object_set_new(object, "e_process_share", number(facts_e_process_share(v)));
	json_object_set_new(object, "rejected_by", text_or_null(judge_part_words[v->rejected_by]));
	json_object_set_new(object, "rejected_at", unless_zero((int64_t)v->rejected_at));
	json_object_set_new(object, "cleared_at", unless_zero((int64_t)v->cleared_at));
	json_object_set_new(object, "futile", json_boolean(v->futile));
}

static json_t *verdict(const struct metric_verdict *v, int arm)
{
	json_t *object = json_object();

	json_object_set_new(object, "metric", json_text(v->metric->name));
	json_object_set_new(object, "arm", json_text(arm_keys[arm]));
	json_object_set_new(object, "primary", json_boolean(v->primary));
	json_object_set_new(object, "verdict", json_text(verdict_words[v->verdict]));
	json_object_set_new(object, "worse", json_boolean(v->worse));
	json_object_set_new(object, "more_pairs", unless_zero(v->more_pairs));
	json_object_set_new(object, "scale", json_text(judge_scale_words[v->scale]));
	json_object_set_new(object, "estimate", number(v->estimate));
	json_object_set_new(object, "interval", interval(v->interval, v));
	json_object_set_new(object, "median",
			    of_both(arm, number(v->middle_a), number(v->middle_b)));
	json_object_set_new(object, "samples",
			    of_both(arm, json_integer(v->samples_a), json_integer(v->samples_b)));
	json_object_set_new(object, "pairs", count(v->pairs));
	json_object_set_new(object, "figures",
			    of_both(arm, numbers(v->a, v->pairs), numbers(v->b, v->pairs)));
	json_object_set_new(object, "refused", count(v->refused));
	json_object_set_new(object, "refusal", text_or_null(v->refusal));
	json_object_set_new(object, "remark", text_or_null(v->remark));
	json_object_set_new(object, "rule", json_text(judge_rule_words[v->rule]));
	json_object_set_new(object, "p", number(v->p));
	json_object_set_new(object, "p_adjusted", number(v->p_adjusted));
	json_object_set_new(object, "comparisons", count(v->comparisons));
	json_object_set_new(object, "correction",
			    text_or_null(judge_correction_words[v->correction]));
	json_object_set_new(object, "level", number(v->level));
	json_object_set_new(object, "won_before", json_boolean(v->won_before));
	json_object_set_new(object, "sign_patterns", sign_patterns(v));
	json_object_set_new(object, "evidence", number(v->evidence));
	json_object_set_new(object, "evidence_against_margin", number(v->clearing));
	json_object_set_new(object, "evidence_decides", number(facts_deciding_evidence(v)));
	set_looks(object, v);
	json_object_set_new(object, "bound", number(v->bound));
	json_object_set_new(object, "spread", number(v->spread));
	json_object_set_new(object, "sign_flip_interval",
			    v->rule == RULE_SIGN_FLIP ? interval(v->sign_flip, v) : json_null());
	json_object_set_new(object, "paired_t_interval", interval(v->paired_t, v));
	return object;
}

static json_t *metrics(const struct description *d, double level)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->metric_count; i++) {
		const struct metric *m = &d->metrics[i];
		char *label __free(memory) = facts_label(m);
		json_t *object = json_object();

		json_object_set_new(object, "name", json_text(m->name));
		json_object_set_new(object, "label", json_text(label));
		json_object_set_new(object, "unit", json_text(m->unit));
		json_object_set_new(object, "better", json_text(better_words[m->better]));
		json_object_set_new(object, "summary", json_text(summary_words[m->summary]));
		json_object_set_new(object, "of", json_text(m->of));
		json_object_set_new(object, "per", text_or_null(m->per));
		json_object_set_new(object, "help", json_text(m->help));
		json_object_set_new(object, "least_samples",
				    unless_zero(summary_least_samples(m->summary)));
		json_object_set_new(object, "within_run_least_samples",
				    unless_zero(within_least_samples(m->summary, level)));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *failed_operations(const struct experiment *e, const struct subject_facts *s)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->failed_count; i++) {
		const struct failed_operations *failed = &s->failed[i];
		json_t *operations = json_object();

		for (int arm = 0; arm < e->arm_count; arm++)
			json_object_set_new(operations, arm_keys[arm],
					    json_integer(failed->operations[arm]));
		json_array_append_new(array,
				      json_pack("{s:o, s:o, s:o}", "role", json_text(failed->role),
						"operations", operations, "runs",
						by_arm(e, failed->runs)));
	}
	return array;
}

static json_t *verdicts(const struct comparison *v)
{
	json_t *array = json_array();

	for (size_t i = 0; i < v->metric_count; i++)
		json_array_append_new(array, verdict(&v->metrics[i], v->arm));
	return array;
}

static json_t *comparison(const struct comparison *v, bool blind)
{
	json_t *object = json_object();

	json_object_set_new(object, "arm", json_text(arm_keys[v->arm]));
	json_object_set_new(object, "aa", json_boolean(v->aa));
	json_object_set_new(object, "finding", json_text(finding_words[comparison_finding(v)]));
	json_object_set_new(object, "why_not", text_or_null(v->why_not));
	json_object_set_new(object, "pairs", count(v->pairs));
	json_object_set_new(object, "dropped", count(v->dropped));
	json_object_set_new(object, "first_drop", text_or_null(v->first_drop));
	json_object_set_new(object, "failures_in_row",
			    of_both(v->arm, count(v->failures_in_row[ARM_A]),
				    count(v->failures_in_row[v->arm])));
	json_object_set_new(
		object, "crashes_in_row",
		of_both(v->arm, count(v->crashes_in_row[ARM_A]), count(v->crashes_in_row[v->arm])));
	json_object_set_new(object, "explored", json_explored(v->explored, v->arm));
	json_object_set_new(object, "verdicts", blind ? json_array() : verdicts(v));
	return object;
}

/* Of a workload, by arm; none of `contend run`. */
static json_t *comparisons(const struct findings *f, size_t index)
{
	const struct judgement *j = f->judgement;
	json_t *array = json_array();

	for (size_t i = 0; j && i < j->comparison_count; i++) {
		if (j->comparisons[i].index == index)
			json_array_append_new(array, comparison(&j->comparisons[i], is_blind(f)));
	}
	return array;
}

/* ---- one arm ---- */

static json_t *drift(const struct arm_metric *m)
{
	if (!m->drift.n)
		return json_null();
	return json_pack("{s:b, s:f, s:f, s:f, s:b}", "found", m->drifts, "tau", m->drift.tau, "p",
			 m->drift.p, "p_adjusted", m->drift_p_adjusted, "exact", m->drift.exact);
}

static json_t *arm_metric(const struct arm_metric *m)
{
	json_t *object = json_object();
	bool bounded = m->centre != ARM_NONE;

	json_object_set_new(object, "metric", json_text(m->metric->name));
	json_object_set_new(object, "primary", json_boolean(m->primary));
	json_object_set_new(object, "n", count(m->n));
	json_object_set_new(object, "median", number(m->median));
	json_object_set_new(object, "mean", number(m->mean));
	json_object_set_new(object, "sd", number(m->sd));
	json_object_set_new(object, "error_ratio", number(m->error_ratio));
	json_object_set_new(object, "min", number(m->min));
	json_object_set_new(object, "max", number(m->max));
	json_object_set_new(object, "interval_of", text_or_null(arm_centre_words[m->centre]));
	json_object_set_new(object, "interval",
			    bounded ? range(m->interval.low, m->interval.high) : json_null());
	json_object_set_new(object, "coverage", bounded ? number(m->coverage) : json_null());
	json_object_set_new(object, "samples", json_integer((json_int_t)m->samples));
	json_object_set_new(object, "values", numbers(m->values, m->n));
	json_object_set_new(object, "refused", count(m->refused));
	json_object_set_new(object, "refusal", text_or_null(m->refusal));
	json_object_set_new(object, "drift", drift(m));
	return object;
}

/* Of `contend run`: the runs of its arm together; null of a comparison. */
static json_t *arm(const struct findings *f, size_t index)
{
	struct arm_description *d __free(arm_description) = NULL;
	json_t *array;

	if (f->experiment->plan != PLAN_SINGLE)
		return json_null();
	d = arm_describe(f->experiment, f->runs, index);
	array = json_array();
	for (size_t i = 0; i < d->metric_count; i++)
		json_array_append_new(array, arm_metric(&d->metrics[i]));
	return array;
}

static json_t *calibration(const struct findings *f, const struct facts *facts, size_t index)
{
	struct quote q __cleanup(quote_done) = quote_find(f, &facts->machine, index);

	return quote_to_json(&q);
}

static json_t *subject(const struct findings *f, const struct facts *facts, size_t index)
{
	const struct subject *s = &f->experiment->subjects[index];
	const struct subject_facts *own = &facts->subjects[index];
	json_t *object = json_object();
	json_t *params = json_object();

	for (int arm = 0; arm < f->experiment->arm_count; arm++)
		json_object_set_new(params, arm_keys[arm],
				    s->params[arm] ? json_deep_copy(s->params[arm])
						   : json_object());
	json_object_set_new(object, "workload", json_text(s->description->name));
	json_object_set_new(object, "summary", json_text(s->description->summary));
	json_object_set_new(object, "params", params);
	json_object_set_new(object, "defaults", subject_defaults(s));
	json_object_set_new(object, "primary", json_text(s->primary));
	json_object_set_new(object, "metrics", metrics(s->description, 1 - f->experiment->alpha));
	json_object_set_new(object, "runs", by_arm(f->experiment, own->runs));
	json_object_set_new(object, "not_ok", by_arm(f->experiment, own->not_ok));
	json_object_set_new(object, "run_ns", unless_zero(own->run_ns));
	json_object_set_new(object, "window_ns",
			    own->window_high_ns
				    ? json_pack("{s:I, s:I}", "low", (json_int_t)own->window_low_ns,
						"high", (json_int_t)own->window_high_ns)
				    : json_null());
	json_object_set_new(object, "troubles", recurrences(f->experiment, &own->troubles));
	json_object_set_new(object, "notes", recurrences(f->experiment, &own->notes));
	json_object_set_new(object, "failed_operations", failed_operations(f->experiment, own));
	json_object_set_new(object, "calibration", calibration(f, facts, index));
	json_object_set_new(object, "diagnostics",
			    json_diagnoses(&own->diagnoses, f->experiment->arm_count));
	json_object_set_new(object, "arm", arm(f, index));
	json_object_set_new(object, "comparisons", comparisons(f, index));
	return object;
}

/* ---- runs ---- */

/* How well the run knows a quantile of its own; null: its metric is none, or too few samples. */
static json_t *within(const struct within *w)
{
	if (!w->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:b}", "value", number(w->value), "low",
			 number(w->interval.low), "high", number(w->interval.high), "coverage",
			 number(w->coverage), "exact", w->exact);
}

static json_t *figures(const struct run *r, const struct description *d, double level)
{
	struct within *own __free(memory) = within_run(r, d, level);
	json_t *array = json_array();

	/* Why a run that is not ok has none is its own reason. */
	for (size_t i = 0; i < d->metric_count && r->outcome == OUTCOME_OK; i++) {
		const struct metric *m = &d->metrics[i];
		json_t *object = json_object();
		struct error why;
		double value;
		bool known = run_figure(r, m, &value, &why);

		json_object_set_new(object, "metric", json_text(m->name));
		json_object_set_new(object, "value", known ? number(value) : json_null());
		json_object_set_new(object, "count", json_integer(run_figure_count(r, m)));
		json_object_set_new(object, "refusal", known ? json_null() : json_text(why.text));
		json_object_set_new(object, "within_run", within(&own[i]));
		json_array_append_new(array, object);
	}
	return array;
}

/* Copies a field of a record, null where it lacks it or has something else there. */
static void copy_integer(json_t *to, const json_t *from, const char *key)
{
	const json_t *value = json_object_get(from, key);

	json_object_set_new(to, key,
			    json_is_integer(value) ? json_integer(json_integer_value(value))
						   : json_null());
}

static void copy_string(json_t *to, const json_t *from, const char *key)
{
	json_object_set_new(to, key, text_or_null(json_string_value(json_object_get(from, key))));
}

static json_t *tasks(const json_t *record)
{
	static const char *const counts[] = {
		"task",
		"cpu",
		"pid",
		"window_ns",
		"cpu_ns",
		"voluntary_switches",
		"involuntary_switches",
		"minor_faults",
		"major_faults",
		"run_delay_ns",
	};
	const json_t *list = json_object_get(record, "tasks");
	json_t *array = json_array();

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *task = json_array_get(list, i);
		json_t *counters = json_object_get(task, "counters");
		json_t *object = json_object();

		copy_string(object, task, "role");
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
			copy_integer(object, task, counts[k]);
		json_object_set_new(object, "counters",
				    counters ? json_deep_copy(counters) : json_object());
		json_array_append_new(array, object);
	}
	return array;
}

/* Series without their buckets: the store keeps those. */
static json_t *series(const json_t *record)
{
	static const char *const exact[] = {"count", "sum", "min", "max"};
	const json_t *list = json_object_get(record, "series");
	json_t *array = json_array();

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		json_t *object = json_object();

		copy_string(object, one, "role");
		copy_string(object, one, "name");
		copy_string(object, one, "unit");
		for (size_t k = 0; k < sizeof(exact) / sizeof(exact[0]); k++)
			copy_integer(object, json_object_get(one, "histogram"), exact[k]);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *notes(const json_t *record)
{
	const json_t *list = json_object_get(record, "notes");
	json_t *array = json_array();

	for (size_t i = 0; i < json_array_size(list); i++)
		json_array_append_new(array, json_text(json_string_value(json_array_get(list, i))));
	return array;
}

static json_t *run(const struct experiment *x, const struct entry *e)
{
	const struct description *d = x->subjects[e->subject].description;
	json_t *object = json_object();

	json_object_set_new(object, "id", unless_zero(e->id));
	json_object_set_new(object, "subject", count(e->subject));
	json_object_set_new(object, "workload", json_text(d->name));
	json_object_set_new(object, "pair", pair(x, e));
	json_object_set_new(object, "arm", json_text(arm_keys[e->arm]));
	json_object_set_new(object, "first", json_boolean(e->first));
	json_object_set_new(object, "set_aside", json_boolean(e->set_aside));
	json_object_set_new(object, "outcome", json_text(outcome_words[e->run->outcome]));
	json_object_set_new(object, "reason", json_text(e->run->reason));
	json_object_set_new(object, "started_ns", unless_zero(e->run->started_ns));
	json_object_set_new(object, "ended_ns", unless_zero(e->run->ended_ns));
	json_object_set_new(object, "notes", notes(e->run->record));
	json_object_set_new(object, "figures", figures(e->run, d, 1 - x->alpha));
	json_object_set_new(object, "tasks", tasks(e->run->record));
	json_object_set_new(object, "series", series(e->run->record));
	return object;
}

/* ---- history ---- */

static json_t *looks(const struct history *h)
{
	json_t *array = json_array();

	for (size_t i = 0; h && i < h->look_count; i++) {
		const struct look *l = &h->looks[i];
		json_t *object = json_object();

		json_object_set_new(object, "subject", count(l->subject));
		json_object_set_new(object, "arm", json_text(arm_keys[l->arm]));
		json_object_set_new(object, "pairs", json_integer(l->pairs));
		json_object_set_new(object, "taken_ns", unless_zero(l->taken_ns));
		json_object_set_new(object, "rule", json_text(l->rule));
		json_object_set_new(object, "level", number(l->level));
		json_object_set_new(object, "p", number(l->p));
		json_object_set_new(object, "evidence", number(l->evidence));
		json_object_set_new(object, "estimate", number(l->estimate));
		json_object_set_new(
			object, "interval",
			json_pack("{s:o, s:o}", "low", number(l->low), "high", number(l->high)));
		json_object_set_new(object, "verdict", json_text(l->verdict));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *sessions(const struct history *h)
{
	json_t *array = json_array();

	for (size_t i = 0; h && i < h->session_count; i++) {
		const struct session *s = &h->sessions[i];
		json_t *object = json_object();

		json_object_set_new(object, "began_ns", unless_zero(s->began_ns));
		json_object_set_new(object, "version", json_text(s->version));
		json_object_set_new(object, "agent", *s->agent ? json_text(s->agent) : json_null());
		json_object_set_new(object, "pairs", unless_zero(s->pairs));
		json_object_set_new(object, "budget_ns", unless_zero(s->budget_ns));
		json_object_set_new(object, "beyond", json_boolean(s->beyond));
		json_array_append_new(array, object);
	}
	return array;
}

/* ---- the report ---- */

/* Everything but the runs, which is its last key. */
static json_t *report(const struct findings *f)
{
	struct facts facts __cleanup(facts_done) = facts_collect(f);
	json_t *object = json_object();
	json_t *subjects = json_array();

	for (size_t i = 0; i < f->experiment->subject_count; i++)
		json_array_append_new(subjects, subject(f, &facts, i));
	json_object_set_new(object, "contend_report", json_integer(FORMAT_VERSION));
	json_object_set_new(object, "version", text_or_null(f->version));
	json_object_set_new(
		object, "status",
		json_pack("{s:i, s:s}", "code", f->status, "meaning", facts_status_meaning(f)));
	json_object_set_new(object, "end", text_or_null(f->end));
	json_object_set_new(object, "experiment", experiment(f->experiment));
	json_object_set_new(object, "machine", machine(f, &facts.machine));
	json_object_set_new(object, "run_ns", unless_zero(facts.run_ns));
	json_object_set_new(object, "judgement", judgement(f->judgement));
	json_object_set_new(object, "subjects", subjects);
	json_object_set_new(object, "looks", looks(f->history));
	json_object_set_new(object, "sessions", sessions(f->history));
	json_object_set_new(object, "runs", json_array());
	return object;
}

/* ASCII, so that no name can do anything to a terminal; 17 digits come back the same. */
static const size_t layout = JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17);

/*
 * Indented, but for the runs, which are a line each: there are many of them, and what one has is
 * seldom read on its own.
 */
static bool render(const struct findings *f, struct text *out, struct error *err)
{
	static const char no_runs[] = "[]\n}";
	size_t run_count = is_blind(f) ? 0 : f->runs->count;
	json_t *object __free(json) = report(f);
	char *lines __free(memory) = json_dumps(object, layout | JSON_INDENT(2));

	if (!lines)
		return error_set(err, ERROR_DATA, "JSON report: cannot be written as JSON");
	/* The runs are the last key, and still empty. */
	text_append(out, lines, strlen(lines) - strlen(no_runs));
	text_puts(out, "[");
	for (size_t i = 0; i < run_count; i++) {
		json_t *one __free(json) = run(f->experiment, &f->runs->list[i]);
		char *line __free(memory) = json_dumps(one, layout);

		if (!line)
			return error_set(err, ERROR_DATA, "JSON report: run %zu cannot be written",
					 i);
		text_printf(out, "%s\n    %s", i ? "," : "", line);
	}
	text_puts(out, run_count ? "\n  ]\n}\n" : "]\n}\n");
	return true;
}

const struct report report_json = {
	.name = "json",
	.summary = "everything, for programs (docs/json.md)",
	.render = render,
};
