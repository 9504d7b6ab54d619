// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/handover.h"

#include "workload/crew/params.h"

char *handover_make(const struct process *p)
{
	const struct part *part = &p->parts[0];
	bool rings = !cast_endless(p->cast, &p->cast->workload->roles[part->role]);
	json_t *job __free(json) = json_object();
	json_t *cpus = json_array();

	for (unsigned int k = 0; k < part->count; k++)
		json_array_append_new(
			cpus, json_integer(p->placement->roles[part->role].cpus[part->first + k]));
	json_object_set_new(job, "version", json_text(CONTEND_VERSION));
	json_object_set_new(job, "workload", json_text(p->cast->workload->name));
	json_object_set_new(job, "role", json_integer((json_int_t)part->role));
	json_object_set_new(job, "params", params_all(p->cast));
	json_object_set_new(job, "cpus", cpus);
	json_object_set_new(job, "threads", json_boolean(p->threads));
	json_object_set_new(job, "stage", json_integer(p->map->fd));
	json_object_set_new(job, "bell", json_integer(rings ? p->map->bell : -1));
	return json_line(job);
}
