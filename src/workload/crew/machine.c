// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/machine.h"

#include <assert.h>

#include "base/clock.h"
#include "base/text.h"
#include "kernel/flat_keyed.h"
#include "kernel/thp.h"
#include "kernel/zram.h"

void machine_init(struct machine *m, const char *root, const char *group,
		  const struct machine_counter *counters)
{
	*m = (struct machine){.counters = counters, .root = root, .group = group};
}

/* *ret_of_group: it is that of the run's own group. */
static int64_t read_key(const struct machine *m, enum machine_source from, const char *key,
			bool *ret_of_group)
{
	int64_t own = -1;

	*ret_of_group = false;
	if (from == MACHINE_MTHP)
		return thp_stat(m->root, key);
	if (from == MACHINE_ZRAM)
		return zram_stat(m->root, key);
	if (m->group) {
		char *path __free(memory) = text_format("%s/memory.stat", m->group);

		own = flat_keyed_integer(m->root, path, key);
	}
	*ret_of_group = own >= 0;
	return own >= 0 ? own : flat_keyed_integer(m->root, "/proc/vmstat", key);
}

/* The sum of the keys that this kernel has; -1: it has none of them. */
static int64_t read_one(const struct machine *m, size_t i, bool *ret_of_group)
{
	const struct machine_counter *c = &m->counters[i];
	int64_t sum = -1;

	*ret_of_group = true;
	for (size_t k = 0; k < MACHINE_KEYS && c->keys[k]; k++) {
		bool of_group;
		int64_t value = read_key(m, c->from, c->keys[k], &of_group);

		if (value < 0)
			continue;
		sum = (sum < 0 ? 0 : sum) + value;
		*ret_of_group &= of_group;
	}
	return sum;
}

static void read_all(struct machine *m, int64_t *values)
{
	for (size_t i = 0; m->counters && m->counters[i].name; i++) {
		assert(i < MACHINE_MAX);
		values[i] = read_one(m, i, &m->of_group[i]);
	}
}

void machine_begin(struct machine *m)
{
	m->begin_ns = clock_now_ns();
	read_all(m, m->before);
}

void machine_end(struct machine *m)
{
	read_all(m, m->after);
	m->end_ns = clock_now_ns();
}

static bool is_state(const struct machine_counter *c)
{
	return c->from == MACHINE_ZRAM;
}

/* What a counter came to; -1: it is not known. */
static int64_t value_of(const struct machine *m, size_t i)
{
	if (!m->end_ns || m->before[i] < 0 || m->after[i] < 0)
		return -1;
	if (is_state(&m->counters[i]))
		return m->after[i];
	return m->after[i] >= m->before[i] ? m->after[i] - m->before[i] : -1;
}

int64_t machine_counted(const struct machine *m, const char *name)
{
	for (size_t i = 0; m->counters && m->counters[i].name; i++) {
		if (text_equal(m->counters[i].name, name))
			return value_of(m, i);
	}
	return -1;
}

void machine_record(const struct machine *m, json_t *record)
{
	json_t *object, *counters, *group;

	if (!m->counters || !m->end_ns)
		return;
	object = json_object();
	counters = json_object();
	group = json_array();
	json_object_set_new(object, "window_ns", json_integer(m->end_ns - m->begin_ns));
	for (size_t i = 0; m->counters[i].name; i++) {
		const struct machine_counter *c = &m->counters[i];
		int64_t value = value_of(m, i);

		if (value < 0)
			continue;
		json_object_set_new(is_state(c) ? object : counters, c->name, json_integer(value));
		if (m->of_group[i])
			json_array_append_new(group, json_text(c->name));
	}
	json_object_set_new(object, "counters", counters);
	json_object_set_new(object, "of_group", group);
	json_object_set_new(record, "machine", object);
}
