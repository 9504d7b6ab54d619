// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_value.h"

#include <math.h>

#include "base/memory.h"

json_t *json_count(size_t value)
{
	return json_integer((json_int_t)value);
}

json_t *json_unless_zero(int64_t value)
{
	return value ? json_integer(value) : json_null();
}

json_t *json_text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

json_t *json_by_arm(const struct experiment *e, const size_t values[ARM_MOST])
{
	json_t *object = json_object();

	for (int arm = 0; arm < e->arm_count; arm++)
		json_object_set_new(object, arm_keys[arm], json_count(values[arm]));
	return object;
}

json_t *json_of_both(int arm, json_t *a, json_t *other)
{
	return json_pack("{s:o, s:o}", arm_keys[ARM_A], a, arm_keys[arm], other);
}

json_t *json_range(double low, double high)
{
	return json_pack("{s:o, s:o}", "low", json_finite(low), "high", json_finite(high));
}

json_t *json_interval(struct interval i, const struct metric_verdict *v)
{
	if (!v->pairs || metric_is_scarce(v) || isnan(i.low) || isnan(i.high))
		return json_null();
	/* Below every ratio: exp(-infinity) - 1. */
	if (v->scale == SCALE_LOG && i.low <= -1)
		i.low = -INFINITY;
	return json_range(i.low, i.high);
}

json_t *json_numbers(const double *values, size_t length)
{
	json_t *array = json_array();

	for (size_t i = 0; i < length; i++)
		json_array_append_new(array, json_finite(values[i]));
	return array;
}

json_t *json_recurrences(const struct experiment *e, const struct recurrences *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(array, json_pack("{s:o, s:b, s:o}", "text",
						       json_text(r->list[i].text), "varies",
						       r->list[i].varies, "runs",
						       json_by_arm(e, r->list[i].runs)));
	return array;
}

json_t *json_pair(const struct experiment *x, const struct entry *e)
{
	return x->plan == PLAN_SINGLE ? json_null() : json_integer(e->pair + 1);
}

bool json_print(const json_t *object, struct text *out, struct error *err)
{
	char *lines __free(memory) = json_dumps(object, JSON_LAYOUT | JSON_INDENT(2));

	if (!lines)
		return error_set(err, ERROR_DATA, "JSON report: cannot be written as JSON");
	text_printf(out, "%s\n", lines);
	return true;
}
