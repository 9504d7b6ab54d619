// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/machine.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "judge/doubt.h"
#include "model/fingerprint.h"

/* Exact: what differs must not look the same. The key has the unit. */
static char *value_text(const json_t *value)
{
	if (json_is_string(value))
		return memory_string(json_string_value(value));
	return json_line(value);
}

static void note_load(struct machine *m, const json_t *host)
{
	const json_t *load = json_object_get(host, "load1");

	if (!json_is_number(load))
		return;
	/* fmin() takes the number where the other is not one yet. */
	m->load_low = fmin(m->load_low, json_number_value(load));
	m->load_high = fmax(m->load_high, json_number_value(load));
}

/* ---- differences ---- */

static struct difference *find_difference(const struct machine *m, const char *key)
{
	for (size_t i = 0; i < m->difference_count; i++) {
		if (text_equal(m->differences[i].key, key))
			return &m->differences[i];
	}
	return NULL;
}

const struct difference *machine_difference(const struct machine *m, const char *key)
{
	return find_difference(m, key);
}

/* That fact's difference, which may yet turn out to be none. */
static struct difference *difference_of(struct machine *m, const char *key)
{
	struct difference *d = find_difference(m, key);

	if (d)
		return d;
	m->differences =
		memory_grow(m->differences, (m->difference_count + 1) * sizeof(*m->differences));
	d = &m->differences[m->difference_count++];
	*d = (struct difference){.key = key};
	return d;
}

static void note_value(struct machine *m, const char *key, const json_t *value, int arm)
{
	char *text __free(memory) = value_text(value);

	recurrences_add(&difference_of(m, key)->values, text, arm);
}

static void note_change(struct machine *m, const struct fact_change *c, size_t run)
{
	struct difference *d = difference_of(m, c->key);

	d->changes = memory_grow(d->changes, (d->change_count + 1) * sizeof(*d->changes));
	d->changes[d->change_count++] = (struct change){
		.before = value_text(c->before),
		.after = value_text(c->after),
		.run = run,
	};
}

/* One run's fingerprint: known is what each fact was when it was last said. */
static void note_host(struct machine *m, json_t *host, const struct entry *e, size_t run,
		      json_t *known)
{
	struct fact_changes changes __cleanup(fact_changes_done) = fingerprint_diff(known, host);
	const char *key;
	json_t *value;

	json_object_foreach(host, key, value) {
		if (fingerprint_is_reading(key) ||
		    (!json_is_string(value) && !json_is_number(value)))
			continue;
		note_value(m, key, value, e->arm);
	}
	for (size_t i = 0; i < changes.count; i++)
		note_change(m, &changes.list[i], run);
	json_object_update(known, host);
}

static void difference_done(struct difference *d)
{
	recurrences_done(&d->values);
	for (size_t i = 0; i < d->change_count; i++) {
		free(d->changes[i].before);
		free(d->changes[i].after);
	}
	free(d->changes);
}

/* Each arm has one value only; of more than two some may share one. */
static bool is_of_arms(const struct difference *d)
{
	for (int arm = 0; arm < ARM_MOST; arm++) {
		size_t values = 0;

		for (size_t i = 0; i < d->values.count; i++)
			values += d->values.list[i].runs[arm] > 0;
		if (values > 1)
			return false;
	}
	return true;
}

/* All facts are there with their values: keeps those that have more than one. */
static void keep_differences(struct machine *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->difference_count; i++) {
		struct difference *d = &m->differences[i];

		if (d->values.count < 2) {
			difference_done(d);
			continue;
		}
		d->of_arms = is_of_arms(d);
		m->differences[kept++] = *d;
	}
	m->difference_count = kept;
}

/* ---- doubts ---- */

static struct machine_doubt *find_doubt(const struct machine *m, const struct doubt *d)
{
	for (size_t i = 0; i < m->doubt_count; i++) {
		if (text_equal(m->doubts[i].key, d->key) &&
		    recurrences_are_alike(m->doubts[i].reason, d->reason))
			return &m->doubts[i];
	}
	return NULL;
}

static void note_doubt(struct machine *m, const struct doubt *d, int arm, size_t run)
{
	struct machine_doubt *own = find_doubt(m, d);

	if (!own) {
		m->doubts = memory_grow(m->doubts, (m->doubt_count + 1) * sizeof(*m->doubts));
		own = &m->doubts[m->doubt_count++];
		*own = (struct machine_doubt){
			.key = memory_string(d->key),
			.reason = memory_string(d->reason),
			.grave = d->grave,
			.degree = d->degree,
			.worst = run,
		};
	} else if (d->degree > own->degree) {
		free(own->reason);
		own->reason = memory_string(d->reason);
		own->degree = d->degree;
		own->worst = run;
	}
	own->runs[arm]++;
}

/* Later loads that are no more than so many times what the experiment can have made are its own. */
static const double load_margin = 2;

/*
 * Before a later run the load is that of the earlier ones, too: at most their tasks, waiting or
 * running, beside which others may fill the CPUs once. Twice as much is not from here, whatever
 * helpers a workload has besides its tasks.
 */
static bool is_own_load(const json_t *host, double load, size_t tasks)
{
	const char *cpus = json_string_value(json_object_get(host, "cpus_online"));
	double own = (double)(cpus ? fingerprint_cpu_count(cpus) : 0) + (double)tasks;

	return load <= load_margin * own;
}

static void note_doubts(struct machine *m, const struct entry *e, size_t run, size_t tasks)
{
	json_t *host = json_object_get(e->run->record, "host");
	struct doubts doubts __cleanup(doubts_done) = doubts_find(host);

	for (size_t i = 0; i < doubts.count; i++) {
		const struct doubt *d = &doubts.list[i];

		if (!m->host || !text_equal(d->key, "load1") ||
		    !is_own_load(host, d->degree, tasks))
			note_doubt(m, d, e->arm, run);
	}
}

/* ---- */

struct machine machine_collect(const struct findings *f)
{
	struct machine m = {.load_low = NAN, .load_high = NAN};
	json_t *known __free(json) = json_object();
	size_t tasks = 0; /* of the run that had most */

	for (size_t i = 0; i < f->runs->count; i++) {
		const struct entry *e = &f->runs->list[i];
		json_t *host = json_object_get(e->run->record, "host");

		if (e->set_aside || !json_object_size(host))
			continue;
		if (json_array_size(json_object_get(e->run->record, "tasks")) > tasks)
			tasks = json_array_size(json_object_get(e->run->record, "tasks"));
		note_doubts(&m, e, i, tasks);
		if (!m.host)
			m.host = json_object();
		json_object_update_missing(m.host, host);
		if (e->arm == ARM_A && !m.baseline)
			m.baseline = json_object();
		if (e->arm == ARM_A)
			json_object_update_missing(m.baseline, host);
		note_load(&m, host);
		note_host(&m, host, e, i, known);
	}
	keep_differences(&m);
	return m;
}

void machine_done(struct machine *m)
{
	for (size_t i = 0; i < m->difference_count; i++)
		difference_done(&m->differences[i]);
	free(m->differences);
	for (size_t i = 0; i < m->doubt_count; i++) {
		free(m->doubts[i].key);
		free(m->doubts[i].reason);
	}
	free(m->doubts);
	json_decref(m->host);
	json_decref(m->baseline);
}

bool machine_emulated(const struct machine *m)
{
	const char *hypervisor = json_string_value(json_object_get(m->host, "hypervisor"));

	return hypervisor && strcasestr(hypervisor, "TCG");
}
