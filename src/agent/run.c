// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"
#include "agent/lookout.h"
#include "agent/scene.h"
#include "base/text.h"
#include "setup/setup.h"
#include "workload/crew/crew.h"

static bool tick(void *context, const char *phase, double share_done)
{
	struct lookout *l = context;

	if (lookout_is_called_off(l, false))
		return false;
	agent_say_progress(l->agent, phase, share_done);
	return !l->agent->gone;
}

/* "brk1, null, proc_maps" */
static char *workload_names(void)
{
	struct text names = {0};

	for (const struct workload *const *w = workload_all(); *w; w++)
		text_printf(&names, "%s%s", w == workload_all() ? "" : ", ", (*w)->name);
	return text_take(&names);
}

/* What is the workload's of a job's params, and what is for setups. */
struct values {
	json_t *workload, *setup; /* owned */
};

static void values_done(struct values *v)
{
	json_decref(v->workload);
	json_decref(v->setup);
}

/* A name that is nobody's stays with the workload's, who refuses it. */
static bool split(const struct workload *w, json_t *params, struct values *ret, struct error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach(params, name, value) {
		const struct setup *setup;
		const struct param *p =
			crew_declares(w, name) ? NULL : setup_find_param(name, &setup);
		double ignored;

		if (p && !json_is_string(value))
			return error_set(err, ERROR_USAGE, "parameter '%s' is not a string", name);
		if (p && !param_check(p, json_string_value(value), &ignored, err))
			return false;
		json_object_set(p ? ret->setup : ret->workload, name, value);
	}
	return crew_check(w, ret->workload, err);
}

json_t *agent_run(struct agent *a, const struct wire_request *request, struct error *err)
{
	struct lookout l __cleanup(lookout_done) = {.epoll = -1, .signals = -1};
	struct values values __cleanup(values_done) = {json_object(), json_object()};
	const struct workload *w = workload_find(request->workload);
	char *names __free(memory) = workload_names();
	struct crew_watch watch = {.tick = tick, .context = &l};

	if (!w) {
		error_set(err, ERROR_USAGE, "no workload '%s'; there are %s", request->workload,
			  names);
		return NULL;
	}
	if (!split(w, request->params, &values, err) || !lookout_init(&l, a, err))
		return NULL;
	watch.fd = l.epoll;
	if (!json_object_size(values.setup))
		return crew_run(w, values.workload, NULL, &watch);
	return agent_run_in_scene(a, w, values.workload, values.setup, request->holder, &watch,
				  err);
}
