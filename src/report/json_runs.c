// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "judge/within.h"
#include "report/json.h"
#include "report/json_value.h"

/* How well the run knows a quantile of its own; null: its metric is none, or too few samples. */
static json_t *within(const struct within *w)
{
	if (!w->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:b}", "value", json_finite(w->value), "low",
			 json_finite(w->interval.low), "high", json_finite(w->interval.high),
			 "coverage", json_finite(w->coverage), "exact", w->exact);
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
		json_object_set_new(object, "value", known ? json_finite(value) : json_null());
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
	json_object_set_new(to, key,
			    json_text_or_null(json_string_value(json_object_get(from, key))));
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

json_t *json_run(const struct experiment *x, const struct entry *e)
{
	const struct description *d = x->subjects[e->subject].description;
	json_t *object = json_object();

	json_object_set_new(object, "id", json_unless_zero(e->id));
	json_object_set_new(object, "subject", json_count(e->subject));
	json_object_set_new(object, "workload", json_text(d->name));
	json_object_set_new(object, "pair", json_pair(x, e));
	json_object_set_new(object, "arm", json_text(arm_keys[e->arm]));
	json_object_set_new(object, "first", json_boolean(e->first));
	json_object_set_new(object, "set_aside", json_boolean(e->set_aside));
	json_object_set_new(object, "outcome", json_text(outcome_words[e->run->outcome]));
	json_object_set_new(object, "reason", json_text(e->run->reason));
	json_object_set_new(object, "started_ns", json_unless_zero(e->run->started_ns));
	json_object_set_new(object, "ended_ns", json_unless_zero(e->run->ended_ns));
	json_object_set_new(object, "notes", notes(e->run->record));
	json_object_set_new(object, "figures", figures(e->run, d, 1 - x->alpha));
	json_object_set_new(object, "tasks", tasks(e->run->record));
	json_object_set_new(object, "series", series(e->run->record));
	return object;
}
