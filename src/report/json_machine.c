// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "model/fingerprint.h"
#include "report/json.h"
#include "report/json_value.h"

static json_t *cpu_count(const struct machine *m, const char *key)
{
	const char *list = json_string_value(json_object_get(m->host, key));

	return list ? json_unless_zero(fingerprint_cpu_count(list)) : json_null();
}

/* What a record says of its machine: names and numbers, nothing deeper. */
static json_t *host(const struct machine *m)
{
	json_t *object = m->host ? json_object() : json_null();
	const char *key;
	json_t *value;

	json_object_foreach(m->host, key, value) {
		if (json_is_string(value) || json_is_number(value))
			json_object_set(object, key, value);
	}
	return object;
}

static json_t *changes(const struct findings *f, const struct difference *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->change_count; i++) {
		const struct change *c = &d->changes[i];
		const struct entry *e = &f->runs->list[c->run];
		json_t *object = json_object();

		json_object_set_new(object, "before", json_text(c->before));
		json_object_set_new(object, "after", json_text(c->after));
		json_object_set_new(object, "subject", json_count(e->subject));
		json_object_set_new(object, "pair", json_pair(f->experiment, e));
		json_object_set_new(object, "arm", json_text(arm_keys[e->arm]));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *differences(const struct findings *f, const struct machine *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->difference_count; i++) {
		const struct difference *d = &m->differences[i];
		json_t *object = json_object();

		json_object_set_new(object, "key", json_text(d->key));
		json_object_set_new(object, "of_arms", json_boolean(d->of_arms));
		json_object_set_new(object, "values", json_recurrences(f->experiment, &d->values));
		json_object_set_new(object, "changes", changes(f, d));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *doubts(const struct experiment *e, const struct machine *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->doubt_count; i++) {
		const struct machine_doubt *d = &m->doubts[i];
		json_t *object = json_object();

		json_object_set_new(object, "key", json_text(d->key));
		json_object_set_new(object, "reason", json_text(d->reason));
		json_object_set_new(object, "grave", json_boolean(d->grave));
		json_object_set_new(object, "runs", json_by_arm(e, d->runs));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *json_machine(const struct findings *f, const struct machine *m)
{
	json_t *object = json_object();

	json_object_set_new(object, "host", host(m));
	json_object_set_new(object, "emulated", json_boolean(machine_emulated(m)));
	json_object_set_new(object, "cpus_online", cpu_count(m, "cpus_online"));
	json_object_set_new(object, "cpus_allowed", cpu_count(m, "cpus_allowed"));
	json_object_set_new(object, "load1",
			    isnan(m->load_low) ? json_null()
					       : json_range(m->load_low, m->load_high));
	json_object_set_new(object, "differences", differences(f, m));
	json_object_set_new(object, "doubts", doubts(f->experiment, m));
	return object;
}
