// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/slices.h"

/*
 * The supervisor may lose its CPU in the middle of a reading: what it reads then is of no one
 * moment. A reading that took longer than this, and this for each task, is made again.
 */
enum { READ_LIMIT_NS = 20000, READ_LIMIT_PER_TASK_NS = 500, READ_TRIES = 3 };

uint64_t slices_successes(const struct role *role, const struct tally *tally)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; role->operations[i].name; i++) {
		if (!role->operations[i].part)
			sum += __atomic_load_n(&tally->operations[i], __ATOMIC_RELAXED);
	}
	return sum;
}

static void read_role(const struct slices *s, size_t r, struct slice_moment *ret)
{
	const struct role *role = &s->cast->workload->roles[r];
	unsigned int tasks = s->placement->roles[r].tasks;
	int64_t limit_ns = READ_LIMIT_NS + (int64_t)tasks * READ_LIMIT_PER_TASK_NS;
	int64_t before_ns, after_ns;
	int tries = 0;

	do {
		before_ns = clock_now_ns();
		ret->operations[r] = 0;
		for (unsigned int k = 0; k < tasks; k++) {
			const struct slot *slot = stage_slot(s->map, r, k);
			uint64_t iterations = stage_iterations(slot);

			ret->operations[r] += slices_successes(role, &slot->tally);
			if (iterations > slot->begin_iterations)
				ret->operations[r] += iterations - slot->begin_iterations;
		}
		after_ns = clock_now_ns();
	} while (after_ns - before_ns > limit_ns && ++tries < READ_TRIES);
	ret->at_ns[r] = before_ns + (after_ns - before_ns) / 2 - s->begin_ns;
}

static void read_roles(const struct slices *s, struct slice_moment *ret)
{
	for (size_t r = 0; s->cast->workload->roles[r].name; r++) {
		if (s->placement->roles[r].tasks)
			read_role(s, r, ret);
	}
}

void slices_begin(struct slices *s, const struct cast *cast, const struct placement *placement,
		  const struct stage_map *map, int64_t window_ns)
{
	int64_t slices = window_ns / (SLICE_LEAST_MS * NS_PER_MS);

	if (slices > SLICES_WISHED)
		slices = SLICES_WISHED;
	if (slices < SLICES_LEAST)
		return;
	s->cast = cast;
	s->placement = placement;
	s->map = map;
	s->step_ns = window_ns / slices;
	s->begin_ns = clock_now_ns();
	slices_read(s);
}

void slices_read(struct slices *s)
{
	s->last_ns = clock_now_ns();
	read_roles(s, &s->list[s->moments++]);
	/* The next one on the grid, but not right behind this one where this one is late. */
	s->due_ns = s->begin_ns + (s->last_ns - s->begin_ns + s->step_ns + s->step_ns / 2) /
					  s->step_ns * s->step_ns;
	/* The last one is slices_end()'s. */
	if (s->moments >= SLICES_WISHED)
		s->due_ns = INT64_MAX;
}

void slices_end(struct slices *s)
{
	if (!s->moments)
		return;
	s->due_ns = INT64_MAX;
	/* So close behind another one that it would be no slice: in its place. */
	if (s->moments > 1 && clock_now_ns() < s->last_ns + s->step_ns / 2)
		s->moments--;
	read_roles(s, &s->list[s->moments++]);
}

void slices_record(const struct slices *s, json_t *record)
{
	json_t *all;

	if (s->moments < 2)
		return;
	all = json_array();
	json_object_set_new(record, "slices", all);
	for (size_t r = 0; s->cast->workload->roles[r].name; r++) {
		json_t *at = json_array(), *operations = json_array();
		uint64_t most = 0;

		for (size_t i = 0; i < s->moments; i++) {
			/* Less than before is what a test case makes that sets its count back. */
			if (s->list[i].operations[r] > most)
				most = s->list[i].operations[r];
			json_array_append_new(at, json_integer(s->list[i].at_ns[r]));
			json_array_append_new(operations, json_integer((json_int_t)most));
		}
		if (s->placement->roles[r].tasks)
			json_array_append_new(all,
					      json_pack("{s:s, s:O, s:O}", "role",
							s->cast->workload->roles[r].name, "at_ns",
							at, "operations", operations));
		json_decref(at);
		json_decref(operations);
	}
}
