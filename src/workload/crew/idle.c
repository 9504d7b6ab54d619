// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/idle.h"

#include "base/clock.h"

void idle_done(struct idle *i)
{
	cpu_idle_done(&i->before);
	cpu_idle_done(&i->after);
}

void idle_begin(struct idle *i)
{
	i->begin_ns = clock_now_ns();
	i->before = cpu_idle_read("");
}

void idle_end(struct idle *i)
{
	i->after = cpu_idle_read("");
	i->end_ns = clock_now_ns();
}

/* True for a CPU on which a task was placed. */
static bool is_used(const void *placement, int cpu)
{
	const struct placement *p = placement;

	for (size_t r = 0; r < ROLE_MAX; r++) {
		for (unsigned int k = 0; k < p->roles[r].tasks; k++) {
			if (p->roles[r].cpus[k] == cpu)
				return true;
		}
	}
	return false;
}

static void set_share(json_t *object, const char *key, size_t cpus, int64_t idle_ns)
{
	json_t *share = json_object();

	json_object_set_new(share, "cpus", json_integer((json_int_t)cpus));
	json_object_set_new(share, "idle_ns", json_integer(idle_ns));
	json_object_set_new(object, key, share);
}

void idle_record(const struct idle *i, const struct placement *p, json_t *record)
{
	json_t *object;
	size_t used, all;
	int64_t used_ns, all_ns;

	if (!i->end_ns || !cpu_idle_between(&i->before, &i->after, is_used, p, &used, &used_ns) ||
	    !cpu_idle_between(&i->before, &i->after, NULL, NULL, &all, &all_ns))
		return;
	object = json_object();
	json_object_set_new(object, "span_ns", json_integer(i->end_ns - i->begin_ns));
	set_share(object, "used", used, used_ns);
	set_share(object, "machine", all, all_ns);
	json_object_set_new(record, "idle", object);
}
