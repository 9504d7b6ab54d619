// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/facts.h"
#include "report/json.h"
#include "report/json_value.h"
#include "report/plan.h"

/* docs/json.md describes it, docs/plan.schema.json checks it. Keys come in a fixed order. */

enum { FORMAT_VERSION = 2 };

static json_t *params(json_t *values)
{
	return values ? json_incref(values) : json_object();
}

static json_t *rows(const struct planning_metric *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->row_count; i++) {
		const struct planning_row *r = &m->rows[i];

		json_array_append_new(
			array, json_pack("{s:f, s:b, s:o, s:o, s:o}", "effect", r->effect, "asked",
					 r->asked, "pairs", json_unless_zero((int64_t)r->fixed),
					 "looks_at_most", json_unless_zero((int64_t)r->most),
					 "looks_on_average", json_finite(r->used)));
	}
	return array;
}

static json_t *floors(const struct planning_metric *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->floor_count; i++) {
		const struct planning_floor *f = &m->floors[i];

		json_array_append_new(array, json_pack("{s:o, s:b, s:o, s:o}", "pairs",
						       json_count(f->pairs), "own", f->own,
						       "effect", json_finite(f->fixed),
						       "effect_with_looks", json_finite(f->looks)));
	}
	return array;
}

static json_t *metric(const struct planning_metric *m)
{
	json_t *object = json_object();

	json_object_set_new(object, "metric", json_text(m->metric->name));
	json_object_set_new(object, "primary", json_boolean(m->primary));
	json_object_set_new(object, "state", json_text(planning_state_words[m->state]));
	json_object_set_new(object, "pairs", json_count(m->pairs));
	json_object_set_new(object, "refused", json_count(m->refused));
	json_object_set_new(object, "refusal", json_text_or_null(m->refusal));
	json_object_set_new(object, "scale", json_text(judge_scale_words[m->scale]));
	json_object_set_new(object, "comparisons", json_count(m->comparisons));
	json_object_set_new(object, "level", json_real(m->level));
	json_object_set_new(object, "sd", json_finite(m->sd));
	json_object_set_new(object, "sd_upper", json_finite(m->sd_upper));
	json_object_set_new(object, "least_pairs", json_count(m->least_fixed));
	json_object_set_new(object, "least_pairs_with_looks", json_count(m->least_looks));
	json_object_set_new(object, "effects", rows(m));
	json_object_set_new(object, "pairs_to_clear", json_unless_zero((int64_t)m->clearing));
	json_object_set_new(object, "pairs_to_enclose", json_unless_zero((int64_t)m->enclosing));
	json_object_set_new(object, "floors", floors(m));
	return object;
}

static json_t *windows(const struct planning_subject *s)
{
	const struct windows *w = &s->windows;
	json_t *object = json_object();
	json_t *others = json_array();

	json_object_set_new(object, "source", json_text(windows_source_words[w->source]));
	json_object_set_new(object, "why_not", json_text_or_null(w->why_not));
	json_object_set_new(object, "pairs", json_count(w->pairs));
	json_object_set_new(object, "left_out", json_text_or_null(w->left_out));
	json_object_set_new(object, "between", json_finite(w->between));
	json_object_set_new(object, "within", json_finite(w->within));
	json_object_set_new(object, "p", json_finite(w->p));
	json_object_set_new(object, "window_ns", json_unless_zero(w->window_ns));
	json_object_set_new(object, "fixed_ns", json_unless_zero(w->fixed_ns));
	json_object_set_new(object, "cheapest_ns", json_finite(w->cheapest_ns));
	for (size_t i = 0; i < s->other_count; i++) {
		const struct planning_window *other = &s->others[i];

		json_array_append_new(others,
				      json_pack("{s:f, s:b, s:b, s:f, s:o, s:o}", "window_ns",
						other->window_ns, "own", other->own, "extrapolated",
						other->extrapolated, "sd_upper", other->sd_upper,
						"pairs", json_unless_zero((int64_t)other->pairs),
						"time_ns", json_finite(other->time_ns)));
	}
	json_object_set_new(object, "others", others);
	return object;
}

static json_t *subject(const struct planning_subject *s, const struct plan_origin *origin)
{
	const struct experiment *e = s->source->experiment;
	const struct findings source = {.experiment = e, .runs = s->source->runs};
	struct facts facts __cleanup(facts_done) = facts_collect(&source);
	json_t *object = json_object();
	json_t *metrics = json_array();

	json_object_set_new(object, "workload", json_text(s->subject->description->name));
	json_object_set_new(object, "experiment", json_unless_zero(e->id));
	json_object_set_new(object, "created_ns", json_integer(e->created_ns));
	json_object_set_new(object, "pilot", json_boolean(origin->pilot));
	json_object_set_new(object, "passed_over", json_text_or_null(origin->passed_over));
	json_object_set_new(object, "aa", json_boolean(s->aa));
	json_object_set_new(object, "params",
			    json_pack("{s:o, s:o}", "a", params(s->subject->params[ARM_A]), "b",
				      params(s->subject->params[ARM_B])));
	json_object_set_new(object, "primary", json_text(s->metrics[0].metric->name));
	json_object_set_new(object, "pairs", json_count(s->pairs));
	json_object_set_new(object, "dropped", json_count(s->dropped));
	json_object_set_new(object, "first_drop", json_text_or_null(s->first_drop));
	json_object_set_new(object, "pair_ns", json_unless_zero(s->pair_ns));
	json_object_set_new(object, "machine", json_machine(&source, &facts.machine));
	json_object_set_new(object, "windows", windows(s));
	for (size_t i = 0; i < s->metric_count; i++)
		json_array_append_new(metrics, metric(&s->metrics[i]));
	json_object_set_new(object, "metrics", metrics);
	return object;
}

bool plan_json(const struct plan_findings *f, struct text *out, struct error *err)
{
	const struct planning_terms *terms = &f->planning->terms;
	json_t *object __free(json) = json_object();
	json_t *subjects = json_array();

	json_object_set_new(object, "contend_plan", json_integer(FORMAT_VERSION));
	json_object_set_new(object, "version", json_text(f->version));
	json_object_set_new(object, "effect", json_real(terms->effect));
	json_object_set_new(object, "power", json_real(terms->power));
	json_object_set_new(object, "margin", json_real(terms->margin));
	json_object_set_new(object, "alpha", json_real(terms->alpha));
	for (size_t i = 0; i < f->planning->subject_count; i++)
		json_array_append_new(subjects, subject(&f->planning->subjects[i], &f->origins[i]));
	json_object_set_new(object, "subjects", subjects);
	return json_print(object, out, err);
}
