// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "base/memory.h"
#include "report/plan.h"

/* docs/json.md describes it, docs/plan.schema.json checks it. Keys come in a fixed order. */

enum { FORMAT_VERSION = 1 };

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(size_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *unless_zero(int64_t value)
{
	return value ? json_integer(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

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
					 r->asked, "pairs", unless_zero((int64_t)r->fixed),
					 "looks_at_most", unless_zero((int64_t)r->most),
					 "looks_on_average", number(r->used)));
	}
	return array;
}

static json_t *floors(const struct planning_metric *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->floor_count; i++) {
		const struct planning_floor *f = &m->floors[i];

		json_array_append_new(array,
				      json_pack("{s:o, s:b, s:o, s:o}", "pairs", count(f->pairs),
						"own", f->own, "effect", number(f->fixed),
						"effect_with_looks", number(f->looks)));
	}
	return array;
}

static json_t *metric(const struct planning_metric *m)
{
	json_t *object = json_object();

	json_object_set_new(object, "metric", json_text(m->metric->name));
	json_object_set_new(object, "primary", json_boolean(m->primary));
	json_object_set_new(object, "state", json_text(planning_state_words[m->state]));
	json_object_set_new(object, "pairs", count(m->pairs));
	json_object_set_new(object, "refused", count(m->refused));
	json_object_set_new(object, "refusal", text_or_null(m->refusal));
	json_object_set_new(object, "scale", json_text(judge_scale_words[m->scale]));
	json_object_set_new(object, "comparisons", count(m->comparisons));
	json_object_set_new(object, "level", json_real(m->level));
	json_object_set_new(object, "sd", number(m->sd));
	json_object_set_new(object, "sd_upper", number(m->sd_upper));
	json_object_set_new(object, "least_pairs", count(m->least_fixed));
	json_object_set_new(object, "least_pairs_with_looks", count(m->least_looks));
	json_object_set_new(object, "effects", rows(m));
	json_object_set_new(object, "pairs_to_clear", unless_zero((int64_t)m->clearing));
	json_object_set_new(object, "pairs_to_enclose", unless_zero((int64_t)m->enclosing));
	json_object_set_new(object, "floors", floors(m));
	return object;
}

static json_t *windows(const struct planning_subject *s)
{
	const struct windows *w = &s->windows;
	json_t *object = json_object();
	json_t *others = json_array();

	json_object_set_new(object, "source", json_text(windows_source_words[w->source]));
	json_object_set_new(object, "why_not", text_or_null(w->why_not));
	json_object_set_new(object, "pairs", count(w->pairs));
	json_object_set_new(object, "between", number(w->between));
	json_object_set_new(object, "within", number(w->within));
	json_object_set_new(object, "p", number(w->p));
	json_object_set_new(object, "window_ns", unless_zero(w->window_ns));
	json_object_set_new(object, "fixed_ns", unless_zero(w->fixed_ns));
	json_object_set_new(object, "cheapest_ns", number(w->cheapest_ns));
	for (size_t i = 0; i < s->other_count; i++) {
		const struct planning_window *other = &s->others[i];

		json_array_append_new(others, json_pack("{s:f, s:b, s:f, s:o, s:o}", "window_ns",
							other->window_ns, "own", other->own,
							"sd_upper", other->sd_upper, "pairs",
							unless_zero((int64_t)other->pairs),
							"time_ns", number(other->time_ns)));
	}
	json_object_set_new(object, "others", others);
	return object;
}

static json_t *subject(const struct planning_subject *s, const struct plan_origin *origin)
{
	const struct experiment *e = s->source->experiment;
	json_t *object = json_object();
	json_t *metrics = json_array();

	json_object_set_new(object, "workload", json_text(s->subject->description->name));
	json_object_set_new(object, "experiment", unless_zero(e->id));
	json_object_set_new(object, "created_ns", json_integer(e->created_ns));
	json_object_set_new(object, "pilot", json_boolean(origin->pilot));
	json_object_set_new(object, "passed_over", text_or_null(origin->passed_over));
	json_object_set_new(object, "aa", json_boolean(s->aa));
	json_object_set_new(object, "params",
			    json_pack("{s:o, s:o}", "a", params(s->subject->params[ARM_A]), "b",
				      params(s->subject->params[ARM_B])));
	json_object_set_new(object, "primary", json_text(s->metrics[0].metric->name));
	json_object_set_new(object, "pairs", count(s->pairs));
	json_object_set_new(object, "dropped", count(s->dropped));
	json_object_set_new(object, "first_drop", text_or_null(s->first_drop));
	json_object_set_new(object, "pair_ns", unless_zero(s->pair_ns));
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
	char *lines __free(memory) = NULL;

	json_object_set_new(object, "contend_plan", json_integer(FORMAT_VERSION));
	json_object_set_new(object, "version", json_text(f->version));
	json_object_set_new(object, "effect", json_real(terms->effect));
	json_object_set_new(object, "power", json_real(terms->power));
	json_object_set_new(object, "margin", json_real(terms->margin));
	json_object_set_new(object, "alpha", json_real(terms->alpha));
	for (size_t i = 0; i < f->planning->subject_count; i++)
		json_array_append_new(subjects, subject(&f->planning->subjects[i], &f->origins[i]));
	json_object_set_new(object, "subjects", subjects);
	lines = json_dumps(object, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
	if (!lines)
		return error_set(err, ERROR_DATA, "cannot be written as JSON");
	text_printf(out, "%s\n", lines);
	return true;
}
