// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/handover.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/crew/crew.h"
#include "workload/crew/params.h"

/*
 * The runner's side, which has to find the workload: the keeper, which a workload needs, has not.
 */

void handover_done(struct handover *h)
{
	stage_close(&h->map);
	placement_done(&h->placement);
	free(h->declared);
	json_decref(h->job);
	*h = (struct handover){.map = STAGE_MAP_NONE};
}

static bool damaged(const char *what, struct error *err)
{
	return error_set(err, ERROR_DATA, "the argument is no job of an agent: no %s", what);
}

static bool take_cpus(const json_t *cpus, struct placement *ret, size_t role, struct error *err)
{
	size_t count = json_array_size(cpus);

	if (!count || count > RUN_TASKS_MAX)
		return damaged("cpus", err);
	ret->roles[role].tasks = (unsigned int)count;
	ret->roles[role].cpus = memory_array(count, sizeof(*ret->roles[role].cpus));
	for (size_t k = 0; k < count; k++)
		ret->roles[role].cpus[k] = (int)json_integer_value(json_array_get(cpus, k));
	return true;
}

/* Everything but the memory. */
static bool take_words(struct handover *h, struct error *err)
{
	const char *version = json_string_value(json_object_get(h->job, "version"));
	const char *name = json_string_value(json_object_get(h->job, "workload"));
	const struct workload *w = name ? workload_find(name) : NULL;
	json_int_t role = json_integer_value(json_object_get(h->job, "role"));
	size_t roles = 0;

	if (!version)
		return damaged("version", err);
	if (!text_equal(version, CONTEND_VERSION))
		return error_set(err, ERROR_DATA, "this is version %s, the agent has %s",
				 CONTEND_VERSION, version);
	if (!w)
		return damaged("workload", err);
	while (w->roles[roles].name)
		roles++;
	if (role < 0 || (size_t)role >= roles || !w->roles[role].guest)
		return damaged("role", err);
	h->role = (size_t)role;
	h->threads = json_is_true(json_object_get(h->job, "threads"));
	h->declared = params_declared(w);
	h->cast = (struct cast){
		.workload = w,
		.declared = h->declared,
		.values = json_object_get(h->job, "params"),
	};
	if (!json_is_object(h->cast.values))
		return damaged("params", err);
	return crew_check(w, h->cast.values, err) &&
	       take_cpus(json_object_get(h->job, "cpus"), &h->placement, h->role, err);
}

bool handover_take(const char *text, struct handover *ret, struct error *err)
{
	struct handover h __cleanup(handover_done) = {.map = STAGE_MAP_NONE};
	int bell;

	if (!json_parse(text, strlen(text), &h.job, err))
		return error_wrap(err, "the argument is no job of an agent");
	int fd __free(fd) = json_is_integer(json_object_get(h.job, "stage"))
				    ? (int)json_integer_value(json_object_get(h.job, "stage"))
				    : -1;

	if (fd < 0)
		return damaged("stage", err);
	if (!take_words(&h, err))
		return false;
	bell = (int)json_integer_value(json_object_get(h.job, "bell"));
	if (!stage_adopt(&h.cast, &h.placement, fd, bell, &h.map, err))
		return false;
	*ret = h;
	h = (struct handover){.map = STAGE_MAP_NONE};
	return true;
}
