// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/description.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void description_free(struct description *d)
{
	if (!d)
		return;
	json_decref(d->object);
	free(d->roles);
	free(d->params);
	free(d->metrics);
	free(d);
}

/* Returns zeroed room for what an array holds and the end of the list; NULL with err set. */
static void *list_new(const json_t *object, const char *key, size_t size, json_t **ret_array,
		      struct error *err)
{
	if (!json_get_array(object, key, ret_array, err))
		return NULL;
	if (json_array_size(*ret_array) > DESCRIPTION_LIST_MAX) {
		error_set(err, ERROR_DATA, "field '%s' has more than %d elements", key,
			  DESCRIPTION_LIST_MAX);
		return NULL;
	}
	return memory_array(json_array_size(*ret_array) + 1, size);
}

static bool twice(const char *what, const char *name, struct error *err)
{
	return error_set(err, ERROR_DATA, "%s '%s' is declared twice", what, name);
}

/* Finds a role by the first `length` characters of a text. */
static bool has_role(const struct description *d, const char *name, size_t length)
{
	for (const struct role_description *r = d->roles; r->name; r++) {
		if (strlen(r->name) == length && !memcmp(r->name, name, length))
			return true;
	}
	return false;
}

static bool read_roles(struct description *d, struct error *err)
{
	json_t *array, *object;
	size_t i;

	d->roles = list_new(d->object, "roles", sizeof(*d->roles), &array, err);
	if (!d->roles)
		return false;
	json_array_foreach(array, i, object) {
		struct role_description role;

		if (!json_get_name(object, "name", &role.name, err) ||
		    !json_get_string(object, "help", &role.help, err))
			return error_wrap(err, "role %zu", i);
		if (has_role(d, role.name, strlen(role.name)))
			return twice("role", role.name, err);
		d->roles[i] = role;
	}
	return true;
}

static bool read_params(struct description *d, struct error *err)
{
	json_t *array, *object;
	size_t i;

	d->params = list_new(d->object, "params", sizeof(*d->params), &array, err);
	if (!d->params)
		return false;
	json_array_foreach(array, i, object) {
		struct param param;

		if (!param_from_json(object, &param, err))
			return false;
		if (param_find(d->params, param.name))
			return twice("parameter", param.name, err);
		d->params[i] = param;
	}
	return params_check_declared(d->params, err);
}

/* The role of "role.name" must be declared. */
static bool check_place(const struct description *d, const struct metric *m, const char *place,
			struct error *err)
{
	size_t length = strcspn(place, ".");

	if (has_role(d, place, length))
		return true;
	return error_set(err, ERROR_DATA, "metric '%s': no role '%.*s'", m->name, (int)length,
			 place);
}

static bool read_metrics(struct description *d, struct error *err)
{
	json_t *array, *object;
	unsigned int primaries = 0;
	size_t i;

	d->metrics = list_new(d->object, "metrics", sizeof(*d->metrics), &array, err);
	if (!d->metrics)
		return false;
	json_array_foreach(array, i, object) {
		struct metric m;

		if (!metric_from_json(object, &m, err))
			return false;
		if (description_metric(d, m.name))
			return twice("metric", m.name, err);
		if (!check_place(d, &m, m.of, err) || (m.per && !check_place(d, &m, m.per, err)))
			return false;
		if (m.primary && m.better == BETTER_NEITHER)
			return error_set(err, ERROR_DATA,
					 "metric '%s' is primary, but never judged", m.name);
		primaries += m.primary;
		d->metrics[i] = m;
		d->metric_count = i + 1;
	}
	if (primaries != 1)
		return error_set(err, ERROR_DATA, "%u primary metrics, not one", primaries);
	return true;
}

/* Absent, null and "" all say that the workload can run. */
static bool read_unsupported(struct description *d, struct error *err)
{
	const json_t *value = json_object_get(d->object, "unsupported");

	if (!value || json_is_null(value))
		return true;
	if (!json_get_string(d->object, "unsupported", &d->unsupported, err))
		return false;
	if (!*d->unsupported)
		d->unsupported = NULL;
	return true;
}

bool description_from_json(json_t *object, struct description **ret, struct error *err)
{
	struct description *d __free(description) = memory_alloc(sizeof(*d));

	d->object = json_incref(object);
	if (!json_get_name(object, "name", &d->name, err))
		return error_wrap(err, "workload");
	if (!json_get_string(object, "summary", &d->summary, err) ||
	    !json_get_string(object, "needs", &d->needs, err) || !read_unsupported(d, err) ||
	    !read_roles(d, err) || !read_params(d, err) || !read_metrics(d, err))
		return error_wrap(err, "workload '%s'", d->name);
	*ret = take(d);
	return true;
}

const struct metric *description_primary(const struct description *d)
{
	const struct metric *m = d->metrics;

	while (m->name && !m->primary)
		m++;
	assert(m->name);
	return m;
}

const struct metric *description_metric(const struct description *d, const char *name)
{
	for (const struct metric *m = d->metrics; m->name; m++) {
		if (text_equal(m->name, name))
			return m;
	}
	return NULL;
}

bool description_opens_shift(const struct description *d, size_t index)
{
	const struct metric *m = &d->metrics[index];

	for (size_t i = 0; i < index; i++) {
		if (metric_shares_shift(&d->metrics[i], m))
			return false;
	}
	return metric_shares_shift(m, m);
}
