// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"
#include "kernel/host.h"
#include "probe/probe.h"
#include "setup/setup.h"
#include "workload/crew/crew.h"

/* {"name","supported","why"}; why is "" where it is. */
static void add(json_t *list, const char *name, bool supported, const struct error *err)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_text(name));
	json_object_set_new(object, "supported", json_boolean(supported));
	json_object_set_new(object, "why", json_text(supported ? "" : err->text));
	json_array_append_new(list, object);
}

/* {"host","workloads","setups","probes"}: what this machine can and cannot measure. */
json_t *agent_doctor(struct agent *a __attribute__((unused)),
		     const struct wire_request *request __attribute__((unused)), struct error *err)
{
	json_t *answer = json_object();
	json_t *workloads = json_array(), *setups = json_array(), *probes = json_array();
	json_t *defaults __free(json) = json_object();

	for (const struct workload *const *w = workload_all(); *w; w++)
		add(workloads, (*w)->name, crew_supported(*w, defaults, err), err);
	for (const struct setup *const *s = setup_all(); *s; s++)
		add(setups, (*s)->name, setup_supported(*s, "", err), err);
	for (const struct probe *const *p = probe_all(); *p; p++)
		add(probes, (*p)->name, (*p)->supported(err), err);
	json_object_set_new(answer, "host", host_describe(""));
	json_object_set_new(answer, "workloads", workloads);
	json_object_set_new(answer, "setups", setups);
	json_object_set_new(answer, "probes", probes);
	return answer;
}
