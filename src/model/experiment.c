// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/experiment.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

const char *const arm_words[] = {
	[ARM_A] = "A", [ARM_B] = "B", [ARM_C] = "C", [ARM_D] = "D", [ARM_MOST] = NULL,
};

const char *const arm_keys[] = {
	[ARM_A] = "a", [ARM_B] = "b", [ARM_C] = "c", [ARM_D] = "d", [ARM_MOST] = NULL,
};

const char *const plan_words[] = {
	[PLAN_PAIRS] = "pairs",
	[PLAN_BUDGET] = "budget",
	[PLAN_DECIDED] = "decided",
	[PLAN_SINGLE] = "single",
	[PLAN_SINGLE + 1] = NULL,
};

const char curve_param[] = "tasks";

struct experiment *experiment_new(void)
{
	struct experiment *e = memory_alloc(sizeof(*e));

	e->arm_count = 2;
	return e;
}

static void plan(struct experiment *e, enum plan plan, int64_t pairs)
{
	e->plan = plan;
	e->pairs = pairs;
	e->planned_pairs = plan == PLAN_DECIDED ? pairs : 0;
	e->budget_ns = e->planned_budget_ns = 0;
}

void experiment_plan_pairs(struct experiment *e, int64_t pairs)
{
	plan(e, PLAN_PAIRS, pairs);
}

void experiment_plan_decided(struct experiment *e, int64_t most)
{
	plan(e, PLAN_DECIDED, most);
}

static void subject_done(struct subject *s)
{
	description_free(s->description);
	for (int arm = 0; arm < ARM_MOST; arm++)
		json_decref(s->params[arm]);
}

void experiment_free_curves(struct experiment *e)
{
	for (size_t i = 0; i < e->curve_count; i++)
		free(e->curves[i].asked);
	free(take(e->curves));
	e->curve_count = 0;
}

void experiment_free(struct experiment *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->subject_count; i++)
		subject_done(&e->subjects[i]);
	free(e->subjects);
	experiment_free_curves(e);
	for (int arm = 0; arm < ARM_MOST; arm++)
		free(e->labels[arm]);
	free(e->command);
	free(e);
}

/* ---- curves ---- */

void experiment_add_curve(struct experiment *e, size_t first, size_t count, const char *asked,
			  int64_t cpus)
{
	e->curves = memory_grow(e->curves, (e->curve_count + 1) * sizeof(*e->curves));
	e->curves[e->curve_count++] = (struct curve){
		.first = first, .count = count, .asked = memory_string(asked), .cpus = cpus};
}

void experiment_regroup(struct experiment *e)
{
	experiment_free_curves(e);
	for (size_t i = 0, count; i < e->subject_count; i += count) {
		const char *name = e->subjects[i].description->name;

		for (count = 1; i + count < e->subject_count &&
				text_equal(e->subjects[i + count].description->name, name);)
			count++;
		if (count > 1)
			experiment_add_curve(e, i, count, "", 0);
	}
}

const struct curve *experiment_curve(const struct experiment *e, size_t subject)
{
	for (size_t i = 0; i < e->curve_count; i++) {
		const struct curve *c = &e->curves[i];

		if (subject >= c->first && subject - c->first < c->count)
			return c;
	}
	return NULL;
}

int64_t experiment_point(const struct experiment *e, size_t subject)
{
	const struct subject *s = &e->subjects[subject];

	return params_integer(s->params[ARM_A], s->description->params, curve_param);
}

char *experiment_subject_name(const struct experiment *e, size_t subject)
{
	const char *name = e->subjects[subject].description->name;

	if (!experiment_curve(e, subject))
		return memory_string(name);
	return text_format("%s %s=%" PRId64, name, curve_param, experiment_point(e, subject));
}

void experiment_remove_subject(struct experiment *e, size_t subject)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->curve_count; i++) {
		struct curve c = e->curves[i];

		if (subject < c.first)
			c.first--;
		else if (subject - c.first < c.count)
			c.count--;
		if (c.count > 1)
			e->curves[kept++] = c;
		else
			free(c.asked);
	}
	e->curve_count = kept;
	subject_done(&e->subjects[subject]);
	e->subject_count--;
	memmove(&e->subjects[subject], &e->subjects[subject + 1],
		(e->subject_count - subject) * sizeof(*e->subjects));
}

/* ---- A/A ---- */

/*
 * True when a parameter has the same effect in an arm as in A: what was given may be the default,
 * or the same number written in another way.
 */
static bool same_value(const struct subject *s, int arm, const char *name)
{
	const struct param *declared = s->description->params;
	const struct param *p = param_find(declared, name);

	/* A parameter that is not the workload's own has no default known here. */
	if (!p)
		return json_equal(json_object_get(s->params[ARM_A], name),
				  json_object_get(s->params[arm], name));
	return param_same(p, params_string(s->params[ARM_A], declared, name),
			  params_string(s->params[arm], declared, name));
}

bool experiment_takes_looks(const struct experiment *e)
{
	return e->plan == PLAN_BUDGET || e->plan == PLAN_DECIDED;
}

bool experiment_keeps_raw(const struct experiment *e)
{
	return e->plan == PLAN_SINGLE && e->pairs == 1 && e->subject_count == 1;
}

bool subject_is_aa(const struct subject *s, int arm)
{
	json_t *const given[2] = {s->params[ARM_A], s->params[arm]};

	for (size_t i = 0; i < 2; i++) {
		json_t *value;
		const char *name;

		json_object_foreach(given[i], name, value) {
			if (!same_value(s, arm, name))
				return false;
		}
	}
	return true;
}

static bool is_given(const struct subject *s, const char *name)
{
	for (int arm = 0; arm < ARM_MOST; arm++) {
		if (json_object_get(s->params[arm], name))
			return true;
	}
	return false;
}

json_t *subject_defaults(const struct subject *s)
{
	json_t *defaults = json_object();

	for (const struct param *p = s->description->params; p->name; p++) {
		if (p->preset && !is_given(s, p->name))
			json_object_set_new(defaults, p->name, json_text(p->preset));
	}
	return defaults;
}

/* ---- runs ---- */

bool entry_has_arm(const struct entry *e, int arm)
{
	return !e->arms || e->arms & 1U << arm;
}

void entries_done(struct entries *e)
{
	for (size_t i = 0; i < e->count; i++)
		run_free(e->list[i].run);
	free(e->list);
	*e = (struct entries){0};
}

void entries_add(struct entries *e, struct entry entry)
{
	/* The list doubles whenever its length is a power of two: its room need not be kept. */
	if (!(e->count & (e->count - 1))) {
		size_t bytes;

		if (__builtin_mul_overflow(e->count ? 2 * e->count : 1, sizeof(entry), &bytes))
			bytes = SIZE_MAX;
		e->list = memory_grow(e->list, bytes);
	}
	e->list[e->count++] = entry;
}
