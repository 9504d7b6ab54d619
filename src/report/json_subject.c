// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "judge/arm.h"
#include "judge/within.h"
#include "report/json.h"
#include "report/json_value.h"
#include "report/quote.h"

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
		json_object_set_new(object, "per", json_text_or_null(m->per));
		json_object_set_new(object, "help", json_text(m->help));
		json_object_set_new(object, "least_samples",
				    json_unless_zero(summary_least_samples(m->summary)));
		json_object_set_new(object, "within_run_least_samples",
				    json_unless_zero(within_least_samples(m->summary, level)));
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
						json_by_arm(e, failed->runs)));
	}
	return array;
}

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
	json_object_set_new(object, "n", json_count(m->n));
	json_object_set_new(object, "median", json_finite(m->median));
	json_object_set_new(object, "mean", json_finite(m->mean));
	json_object_set_new(object, "sd", json_finite(m->sd));
	json_object_set_new(object, "error_ratio", json_finite(m->error_ratio));
	json_object_set_new(object, "min", json_finite(m->min));
	json_object_set_new(object, "max", json_finite(m->max));
	json_object_set_new(object, "interval_of", json_text_or_null(arm_centre_words[m->centre]));
	json_object_set_new(object, "interval",
			    bounded ? json_range(m->interval.low, m->interval.high) : json_null());
	json_object_set_new(object, "coverage", bounded ? json_finite(m->coverage) : json_null());
	json_object_set_new(object, "samples", json_integer((json_int_t)m->samples));
	json_object_set_new(object, "values", json_numbers(m->values, m->n));
	json_object_set_new(object, "refused", json_count(m->refused));
	json_object_set_new(object, "refusal", json_text_or_null(m->refusal));
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

json_t *json_subject(const struct findings *f, const struct facts *facts, size_t index)
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
	json_object_set_new(object, "runs", json_by_arm(f->experiment, own->runs));
	json_object_set_new(object, "not_ok", json_by_arm(f->experiment, own->not_ok));
	json_object_set_new(object, "run_ns", json_unless_zero(own->run_ns));
	json_object_set_new(object, "window_ns",
			    own->window_high_ns
				    ? json_pack("{s:I, s:I}", "low", (json_int_t)own->window_low_ns,
						"high", (json_int_t)own->window_high_ns)
				    : json_null());
	json_object_set_new(object, "troubles", json_recurrences(f->experiment, &own->troubles));
	json_object_set_new(object, "notes", json_recurrences(f->experiment, &own->notes));
	json_object_set_new(object, "failed_operations", failed_operations(f->experiment, own));
	json_object_set_new(object, "calibration", calibration(f, facts, index));
	json_object_set_new(object, "diagnostics",
			    json_diagnoses(&own->diagnoses, f->experiment->arm_count));
	json_object_set_new(object, "arm", arm(f, index));
	json_object_set_new(object, "comparisons", json_comparisons(f, index));
	return object;
}
