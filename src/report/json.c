// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/memory.h"
#include "report/json.h"
#include "report/json_value.h"

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

static json_t *experiment(const struct experiment *e)
{
	json_t *object = json_object();
	json_t *labels = json_object();

	for (int arm = 0; arm < e->arm_count; arm++)
		json_object_set_new(labels, arm_keys[arm], json_text(e->labels[arm]));
	json_object_set_new(object, "id", json_unless_zero(e->id));
	json_object_set_new(object, "created_ns", json_unless_zero(e->created_ns));
	json_object_set_new(object, "command", json_text(e->command));
	json_object_set_new(object, "labels", labels);
	json_object_set_new(object, "plan", json_text(plan_words[e->plan]));
	json_object_set_new(object, "pairs", json_unless_zero(e->pairs));
	json_object_set_new(object, "budget_ns", json_unless_zero(e->budget_ns));
	json_object_set_new(object, "planned_pairs", json_unless_zero(e->planned_pairs));
	json_object_set_new(object, "planned_budget_ns", json_unless_zero(e->planned_budget_ns));
	json_object_set_new(object, "margin", json_finite(e->margin));
	json_object_set_new(object, "alpha", json_finite(e->alpha));
	json_object_set_new(object, "seed",
			    e->plan == PLAN_SINGLE ? json_null()
						   : json_integer((json_int_t)e->seed));
	json_object_set_new(object, "strict", json_boolean(e->strict));
	return object;
}

static json_t *looks(const struct history *h)
{
	json_t *array = json_array();

	for (size_t i = 0; h && i < h->look_count; i++) {
		const struct look *l = &h->looks[i];
		json_t *object = json_object();

		json_object_set_new(object, "subject", json_count(l->subject));
		json_object_set_new(object, "arm", json_text(arm_keys[l->arm]));
		json_object_set_new(object, "pairs", json_integer(l->pairs));
		json_object_set_new(object, "taken_ns", json_unless_zero(l->taken_ns));
		json_object_set_new(object, "rule", json_text(l->rule));
		json_object_set_new(object, "level", json_finite(l->level));
		json_object_set_new(object, "p", json_finite(l->p));
		json_object_set_new(object, "evidence", json_finite(l->evidence));
		json_object_set_new(object, "estimate", json_finite(l->estimate));
		json_object_set_new(object, "interval", json_range(l->low, l->high));
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

		json_object_set_new(object, "began_ns", json_unless_zero(s->began_ns));
		json_object_set_new(object, "version", json_text(s->version));
		json_object_set_new(object, "agent", *s->agent ? json_text(s->agent) : json_null());
		json_object_set_new(object, "pairs", json_unless_zero(s->pairs));
		json_object_set_new(object, "budget_ns", json_unless_zero(s->budget_ns));
		json_object_set_new(object, "beyond", json_boolean(s->beyond));
		json_array_append_new(array, object);
	}
	return array;
}

/* Everything but the runs, which is its last key. */
static json_t *report(const struct findings *f)
{
	struct facts facts __cleanup(facts_done) = facts_collect(f);
	json_t *object = json_object();
	json_t *subjects = json_array();

	for (size_t i = 0; i < f->experiment->subject_count; i++)
		json_array_append_new(subjects, json_subject(f, &facts, i));
	json_object_set_new(object, "contend_report", json_integer(FORMAT_VERSION));
	json_object_set_new(object, "version", json_text_or_null(f->version));
	json_object_set_new(
		object, "status",
		json_pack("{s:i, s:s}", "code", f->status, "meaning", facts_status_meaning(f)));
	json_object_set_new(object, "end", json_text_or_null(f->end));
	json_object_set_new(object, "experiment", experiment(f->experiment));
	json_object_set_new(object, "machine", json_machine(f, &facts.machine));
	json_object_set_new(object, "run_ns", json_unless_zero(facts.run_ns));
	json_object_set_new(object, "judgement", json_judgement(f->judgement));
	json_object_set_new(object, "subjects", subjects);
	json_object_set_new(object, "curves", json_curves(f));
	json_object_set_new(object, "looks", looks(f->history));
	json_object_set_new(object, "sessions", sessions(f->history));
	json_object_set_new(object, "runs", json_array());
	return object;
}

/*
 * Indented, but for the runs, which are a line each: there are many of them, and what one has is
 * seldom read on its own.
 */
static bool render(const struct findings *f, struct text *out, struct error *err)
{
	static const char no_runs[] = "[]\n}";
	size_t run_count = is_blind(f) ? 0 : f->runs->count;
	json_t *object __free(json) = report(f);
	char *lines __free(memory) = json_dumps(object, JSON_LAYOUT | JSON_INDENT(2));

	if (!lines)
		return error_set(err, ERROR_DATA, "JSON report: cannot be written as JSON");
	/* The runs are the last key, and still empty. */
	text_append(out, lines, strlen(lines) - strlen(no_runs));
	text_puts(out, "[");
	for (size_t i = 0; i < run_count; i++) {
		json_t *one __free(json) = json_run(f->experiment, &f->runs->list[i]);
		char *line __free(memory) = json_dumps(one, JSON_LAYOUT);

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
