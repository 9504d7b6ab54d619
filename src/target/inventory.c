// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/inventory.h"

#include "base/memory.h"
#include "base/text.h"

void inventory_done(struct inventory *i)
{
	for (struct description **d = i->workloads; d && *d; d++)
		description_free(*d);
	free(i->workloads);
	free(i->setups);
	free(i->probes);
	json_decref(i->answer);
	*i = (struct inventory){0};
}

/* An array of the answer, of a length that an agent may have. */
static bool get_list(const json_t *answer, const char *key, json_t **ret, struct error *err)
{
	if (!json_get_array(answer, key, ret, err))
		return false;
	return json_array_size(*ret) <= DESCRIPTION_LIST_MAX ||
	       error_set(err, ERROR_DATA, "%zu %s, more than %d", json_array_size(*ret), key,
			 DESCRIPTION_LIST_MAX);
}

static bool read_workloads(const json_t *answer, struct inventory *inventory, struct error *err)
{
	struct description **list;
	json_t *array, *object;
	size_t i;

	if (!get_list(answer, "workloads", &array, err))
		return false;
	list = memory_array(json_array_size(array) + 1, sizeof(struct description *));
	inventory->workloads = list;
	json_array_foreach(array, i, object) {
		if (!description_from_json(object, &list[i], err))
			return error_wrap(err, "workload %zu", i + 1);
		for (size_t j = 0; j < i; j++) {
			if (text_equal(list[j]->name, list[i]->name))
				return error_set(err, ERROR_DATA, "workload %s is there twice",
						 list[i]->name);
		}
	}
	return true;
}

static bool read_offers(const json_t *answer, const char *key, struct offer **ret,
			struct error *err)
{
	json_t *array, *object;
	size_t i;

	if (!get_list(answer, key, &array, err))
		return false;
	*ret = memory_array(json_array_size(array) + 1, sizeof(struct offer));
	json_array_foreach(array, i, object) {
		struct offer *o = &(*ret)[i];

		if (!json_get_name(object, "name", &o->name, err) ||
		    !json_get_string(object, "summary", &o->summary, err) ||
		    (json_object_get(object, "unsupported") &&
		     !json_get_string(object, "unsupported", &o->unsupported, err)))
			return error_wrap(err, "%s %zu", key, i + 1);
	}
	return true;
}

static bool read_cpus(const json_t *answer, int64_t *ret, struct error *err)
{
	return !json_object_get(answer, "cpus") || json_get_count(answer, "cpus", ret, err);
}

bool inventory_from_json(json_t *answer, struct inventory *ret, struct error *err)
{
	struct inventory draft __cleanup(inventory_done) = {.answer = json_incref(answer)};

	if (!read_workloads(answer, &draft, err) ||
	    !read_offers(answer, "setups", &draft.setups, err) ||
	    !read_offers(answer, "probes", &draft.probes, err) ||
	    !read_cpus(answer, &draft.cpus, err)) {
		err->code = ERROR_DATA;
		return false;
	}
	*ret = draft;
	draft = (struct inventory){0};
	return true;
}
