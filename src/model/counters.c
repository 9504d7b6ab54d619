// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counters.h"

#include "base/memory.h"
#include "base/text.h"

const char *const counters_of_tasks[] = {
	"cpu_ns",	"system_ns",	"voluntary_switches", "involuntary_switches",
	"minor_faults", "major_faults", "run_delay_ns",	      NULL,
};

static void add(json_t *names, const char *role, const char *name)
{
	char *key __free(memory) = text_format("%s.%s", role, name);

	if (json_object_size(names) < COUNTERS_MAX)
		json_object_set_new(names, key, json_true());
}

void counters_list(const struct run *r, json_t *names)
{
	const json_t *tasks = json_object_get(r->record, "tasks");
	const char *name;
	json_t *task, *value;
	size_t i;

	json_array_foreach(tasks, i, task) {
		const char *role = json_string_value(json_object_get(task, "role"));

		for (size_t k = 0; counters_of_tasks[k]; k++) {
			if (json_object_get(task, counters_of_tasks[k]))
				add(names, role, counters_of_tasks[k]);
		}
		json_object_foreach(json_object_get(task, "counters"), name, value)
			add(names, role, name);
	}
}
