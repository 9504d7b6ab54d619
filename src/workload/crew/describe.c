// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "base/text.h"
#include "workload/crew/crew.h"
#include "workload/crew/params.h"

/* The fairness of a role that can have several tasks. */
static json_t *fairness(const struct role *role)
{
	char *name __free(memory) = text_format("%s_fairness", role->name);
	char *of __free(memory) = text_format("%s.operations", role->name);
	struct metric m = {
		.name = name,
		.unit = "ratio",
		.better = BETTER_HIGHER,
		.summary = SUMMARY_FAIRNESS,
		.of = of,
		.multitask = true,
		.help = "operations/s of the slowest task over those of the fastest: 1 is fair",
	};

	return metric_to_json(&m);
}

static json_t *describe_role(const char *name, const char *help)
{
	json_t *role = json_object();

	json_object_set_new(role, "name", json_text(name));
	json_object_set_new(role, "help", json_text(help));
	return role;
}

#define MACHINE_HELP                                                                               \
	"no task: what the kernel counts of the whole machine from right before the windows open " \
	"to right after they close, or of the run's memory cgroup alone where that has it (v2)"

json_t *crew_describe(const struct workload *w)
{
	struct param *declared __free(memory) = params_declared(w);
	json_t *object = json_object();
	json_t *roles = json_array(), *params = json_array(), *metrics = json_array();
	json_t *defaults __free(json) = json_object();
	struct error err;

	for (const struct role *r = w->roles; r->name; r++)
		json_array_append_new(roles, describe_role(r->name, r->help));
	if (w->machine)
		json_array_append_new(roles, describe_role("machine", MACHINE_HELP));
	for (const struct param *p = declared; p->name; p++)
		json_array_append_new(params, param_to_json(p));
	for (const struct metric *m = w->metrics; m->name; m++)
		json_array_append_new(metrics, metric_to_json(m));
	for (const struct role *r = w->roles; r->name; r++) {
		if (!r->alone)
			json_array_append_new(metrics, fairness(r));
	}
	json_object_set_new(object, "name", json_text(w->name));
	json_object_set_new(object, "summary", json_text(w->summary));
	json_object_set_new(object, "needs", json_text(w->needs));
	if (!crew_supported(w, defaults, &err))
		json_object_set_new(object, "unsupported", json_text(err.text));
	json_object_set_new(object, "roles", roles);
	json_object_set_new(object, "params", params);
	json_object_set_new(object, "metrics", metrics);
	return object;
}
