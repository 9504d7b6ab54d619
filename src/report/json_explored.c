// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json.h"
#include "report/json_value.h"

static json_t *counter(const struct explored *x, int arm)
{
	const struct metric_verdict *v = &x->v;
	json_t *object = json_object();

	json_object_set_new(object, "counter", json_text(x->of));
	json_object_set_new(object, "unit", json_text(x->unit));
	json_object_set_new(object, "pairs", json_count(v->pairs));
	json_object_set_new(object, "median",
			    json_of_both(arm, json_finite(v->middle_a), json_finite(v->middle_b)));
	json_object_set_new(object, "scale", json_text(judge_scale_words[v->scale]));
	json_object_set_new(object, "estimate", json_finite(v->estimate));
	json_object_set_new(object, "p", json_finite(v->p));
	json_object_set_new(object, "p_adjusted",
			    v->comparisons ? json_finite(v->p_adjusted) : json_null());
	json_object_set_new(object, "found", json_boolean(x->found));
	return object;
}

json_t *json_explored(const struct exploration *x, int arm)
{
	json_t *object, *counters;

	if (!x)
		return json_null();
	counters = json_array();
	for (size_t i = 0; i < x->count; i++)
		json_array_append_new(counters, counter(&x->list[i], arm));
	object = json_object();
	json_object_set_new(object, "comparisons", json_count(x->comparisons));
	json_object_set_new(object, "found", json_count(x->found));
	json_object_set_new(object, "counters", counters);
	return object;
}
