// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/placement.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/crew/params.h"

void placement_done(struct placement *p)
{
	for (size_t r = 0; r < ROLE_MAX; r++)
		free(p->roles[r].cpus);
	free(p->order);
	*p = (struct placement){0};
}

int placement_behind(const struct placement *p, int cpu, unsigned int steps)
{
	size_t at = 0;

	while (at < p->order_count && p->order[at] != cpu)
		at++;
	/* Tasks are placed on nothing else. */
	assert(at < p->order_count);
	return p->order[(at + steps) % p->order_count];
}

/* Says which CPUs there are: "only CPU 0", "only 2 CPUs, on which others run already". */
static bool refuse(const struct cast *cast, const struct role *role, const struct topology *t,
		   struct error *err)
{
	if (t->count == 1)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"%s needs a second CPU for its %s: this process may use only CPU %d",
			cast->workload->name, role->name, t->cpus[0].number);
	return error_set(err, ERROR_UNSUPPORTED,
			 "%s needs a CPU of its own for its %s: all %zu that this process may use "
			 "are taken by other roles",
			 cast->workload->name, role->name, t->count);
}

/* The index of an earlier role by its name. */
static size_t earlier(const struct workload *w, size_t before, const char *name)
{
	size_t r = 0;

	while (r < before && !text_equal(w->roles[r].name, name))
		r++;
	/* Otherwise a bug in the workload's declaration. */
	assert(r < before);
	return r;
}

/* Places on the CPUs of an earlier role, which it lists task by task. */
static void place_beside(struct placement *p, size_t r, size_t other)
{
	for (unsigned int k = 0; k < p->roles[r].tasks; k++)
		p->roles[r].cpus[k] = p->roles[other].cpus[k % p->roles[other].tasks];
	p->roles[r].distinct = p->roles[other].distinct;
	if (p->roles[r].distinct > p->roles[r].tasks)
		p->roles[r].distinct = p->roles[r].tasks;
}

/* Where the placement of all roles has got to. */
struct board {
	const struct topology *topology;
	bool *used;	/* by CPU */
	size_t *chosen; /* room for the CPUs of one role */
	size_t next;	/* the CPU behind the last one given out */
};

/* Places on the next CPUs in order; where apart, only on those that nobody has. False: none. */
static bool place_next(struct placement *p, size_t r, bool apart, struct board *b)
{
	size_t count = 0;

	for (size_t i = 0; i < b->topology->count; i++) {
		size_t at = (b->next + i) % b->topology->count;

		if (!apart || !b->used[at])
			b->chosen[count++] = at;
	}
	if (!count)
		return false;
	for (unsigned int k = 0; k < p->roles[r].tasks; k++) {
		size_t at = b->chosen[k % count];

		p->roles[r].cpus[k] = b->topology->cpus[at].number;
		b->used[at] = true;
	}
	p->roles[r].distinct = p->roles[r].tasks < count ? p->roles[r].tasks : (unsigned int)count;
	b->next = (b->chosen[p->roles[r].distinct - 1] + 1) % b->topology->count;
	return true;
}

bool placement_make(const struct cast *cast, const struct topology *topology, struct placement *ret,
		    struct error *err)
{
	struct placement p __cleanup(placement_done) = {0};
	bool *used __free(memory) = memory_array(topology->count, sizeof(*used));
	size_t *chosen __free(memory) = memory_array(topology->count, sizeof(*chosen));
	struct board board = {.topology = topology, .used = used, .chosen = chosen};

	p.order = memory_array(topology->count, sizeof(*p.order));
	p.order_count = topology->count;
	for (size_t i = 0; i < topology->count; i++)
		p.order[i] = topology->cpus[i].number;
	for (size_t r = 0; cast->workload->roles[r].name; r++) {
		const struct role *role = &cast->workload->roles[r];
		size_t other;

		p.roles[r].tasks = cast_tasks(cast, role);
		if (!p.roles[r].tasks)
			continue;
		p.roles[r].cpus = memory_array(p.roles[r].tasks, sizeof(*p.roles[r].cpus));
		other = role->beside ? earlier(cast->workload, r, role->beside) : r;
		if (role->apart && place_next(&p, r, true, &board))
			continue;
		if (other != r && p.roles[other].tasks)
			place_beside(&p, r, other);
		else if (role->apart)
			return refuse(cast, role, topology, err);
		else
			place_next(&p, r, false, &board);
	}
	*ret = p;
	p = (struct placement){0};
	return true;
}
