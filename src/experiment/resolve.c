// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "experiment/command.h"
#include "experiment/curves.h"

/* From a request to the subjects of an experiment. */

/* before: what was said already, perhaps elsewhere. The file's pairs come behind the others. */
static bool twice(const struct said *before, const struct said *said, struct error *err)
{
	char *other __free(memory) =
		!said->place.line    ? memory_string("")
		: before->place.line ? text_format(": the other is in line %zu", before->place.line)
				     : memory_string(": the other is on the command line");

	if (before->where == said->where && text_equal(before->key, said->key))
		return error_set(err, ERROR_USAGE, "%s is given twice for %s%s", said->key,
				 resolution_whom(said->where, said->place), other);
	return error_set(err, ERROR_USAGE,
			 "%s for %s and %s for %s give the same parameter twice%s", before->key,
			 resolution_whom(before->where, before->place), said->key,
			 resolution_whom(said->where, said->place), other);
}

/* One more figure to be read. It is for all arms, and was checked (experiment/command.h). */
static void add_line(struct subject *s, int arms, const struct param *p, const char *line)
{
	const char *before = json_string_value(json_object_get(s->params[ARM_A], p->name));
	char *both __free(memory) =
		before ? text_format("%s\n%s", before, line) : memory_string(line);

	for (int arm = 0; arm < arms; arm++)
		json_object_set_new(s->params[arm], p->name, json_text(both));
}

/* Sets one pair in a workload that has the parameter. *place: set where the value is to blame. */
static bool set_param(const struct request *r, size_t number, int arms, struct subject *s,
		      const struct param *p, struct place *place, struct error *err)
{
	const struct said *said = &r->said[number];
	const struct said *before =
		resolution_said(r, number, s->description, p->name, said->where);
	json_t *value __free(json) = json_string(said->value);
	double ignored;

	if (p->type == PARAM_METRIC) {
		add_line(s, arms, p, said->value);
		return true;
	}
	if (said->listed) {
		*place = said->value_place;
		return error_set(err, ERROR_USAGE,
				 "the value of %s is a list, and must be one value", said->key);
	}
	if (p->type == PARAM_COMMAND)
		return error_set(err, ERROR_USAGE, "%s= is given behind --: -- PROGRAM ARGUMENT...",
				 p->name);
	if (before)
		return twice(before, said, err);
	*place = said->value_place;
	/* The line format and the store hold UTF-8. */
	if (!value)
		return error_set(err, ERROR_USAGE, "the value of %s is not UTF-8", said->key);
	/* A point has its own already. */
	if (text_equal(p->name, curve_param) && points_is_list(said->value))
		return true;
	if (!param_check(p, said->value, &ignored, err)) {
		err->code = ERROR_USAGE;
		return resolution_wrap(said, err);
	}
	for (int arm = 0; arm < arms; arm++) {
		if (said->where == arm || said->where == SAID_BOTH)
			json_object_set(s->params[arm], p->name, value);
	}
	return true;
}

/* Which of several workloads an error is about. */
static bool wrap_workload(const struct experiment *e, const struct subject *s, struct error *err)
{
	const struct curve *c = experiment_curve(e, 0);
	size_t alone = c ? c->count : 1;

	return e->subject_count == alone ? false : error_wrap(err, "%s", s->description->name);
}

/* Sets one pair in every workload that it is meant for. *ret_place: what is to blame on failure. */
static bool apply(const struct request *r, size_t number, struct experiment *e,
		  struct place *ret_place, struct error *err)
{
	const struct said *said = &r->said[number];
	struct nearest nearest = {0};
	const char *nearest_in = NULL;
	bool known = false;

	*ret_place = said->place;
	if (!resolution_check(e, said->key, err))
		return false;
	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject *s = &e->subjects[i];
		struct place place = said->place;
		const struct param *p;

		if (!request_meant_for(said->key, s->description, &nearest.name))
			continue;

		bool none_near = !*nearest.found;

		for (p = s->description->params; p->name; p++)
			nearest_try(&nearest, p->name);
		/* Where to look when none knows it: where the near name is, else the first one. */
		if (!nearest_in || (none_near && *nearest.found))
			nearest_in = s->description->name;
		p = param_find(s->description->params, nearest.name);
		if (p && !set_param(r, number, e->arm_count, s, p, &place, err)) {
			*ret_place = place;
			return wrap_workload(e, s, err);
		}
		known = known || p;
	}
	if (known)
		return true;
	resolution_unknown(&nearest,
			   r->command ? "parameter, nor {key} of the command," : "parameter",
			   nearest_in, err);
	return resolution_wrap(said, err);
}

/* What must be given, when all is said. */
static bool check_required(const struct experiment *e, struct error *err)
{
	static const struct place nowhere = {0};

	for (size_t i = 0; i < e->subject_count; i++) {
		const struct subject *s = &e->subjects[i];
		bool all = true, one = false;
		int of = ARM_A;

		for (int arm = e->arm_count - 1; arm >= 0; arm--) {
			bool missing = params_missing(s->params[arm], s->description->params);

			all = all && missing;
			one = one || missing;
			of = missing ? arm : of;
		}
		if (!one)
			continue;
		params_check(s->params[of], s->description->params, err);
		if (!all)
			error_wrap(err, "%s", resolution_whom(of, nowhere));
		return error_wrap(err, "%s", s->description->name);
	}
	return true;
}

/* What only makes sense together, when all is said. */
static bool check_together(const struct request *r, const struct experiment *e, struct error *err)
{
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct subject *s = &e->subjects[i];
		const struct param *declared = s->description->params;
		const struct param *first = NULL;
		const struct said *said;
		int unmet = 0, of = ARM_A;

		for (int arm = e->arm_count - 1; arm >= 0; arm--) {
			const struct param *p = params_unmet(s->params[arm], declared);

			if (!p)
				continue;
			first = p;
			of = arm;
			unmet++;
		}
		if (!first)
			continue;
		said = resolution_said(r, r->said_count, s->description, first->name, of);
		params_check(s->params[of], declared, err);
		if (unmet < e->arm_count)
			error_wrap(err, "%s", resolution_whom(of, said->place));
		wrap_workload(e, s, err);
		return request_wrap(r, said->value_place, err);
	}
	return true;
}

/* ---- subjects ---- */

/* A subject without its parameters, but for the tasks of a point. tasks: 0: it is none. */
static bool add_subject(const struct resolution *x, const struct description *d, int64_t tasks,
			struct error *err)
{
	struct subject *s = &x->e->subjects[x->e->subject_count];
	json_t *object __free(json) = NULL;
	struct place place = {0};

	if (!command_describe(x->r, d, &object, &place, err))
		return request_wrap(x->r, place, err);
	if (!description_from_json(object, &s->description, err))
		return false;
	x->e->subject_count++;
	s->primary = description_primary(s->description)->name;
	for (int arm = 0; arm < x->e->arm_count; arm++) {
		char *number __free(memory) = text_format("%lld", (long long)tasks);

		s->params[arm] = json_object();
		if (tasks)
			json_object_set_new(s->params[arm], curve_param, json_text(number));
	}
	return true;
}

static bool add_workload(const struct resolution *x, const struct named *named, struct error *err)
{
	const struct description *d = resolution_workload(x->known, named->name, err);
	struct points points __cleanup(points_done) = {0};
	struct experiment *e = x->e;
	size_t first = e->subject_count, count;

	if (!d)
		return request_wrap(x->r, named->place, err);
	if (!curves_find_points(x, d, &points, err))
		return false;
	count = points.count > 1 ? points.count : 1;
	if (count > EXPERIMENT_SUBJECTS_MAX - first) {
		error_set(err, ERROR_USAGE,
			  "%s: its %zu points are too many: all workloads have "
			  "%d together at most",
			  d->name, count, EXPERIMENT_SUBJECTS_MAX);
		return request_wrap(x->r, named->place, err);
	}
	e->subjects = memory_grow(e->subjects, (first + count) * sizeof(*e->subjects));
	memset(e->subjects + first, 0, count * sizeof(*e->subjects));
	for (size_t i = 0; i < count; i++) {
		if (!add_subject(x, d, count > 1 ? points.list[i] : 0, err))
			return false;
	}
	if (count > 1) {
		const struct said *said = curves_said(x, d, ARM_A);

		experiment_add_curve(e, first, count, said->asked, said->cpus);
	}
	return true;
}

static bool add_subjects(const struct resolution *x, struct error *err)
{
	if (!x->r->workload_count)
		return error_set(err, ERROR_USAGE,
				 "no workload is named (`contend list` shows them)");
	for (size_t i = 0; i < x->r->workload_count; i++) {
		if (!add_workload(x, &x->r->workloads[i], err))
			return false;
	}
	return true;
}

/* Gives the command to the workloads that execute one. */
static bool set_command(const struct request *r, struct experiment *e, struct error *err)
{
	bool taken = !r->command;

	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject *s = &e->subjects[i];
		const struct param *p = command_param(s->description);

		for (int arm = 0; p && r->command && arm < e->arm_count; arm++)
			json_object_set_new(s->params[arm], p->name, json_text(r->command));
		taken = taken || p;
	}
	if (taken)
		return true;
	error_set(err, ERROR_USAGE,
		  "%s executes no command: that is what workload command is for, with the command "
		  "behind --",
		  e->subjects[0].description->name);
	return request_wrap(r, r->command_at, err);
}

/* Whether each arm has what the keys of its command stand for. */
static bool check_keys(const struct experiment *e, struct error *err)
{
	static const struct place nowhere = {0};

	for (size_t i = 0; i < e->subject_count; i++) {
		for (int arm = 0; arm < e->arm_count; arm++) {
			json_t *params __free(json) = NULL;

			if (!command_params(&e->subjects[i], arm, &params, err))
				return error_wrap(err, "%s", resolution_whom(arm, nowhere));
		}
	}
	return true;
}

bool request_resolve(struct request *r, struct description *const *known, int64_t cpus,
		     struct experiment *e, struct error *err)
{
	struct experiment *draft __free(experiment) = experiment_new();
	const struct resolution x = {.r = r, .known = known, .cpus = cpus, .e = draft};

	assert(!e->subject_count);
	if (!request_count_arms(r, &draft->arm_count, err))
		return false;
	if (e->plan == PLAN_SINGLE)
		draft->arm_count = 1;
	if (!curves_settle(&x, err) || !add_subjects(&x, err))
		return false;
	for (size_t i = 0; i < r->said_count; i++) {
		struct place place;

		if (!apply(r, i, draft, &place, err))
			return request_wrap(r, place, err);
	}
	if (!set_command(r, draft, err) || !check_required(draft, err) || !check_keys(draft, err) ||
	    !check_together(r, draft, err) || !request_choose_primaries(r, draft, err))
		return false;
	for (int arm = 0; arm < draft->arm_count; arm++) {
		draft->labels[arm] = request_label(r, arm, err);
		if (!draft->labels[arm])
			return false;
	}
	e->arm_count = draft->arm_count;
	for (int arm = 0; arm < e->arm_count; arm++) {
		free(e->labels[arm]);
		e->labels[arm] = take(draft->labels[arm]);
	}
	e->subjects = take(draft->subjects);
	e->subject_count = draft->subject_count;
	e->curves = take(draft->curves);
	e->curve_count = draft->curve_count;
	draft->subject_count = draft->curve_count = 0;
	return true;
}
