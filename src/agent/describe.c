// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"
#include "kernel/topology.h"
#include "probe/probe.h"
#include "setup/setup.h"
#include "workload/crew/crew.h"

/* What setups and probes say of themselves alike. */
static json_t *entry(const char *name, const char *summary, bool supported, const struct error *err)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_text(name));
	json_object_set_new(object, "summary", json_text(summary));
	if (!supported)
		json_object_set_new(object, "unsupported", json_text(err->text));
	return object;
}

/* A setup's parameter, as one of a workload: it may be given with any, but for its own names. */
static void add_setup_params(const struct workload *w, json_t *params)
{
	for (const struct setup *const *s = setup_all(); *s; s++) {
		for (const struct param *p = (*s)->params; p->name; p++) {
			struct param its = *p;

			its.setup = (*s)->name;
			its.private = (*s)->private;
			if (!crew_declares(w, p->name))
				json_array_append_new(params, param_to_json(&its));
		}
	}
}

/* How many CPUs tasks are placed on; left out where that cannot be read. */
static void add_cpus(json_t *answer)
{
	struct topology t __cleanup(topology_done) = {0};
	struct error ignored;

	if (topology_read("", &t, &ignored))
		json_object_set_new(answer, "cpus", json_integer((json_int_t)t.count));
}

/* {"agent","cpus","workloads","setups","probes"}: what this agent can do. */
json_t *agent_describe(struct agent *a __attribute__((unused)),
		       const struct wire_request *request __attribute__((unused)),
		       struct error *err)
{
	json_t *answer = json_object();
	json_t *workloads = json_array(), *setups = json_array(), *probes = json_array();

	for (const struct workload *const *w = workload_all(); *w; w++) {
		json_t *workload = crew_describe(*w);

		add_setup_params(*w, json_object_get(workload, "params"));
		json_array_append_new(workloads, workload);
	}
	for (const struct setup *const *s = setup_all(); *s; s++) {
		json_t *setup = entry((*s)->name, (*s)->summary, setup_supported(*s, "", err), err);
		json_t *params = json_array();

		for (const struct param *p = (*s)->params; p->name; p++)
			json_array_append_new(params, param_to_json(p));
		json_object_set_new(setup, "params", params);
		json_array_append_new(setups, setup);
	}
	for (const struct probe *const *p = probe_all(); *p; p++) {
		json_t *probe = entry((*p)->name, (*p)->summary, (*p)->supported(err), err);
		json_t *metrics = json_array();

		for (const struct metric *m = (*p)->metrics; m->name; m++)
			json_array_append_new(metrics, metric_to_json(m));
		json_object_set_new(probe, "metrics", metrics);
		json_array_append_new(probes, probe);
	}
	json_object_set_new(answer, "agent", json_text(CONTEND_VERSION));
	add_cpus(answer);
	json_object_set_new(answer, "workloads", workloads);
	json_object_set_new(answer, "setups", setups);
	json_object_set_new(answer, "probes", probes);
	return answer;
}
