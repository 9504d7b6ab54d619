// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/experiment.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "base/text.h"

/* The record of an experiment: its one place, with what is checked when it is read. */

enum {
	/* Of two arms as ever, so that programs that know no more can read it. */
	FORMAT_VERSION = 1,
	FORMAT_VERSION_OF_MORE = 2,
};

/* How many arms the format has: of one arm there is an empty B beside it, as there always was. */
static int arms_kept(const struct experiment *e)
{
	return e->arm_count < 2 ? 2 : e->arm_count;
}

static json_t *subject_to_json(const struct subject *s, int arms)
{
	json_t *object = json_object();
	json_t *params = json_object();

	for (int arm = 0; arm < arms; arm++) {
		if (s->params[arm])
			json_object_set(params, arm_keys[arm], s->params[arm]);
		else
			json_object_set_new(params, arm_keys[arm], json_object());
	}
	json_object_set_new(object, "primary", json_text(s->primary));
	json_object_set_new(object, "params", params);
	json_object_set(object, "description", s->description->object);
	return object;
}

static json_t *curves_to_json(const struct experiment *e)
{
	json_t *array = json_array();

	for (size_t i = 0; i < e->curve_count; i++) {
		const struct curve *c = &e->curves[i];
		json_t *object = json_object();

		json_object_set_new(object, "first", json_integer((json_int_t)c->first));
		json_object_set_new(object, "count", json_integer((json_int_t)c->count));
		json_object_set_new(object, "asked", json_text(c->asked));
		json_object_set_new(object, "cpus", json_integer(c->cpus));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *experiment_to_json(const struct experiment *e)
{
	json_t *object = json_object();
	json_t *labels = json_object();
	json_t *subjects = json_array();
	int arms = arms_kept(e);

	/* JSON has no other numbers. */
	assert(isfinite(e->margin) && isfinite(e->alpha));
	for (int arm = 0; arm < arms; arm++)
		json_object_set_new(labels, arm_keys[arm], json_text(e->labels[arm]));
	for (size_t i = 0; i < e->subject_count; i++)
		json_array_append_new(subjects, subject_to_json(&e->subjects[i], arms));
	json_object_set_new(object, "version",
			    json_integer(arms > 2 ? FORMAT_VERSION_OF_MORE : FORMAT_VERSION));
	if (arms > 2)
		json_object_set_new(object, "arms", json_integer(arms));
	json_object_set_new(object, "created_ns", json_integer(e->created_ns));
	json_object_set_new(object, "command", json_text(e->command));
	json_object_set_new(object, "labels", labels);
	json_object_set_new(object, "plan", json_text(plan_words[e->plan]));
	json_object_set_new(object, "pairs", json_integer(e->pairs));
	json_object_set_new(object, "budget_ns", json_integer(e->budget_ns));
	json_object_set_new(object, "planned_pairs", json_integer(e->planned_pairs));
	json_object_set_new(object, "planned_budget_ns", json_integer(e->planned_budget_ns));
	json_object_set_new(object, "margin", json_real(e->margin));
	json_object_set_new(object, "alpha", json_real(e->alpha));
	/* JSON's integers are signed here: a seed of 2^63 or more comes out negative, and back. */
	json_object_set_new(object, "seed", json_integer((json_int_t)e->seed));
	json_object_set_new(object, "strict", json_boolean(e->strict));
	json_object_set_new(object, "subjects", subjects);
	if (e->curve_count)
		json_object_set_new(object, "curves", curves_to_json(e));
	return object;
}

static bool subject_from_json(const json_t *object, int arms, struct subject *s, struct error *err)
{
	json_t *description, *by_arm;
	const struct metric *primary;
	const char *name;

	if (!json_get_object(object, "description", &description, err) ||
	    !description_from_json(description, &s->description, err) ||
	    !json_get_string(object, "primary", &name, err) ||
	    !json_get_object(object, "params", &by_arm, err))
		return false;
	for (int arm = 0; arm < arms; arm++) {
		json_t *params;

		if (!json_get_strings(by_arm, arm_keys[arm], &params, err))
			return error_wrap(err, "params");
		s->params[arm] = json_incref(params);
	}
	primary = description_metric(s->description, name);
	if (!primary)
		return error_set(err, ERROR_DATA, "no metric '%s' to be the primary one", name);
	s->primary = primary->name;
	return true;
}

static bool read_subjects(const json_t *object, struct experiment *e, struct error *err)
{
	json_t *array, *subject;
	size_t i;

	if (!json_get_array(object, "subjects", &array, err))
		return false;
	if (!json_array_size(array) || json_array_size(array) > EXPERIMENT_SUBJECTS_MAX)
		return error_set(err, ERROR_DATA, "%zu subjects, not 1 to %d",
				 json_array_size(array), EXPERIMENT_SUBJECTS_MAX);
	e->subjects = memory_array(json_array_size(array), sizeof(*e->subjects));
	json_array_foreach(array, i, subject) {
		/* Counted first: what a failed one holds already is freed with the rest. */
		e->subject_count = i + 1;
		if (!subject_from_json(subject, arms_kept(e), &e->subjects[i], err))
			return error_wrap(err, "subject %zu", i);
	}
	return true;
}

/*
 * True where a subject can be a point: of the same workload, with more tasks than the one before.
 */
static bool is_point(const struct experiment *e, const struct curve *c, size_t subject,
		     double *before)
{
	const struct subject *s = &e->subjects[subject], *first = &e->subjects[c->first];
	const struct param *p = param_find(s->description->params, curve_param);

	if (!p || p->type != PARAM_COUNT ||
	    !text_equal(s->description->name, first->description->name) ||
	    !text_equal(s->primary, first->primary))
		return false;
	for (int arm = 0; arm < arms_kept(e); arm++) {
		const char *value = params_string(s->params[arm], s->description->params, p->name);
		struct error ignored;
		double number;

		if (!param_check(p, value, &number, &ignored))
			return false;
		/* Of one arm there is an empty B beside it. */
		if (arm && e->arm_count == 1)
			continue;
		if (arm ? number != *before : number <= *before)
			return false;
		*before = number;
	}
	return true;
}

static bool read_curve(const json_t *object, struct experiment *e, struct error *err)
{
	size_t from = 0;
	int64_t first, count, cpus;
	const char *asked;
	double before = 0;

	if (!json_get_count(object, "first", &first, err) ||
	    !json_get_count(object, "count", &count, err) ||
	    !json_get_string(object, "asked", &asked, err) ||
	    !json_get_count(object, "cpus", &cpus, err))
		return false;
	if (e->curve_count) {
		const struct curve *last = &e->curves[e->curve_count - 1];

		from = last->first + last->count;
	}
	if (count < 2 || (uint64_t)first < from || (uint64_t)first > e->subject_count ||
	    (uint64_t)count > e->subject_count - (uint64_t)first)
		return error_set(err, ERROR_DATA, "%lld subjects from %lld on", (long long)count,
				 (long long)first);
	experiment_add_curve(e, (size_t)first, (size_t)count, asked, cpus);
	for (size_t i = (size_t)first; i < (size_t)(first + count); i++) {
		if (!is_point(e, &e->curves[e->curve_count - 1], i, &before))
			return error_set(err, ERROR_DATA, "subject %zu is no point of it", i);
	}
	return true;
}

/* Experiments that were made before there were curves have none. */
static bool read_curves(const json_t *object, struct experiment *e, struct error *err)
{
	json_t *array, *curve;
	size_t i;

	if (!json_object_get(object, "curves"))
		return true;
	if (!json_get_array(object, "curves", &array, err))
		return false;
	json_array_foreach(array, i, curve) {
		if (!read_curve(curve, e, err))
			return error_wrap(err, "curve %zu", i);
	}
	return true;
}

static bool read_labels(const json_t *object, struct experiment *e, struct error *err)
{
	json_t *labels;

	if (!json_get_object(object, "labels", &labels, err))
		return false;
	for (int arm = 0; arm < arms_kept(e); arm++) {
		const char *label;

		if (!json_get_string(labels, arm_keys[arm], &label, err))
			return error_wrap(err, "labels");
		e->labels[arm] = memory_string(label);
	}
	return true;
}

/* Experiments that were made before there were looks have none. */
static bool read_planned(const json_t *object, struct experiment *e, struct error *err)
{
	if (!json_object_get(object, "planned_pairs"))
		return true;
	return json_get_count(object, "planned_pairs", &e->planned_pairs, err) &&
	       json_get_count(object, "planned_budget_ns", &e->planned_budget_ns, err);
}

/* Plan and number of arms, which the rest hangs on. */
static bool read_arms(const json_t *object, struct experiment *e, struct error *err)
{
	int64_t version, arms;
	int plan;

	if (!json_get_integer(object, "version", &version, err))
		return false;
	if (version != FORMAT_VERSION && version != FORMAT_VERSION_OF_MORE)
		return error_set(err, ERROR_DATA, "version %lld, this program knows %d to %d",
				 (long long)version, FORMAT_VERSION, FORMAT_VERSION_OF_MORE);
	if (!json_get_word(object, "plan", plan_words, &plan, err))
		return false;
	e->plan = (enum plan)plan;
	if (version == FORMAT_VERSION) {
		e->arm_count = e->plan == PLAN_SINGLE ? 1 : 2;
		return true;
	}
	if (!json_get_integer(object, "arms", &arms, err))
		return false;
	if (arms < 3 || arms > ARM_MOST || e->plan == PLAN_SINGLE)
		return error_set(err, ERROR_DATA, "%lld arms", (long long)arms);
	e->arm_count = (int)arms;
	return true;
}

static bool read_fields(const json_t *object, struct experiment *e, struct error *err)
{
	const char *command;
	int64_t seed;

	if (!read_arms(object, e, err) ||
	    !json_get_count(object, "created_ns", &e->created_ns, err) ||
	    !json_get_string(object, "command", &command, err) ||
	    !json_get_count(object, "pairs", &e->pairs, err) ||
	    !json_get_count(object, "budget_ns", &e->budget_ns, err) ||
	    !read_planned(object, e, err) || !json_get_number(object, "margin", &e->margin, err) ||
	    !json_get_number(object, "alpha", &e->alpha, err) ||
	    !json_get_integer(object, "seed", &seed, err) ||
	    !json_get_bool(object, "strict", &e->strict, err))
		return false;
	/* One arm is described only, and needs no level. */
	if (e->margin < 0 || e->alpha < 0 || e->alpha >= 1 ||
	    (!(e->alpha > 0) && e->plan != PLAN_SINGLE))
		return error_set(err, ERROR_DATA, "margin %g, alpha %g", e->margin, e->alpha);
	if (e->pairs > EXPERIMENT_PAIRS_MAX || e->planned_pairs > EXPERIMENT_PAIRS_MAX)
		return error_set(
			err, ERROR_DATA, "%lld pairs, more than %d",
			(long long)(e->pairs > e->planned_pairs ? e->pairs : e->planned_pairs),
			EXPERIMENT_PAIRS_MAX);
	e->command = memory_string(command);
	e->seed = (uint64_t)seed;
	return true;
}

bool experiment_from_json(json_t *object, struct experiment **ret, struct error *err)
{
	struct experiment *e __free(experiment) = experiment_new();

	if (!read_fields(object, e, err) || !read_labels(object, e, err) ||
	    !read_subjects(object, e, err) || !read_curves(object, e, err))
		return error_wrap(err, "experiment");
	*ret = take(e);
	return true;
}
