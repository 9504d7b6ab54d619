// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/calibration.h"
#include "report/json_value.h"

/*
 * The JSON of `contend calibrate`: docs/json.md describes it, docs/calibration.schema.json checks
 * it.
 */

enum { FORMAT_VERSION = 1 };

static json_t *row(const struct calibration_row *r)
{
	json_t *object = json_object();
	bool figures = r->ended && r->pairs;

	json_object_set_new(object, "experiment", json_unless_zero(r->experiment));
	json_object_set_new(object, "delay", json_text_or_null(r->delay));
	json_object_set_new(object, "ended", json_boolean(r->ended));
	json_object_set_new(object, "most_pairs", json_integer(r->most_pairs));
	json_object_set_new(object, "pairs", json_count(r->pairs));
	json_object_set_new(object, "dropped", json_count(r->dropped));
	json_object_set_new(object, "runs", json_count(r->runs));
	json_object_set_new(object, "run_ns", json_integer(r->run_ns));
	json_object_set_new(object, "found", r->ended ? json_boolean(r->found) : json_null());
	json_object_set_new(object, "backwards", json_boolean(r->backwards));
	json_object_set_new(object, "verdict",
			    r->ended ? json_text(verdict_words[r->v->verdict]) : json_null());
	json_object_set_new(object, "scale",
			    figures ? json_text(judge_scale_words[r->v->scale]) : json_null());
	json_object_set_new(object, "estimate", json_finite(figures ? r->v->estimate : NAN));
	json_object_set_new(object, "interval",
			    figures ? json_range(r->v->interval.low, r->v->interval.high)
				    : json_null());
	json_object_set_new(object, "expected", json_finite(r->expected));
	json_object_set_new(object, "held",
			    isnan(r->expected) ? json_null() : json_boolean(r->held));
	json_object_set_new(object, "power", json_finite(r->power));
	return object;
}

static json_t *cuts(const struct calibration_answer *a)
{
	const struct calibration_cuts *c = &a->cuts;

	if (!c->count)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pairs", json_count(c->pairs),
			 "count", json_count(c->count), "rejected", json_count(c->rejected),
			 "level", json_finite(c->level), "low", json_count(c->low), "high",
			 json_count(c->high), "rate_bound", json_finite(c->rate_bound));
}

static json_t *resolved(const struct calibration_answer *a)
{
	if (a->unplanned)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "effect", json_finite(a->effect), "pairs",
			 json_finite(a->effect_pairs), "run_ns", json_integer(a->effect_ns),
			 "most_pairs", json_count(a->most_pairs));
}

static json_t *one(const struct calibration_findings *f)
{
	const struct calibration_answer *a = f->answer;
	json_t *object = json_object();
	json_t *shifts = json_array();

	for (size_t i = 0; i < a->shift_count; i++)
		json_array_append_new(shifts, row(&a->shifts[i]));
	json_object_set_new(object, "id", f->kept ? json_unless_zero(f->kept->id) : json_null());
	json_object_set_new(object, "made_ns",
			    f->kept ? json_integer(f->kept->made_ns) : json_null());
	json_object_set_new(object, "command", json_text(f->command));
	json_object_set_new(object, "workload", json_text(a->subject->description->name));
	json_object_set_new(object, "params", calibration_params(a->subject));
	json_object_set_new(object, "primary", json_text(a->primary->name));
	json_object_set_new(object, "alpha", json_finite(a->alpha));
	json_object_set_new(object, "missing", json_count(a->missing));
	json_object_set_new(object, "stopped", json_text_or_null(f->stopped));
	json_object_set_new(object, "aa", row(&a->aa));
	json_object_set_new(object, "cuts", cuts(a));
	json_object_set_new(object, "sound", json_boolean(!calibration_alarms(a)));
	json_object_set_new(object, "shifts", shifts);
	json_object_set_new(object, "unseen", json_text_or_null(a->unseen));
	json_object_set_new(object, "open", json_text_or_null(a->open));
	json_object_set_new(object, "sd", json_finite(a->sd));
	json_object_set_new(object, "sd_upper", json_finite(a->sd_upper));
	json_object_set_new(object, "resolved", resolved(a));
	json_object_set_new(object, "unplanned", json_text_or_null(a->unplanned));
	json_object_set_new(object, "due", json_count(a->due));
	json_object_set_new(object, "due_found", json_count(a->due_found));
	json_object_set_new(object, "due_chance", json_finite(a->due_chance));
	json_object_set_new(object, "check", json_text(calibration_check_words[a->check]));
	json_object_set_new(object, "runs", json_count(a->runs));
	json_object_set_new(object, "run_ns", json_integer(a->took_ns));
	return object;
}

bool calibration_json(const struct calibration_report *r, struct text *out, struct error *err)
{
	json_t *object __free(json) = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(list, one(&r->list[i]));
	json_object_set_new(object, "contend_calibration", json_integer(FORMAT_VERSION));
	json_object_set_new(object, "version", json_text_or_null(r->version));
	json_object_set_new(object, "status", json_integer(r->status));
	json_object_set_new(object, "calibrations", list);
	return json_print(object, out, err);
}
