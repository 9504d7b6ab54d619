// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/repeat.h"
#include "judge/curve.h"
#include "judge/curve_points.h"
#include "report/json.h"
#include "report/json_value.h"

static json_t *point(const struct curve_point *p)
{
	json_t *object = json_object();

	json_object_set_new(object, "subject", json_count(p->subject));
	json_object_set_new(object, "tasks", json_integer(p->tasks));
	json_object_set_new(object, "runs", json_count(p->n));
	json_object_set_new(object, "primary", json_finite(p->primary));
	json_object_set_new(object, "throughput", json_finite(p->throughput));
	json_object_set_new(object, "per_task", json_finite(p->per_task));
	json_object_set_new(object, "scaling", json_finite(p->scaling));
	json_object_set_new(object, "rounds", json_count(p->rounds));
	json_object_set_new(object, "fairness", json_finite(p->fairness));
	json_object_set_new(object, "cpu_ns", json_finite(p->cpu_ns));
	json_object_set_new(object, "cpus_used", json_unless_zero(p->cpus_used));
	json_object_set_new(object, "idle_used", json_finite(p->idle_used));
	json_object_set_new(object, "cpus_machine", json_unless_zero(p->cpus_machine));
	json_object_set_new(object, "idle_machine", json_finite(p->idle_machine));
	return object;
}

static json_t *points(const struct curve_points *p)
{
	json_t *array = json_array();

	for (size_t i = 0; i < p->count; i++)
		json_array_append_new(array, point(&p->list[i]));
	return array;
}

static json_t *comparison(const struct curve_verdict *cv)
{
	const struct overall *mean = cv->mean;
	json_t *object = json_object();
	json_t *scaling = json_array();

	for (size_t i = 0; i < cv->scaling_count; i++)
		json_array_append_new(scaling, json_verdict(&cv->scalings[i], cv->arm));
	json_object_set_new(object, "arm", json_text(arm_keys[cv->arm]));
	json_object_set_new(object, "why_not", json_text_or_null(mean->why_not));
	json_object_set_new(object, "rounds", json_count(mean->rounds));
	json_object_set_new(object, "mean",
			    mean->why_not ? json_null() : json_verdict(&mean->v, cv->arm));
	json_object_set_new(object, "scaling", scaling);
	return object;
}

static json_t *curve(const struct findings *f, const struct curve *c)
{
	const struct experiment *e = f->experiment;
	const struct judgement *j = f->judgement;
	char *list __free(memory) = repeat_points(e, c);
	json_t *object = json_object();
	json_t *arms = json_object(), *comparisons = json_array();
	const struct metric *rate = NULL;

	for (int arm = 0; arm < e->arm_count && !(j && j->blind); arm++) {
		struct curve_points p __cleanup(curve_points_done) =
			curve_points_describe(e, f->runs, c, arm);

		rate = p.rate;
		json_object_set_new(arms, arm_keys[arm], points(&p));
	}
	for (size_t i = 0; j && i < j->curve_count; i++) {
		if (j->curves[i].curve == c)
			json_array_append_new(comparisons, comparison(&j->curves[i]));
	}
	json_object_set_new(object, "workload", json_text(e->subjects[c->first].description->name));
	json_object_set_new(object, "parameter", json_text(curve_param));
	json_object_set_new(object, "list", json_text(list));
	json_object_set_new(object, "asked", json_text(c->asked));
	json_object_set_new(object, "cpus", json_unless_zero(c->cpus));
	json_object_set_new(object, "first_subject", json_count(c->first));
	json_object_set_new(object, "subjects", json_count(c->count));
	json_object_set_new(object, "rate", rate ? json_text(rate->name) : json_null());
	json_object_set_new(object, "points", arms);
	json_object_set_new(object, "comparisons", comparisons);
	return object;
}

json_t *json_curves(const struct findings *f)
{
	json_t *array = json_array();

	for (size_t i = 0; i < f->experiment->curve_count; i++)
		json_array_append_new(array, curve(f, &f->experiment->curves[i]));
	return array;
}
