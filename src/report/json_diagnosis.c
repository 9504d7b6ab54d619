// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/json.h"
#include "report/json_value.h"

static json_t *by_arm(const struct diagnosis *d, int arms)
{
	bool has = d->kind == DIAGNOSIS_WARMUP || d->kind == DIAGNOSIS_TREND ||
		   d->kind == DIAGNOSIS_VALLEY;
	json_t *object;

	if (!has || !d->n)
		return json_null();
	object = json_object();
	for (int arm = 0; arm < arms; arm++)
		json_object_set_new(object, arm_keys[arm], json_finite(d->by_arm[arm]));
	return object;
}

static json_t *groups(const struct diagnosis *d)
{
	if (isnan(d->low))
		return json_null();
	return json_pack("[{s:f, s:I}, {s:f, s:I}]", "middle", d->low, "runs",
			 (json_int_t)d->low_runs, "middle", d->high, "runs",
			 (json_int_t)d->high_runs);
}

static json_t *one(const struct diagnosis *d, int arms)
{
	json_t *object = json_object();
	bool of_arm = d->kind == DIAGNOSIS_GROUPS || d->arm != ARM_A;

	json_object_set_new(object, "kind", json_text(diagnosis_words[d->kind]));
	json_object_set_new(object, "arm", of_arm ? json_text(arm_keys[d->arm]) : json_null());
	json_object_set_new(object, "metric", d->metric ? json_text(d->metric->name) : json_null());
	json_object_set_new(object, "n", json_count(d->n));
	json_object_set_new(object, "untested", d->untested ? json_text(d->untested) : json_null());
	json_object_set_new(object, "p", json_finite(d->p));
	json_object_set_new(object, "p_adjusted", json_finite(d->p_adjusted));
	json_object_set_new(object, "found", json_boolean(d->found));
	json_object_set_new(object, "matters", json_boolean(d->matters));
	json_object_set_new(object, "size", json_finite(d->size));
	json_object_set_new(object, "by_arm", by_arm(d, arms));
	json_object_set_new(object, "first", json_finite(d->first));
	json_object_set_new(object, "last", json_finite(d->last));
	json_object_set_new(object, "groups", groups(d));
	json_object_set_new(object, "in_turn",
			    d->kind == DIAGNOSIS_GROUPS && d->n ? json_boolean(d->in_turn)
								: json_null());
	json_object_set_new(object, "span_ns", d->span_ns ? json_integer(d->span_ns) : json_null());
	json_object_set_new(object, "param",
			    d->param ? json_pack("{s:s, s:s, s:s}", "name", d->param, "a",
						 d->value_a, "value", d->value)
				     : json_null());
	return object;
}

json_t *json_diagnoses(const struct diagnoses *all, int arms)
{
	json_t *array = json_array();

	for (size_t i = 0; i < all->count; i++)
		json_array_append_new(array, one(&all->list[i], arms));
	return array;
}
