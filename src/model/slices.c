// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/slices.h"

#include "base/clock.h"
#include "base/text.h"

/* A list of counts that go up: strictly, or not down. */
static bool check_list(const json_t *object, const char *key, bool strictly, struct error *err)
{
	json_int_t last = -1;
	json_t *list, *value;
	size_t i;

	if (!json_get_array(object, key, &list, err))
		return false;
	if (json_array_size(list) > SLICES_MAX + 1)
		return error_set(err, ERROR_DATA, "field '%s' has more than %d moments", key,
				 SLICES_MAX + 1);
	json_array_foreach(list, i, value) {
		json_int_t now = json_integer_value(value);

		if (!json_is_integer(value) || now < 0)
			return error_set(err, ERROR_DATA, "field '%s': %zu is not a count", key, i);
		if (now < last + (strictly ? 1 : 0))
			return error_set(err, ERROR_DATA,
					 "field '%s': %zu is %s than the one before", key, i,
					 strictly ? "no more" : "less");
		last = now;
	}
	return true;
}

static const json_t *find(const json_t *all, size_t count, const char *role)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_array_get(all, i);
		const char *own = json_string_value(json_object_get(one, "role"));

		if (own && text_equal(own, role))
			return one;
	}
	return NULL;
}

static bool check_role(const json_t *all, size_t index, struct error *err)
{
	const json_t *one = json_array_get(all, index);
	const char *role;

	if (!json_get_name(one, "role", &role, err) || !check_list(one, "at_ns", true, err) ||
	    !check_list(one, "operations", false, err))
		return false;
	if (find(all, index, role))
		return error_set(err, ERROR_DATA, "another %s", role);
	if (json_array_size(json_object_get(one, "at_ns")) !=
	    json_array_size(json_object_get(one, "operations")))
		return error_set(err, ERROR_DATA, "not as many operations as moments");
	return true;
}

bool slices_check(const json_t *record, struct error *err)
{
	json_t *all;

	if (!json_object_get(record, "slices"))
		return true;
	if (!json_get_array(record, "slices", &all, err))
		return false;
	if (json_array_size(all) > RUN_SERIES_MAX)
		return error_set(err, ERROR_DATA, "more than %d slices", RUN_SERIES_MAX);
	for (size_t i = 0; i < json_array_size(all); i++) {
		if (!check_role(all, i, err))
			return error_wrap(err, "slices %zu", i);
	}
	return true;
}

static int64_t at(const json_t *list, size_t index)
{
	return json_integer_value(json_array_get(list, index));
}

size_t run_slices(const struct run *r, const char *role, struct slice *ret)
{
	const json_t *all = json_object_get(r->record, "slices");
	const json_t *one = find(all, json_array_size(all), role);
	const json_t *moments = json_object_get(one, "at_ns");
	const json_t *counts = json_object_get(one, "operations");
	size_t n = json_array_size(moments);

	for (size_t i = 1; i < n; i++) {
		struct slice *s = &ret[i - 1];

		*s = (struct slice){
			.begin_ns = at(moments, i - 1),
			.end_ns = at(moments, i),
			.operations = at(counts, i) - at(counts, i - 1),
		};
		s->rate = (double)s->operations * (double)NS_PER_SEC /
			  (double)(s->end_ns - s->begin_ns);
	}
	return n ? n - 1 : 0;
}
