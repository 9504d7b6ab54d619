// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "experiment/points.h"
#include "experiment/request.h"

/* From a request to the subjects of an experiment. */

/* What is being resolved. */
struct resolution {
	struct request *r;
	struct description *const *known;
	int64_t cpus; /* that tasks may use; 0: not known */
	struct experiment *e;
};

/* How a message names for whom something was said: as it is written there. */
static const char *whom(int where, struct place place)
{
	static const char *const options[ARM_MOST] = {"--a", "--b", "--c", "--d"};

	if (where == SAID_BOTH)
		return "all arms";
	return place.line ? arm_keys[where] : options[where];
}

/* Refuses a name that none was; says what lists those that there are. */
static bool unknown(struct nearest *nearest, const char *what, const char *list, struct error *err)
{
	return error_set(err, ERROR_USAGE, "no %s '%.100s'%s (`contend list%s%s` shows them)", what,
			 nearest->name, nearest_hint(nearest), list ? " " : "", list ? list : "");
}

static const struct description *find_workload(struct description *const *known, const char *name,
					       struct error *err)
{
	struct nearest nearest = {.name = name};

	for (size_t i = 0; known[i]; i++) {
		if (text_equal(known[i]->name, name))
			return known[i];
		nearest_try(&nearest, known[i]->name);
	}
	unknown(&nearest, "workload", NULL, err);
	return NULL;
}

/* Refuses a "workload." before a parameter or metric that is not among the request's. */
static bool check_address(const struct experiment *e, const char *key, struct error *err)
{
	int length = (int)strcspn(key, ".");
	const char *ignored;

	for (size_t i = 0; i < e->subject_count; i++) {
		if (request_meant_for(key, e->subjects[i].description, &ignored))
			return true;
	}
	for (const struct param *p = e->subjects[0].description->params; p->name; p++) {
		if (p->setup && (int)strlen(p->setup) == length &&
		    !strncmp(key, p->setup, (size_t)length))
			return error_set(
				err, ERROR_USAGE,
				"setup %s has no parameter '%.100s' (`contend list setups` "
				"shows them)",
				p->setup, key);
	}
	return error_set(err, ERROR_USAGE, "'%.100s': workload %.*s does not take part", key,
			 length, key);
}

/*
 * The said pair that gives a parameter of a workload in an arm before number `end`; NULL: none. A
 * pair for all arms counts in each.
 */
static const struct said *find_said(const struct request *r, size_t end,
				    const struct description *workload, const char *name, int where)
{
	for (size_t i = 0; i < end; i++) {
		const struct said *said = &r->said[i];
		const char *its;

		if (said->where != where && said->where != SAID_BOTH && where != SAID_BOTH)
			continue;
		if (request_meant_for(said->key, workload, &its) && text_equal(its, name))
			return said;
	}
	return NULL;
}

/* before: what was said already, perhaps elsewhere. The file's pairs come behind the others. */
static bool twice(const struct said *before, const struct said *said, struct error *err)
{
	char *other __free(memory) =
		!said->place.line    ? memory_string("")
		: before->place.line ? text_format(": the other is in line %zu", before->place.line)
				     : memory_string(": the other is on the command line");

	if (before->where == said->where && text_equal(before->key, said->key))
		return error_set(err, ERROR_USAGE, "%s is given twice for %s%s", said->key,
				 whom(said->where, said->place), other);
	return error_set(err, ERROR_USAGE,
			 "%s for %s and %s for %s give the same parameter twice%s", before->key,
			 whom(before->where, before->place), said->key,
			 whom(said->where, said->place), other);
}

static bool wrap_whom(const struct said *said, struct error *err)
{
	return said->where == SAID_BOTH ? false
					: error_wrap(err, "%s", whom(said->where, said->place));
}

/* Sets one pair in a workload that has the parameter. *place: set where the value is to blame. */
static bool set_param(const struct request *r, size_t number, int arms, struct subject *s,
		      const struct param *p, struct place *place, struct error *err)
{
	const struct said *said = &r->said[number];
	const struct said *before = find_said(r, number, s->description, p->name, said->where);
	json_t *value __free(json) = json_string(said->value);
	double ignored;

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
		return wrap_whom(said, err);
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
	if (!check_address(e, said->key, err))
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
	unknown(&nearest, "parameter", nearest_in, err);
	return wrap_whom(said, err);
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
			error_wrap(err, "%s", whom(of, nowhere));
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
		said = find_said(r, r->said_count, s->description, first->name, of);
		params_check(s->params[of], declared, err);
		if (unmet < e->arm_count)
			error_wrap(err, "%s", whom(of, said->place));
		wrap_workload(e, s, err);
		return request_wrap(r, said->value_place, err);
	}
	return true;
}

/* Nothing overrides anything: a primary for one that has got its own already is refused. */
static bool refuse_second(const struct subject *s, const char *before, const char *key,
			  struct error *err)
{
	if (text_equal(before, key))
		return error_set(err, ERROR_USAGE, "%s is given twice", key);
	return error_set(err, ERROR_USAGE, "%s and %s both give the primary metric of %s", before,
			 key, s->description->name);
}

/*
 * Makes a metric that was asked for the primary one of every workload that has it. keys: what did
 * so for each subject before; NULL: nothing yet.
 */
static bool set_primary(const char *key, struct experiment *e, const char **keys, struct error *err)
{
	struct nearest nearest = {0};
	const char *list = NULL;
	bool known = false;

	if (!request_is_key(key))
		return error_set(err, ERROR_USAGE,
				 "'%.100s' is not the name of a metric, nor WORKLOAD.METRIC", key);
	if (!check_address(e, key, err))
		return false;
	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject *s = &e->subjects[i];
		const struct metric *m;

		if (!request_meant_for(key, s->description, &nearest.name))
			continue;
		if (!list)
			list = s->description->name;
		for (m = s->description->metrics; m->name; m++)
			nearest_try(&nearest, m->name);
		m = description_metric(s->description, nearest.name);
		if (!m)
			continue;
		if (m->better == BETTER_NEITHER)
			return error_set(err, ERROR_USAGE,
					 "%s of %s is neither better high nor low, so it cannot be "
					 "judged",
					 m->name, s->description->name);
		if (keys[i])
			return refuse_second(s, keys[i], key, err);
		keys[i] = key;
		s->primary = m->name;
		known = true;
	}
	return known || unknown(&nearest, "metric", list, err);
}

bool request_choose_primaries(const struct request *r, struct experiment *e, struct error *err)
{
	const struct terms *t = r->terms.said[TERM_PRIMARY] ? &r->terms : &r->file_terms;
	const char **keys __free(memory) = memory_array(e->subject_count, sizeof(*keys));

	for (size_t i = 0; i < t->primary_count; i++) {
		const struct primary *p = &t->primaries[i];

		if (set_primary(p->key, e, keys, err))
			continue;
		error_wrap(err, "%s", p->place.line ? "primary" : "--primary");
		return request_wrap(r, p->place, err);
	}
	return true;
}

/* ---- curves ---- */

/* Whether the workloads that a key is meant for have a number of tasks to be said. */
static void find_tasks(const struct resolution *x, const char *key, bool *ret_has, bool *ret_lacks)
{
	const char *name;

	*ret_has = *ret_lacks = false;
	for (size_t i = 0; i < x->r->workload_count; i++) {
		struct error ignored;
		const struct description *d =
			find_workload(x->known, x->r->workloads[i].name, &ignored);
		const struct param *p = d ? param_find(d->params, curve_param) : NULL;

		if (!d || !request_meant_for(key, d, &name))
			continue;
		if (p && p->type == PARAM_COUNT)
			*ret_has = true;
		else
			*ret_lacks = true;
	}
}

/* Makes numbers of a list, and leaves other values alone. */
static bool settle(const struct resolution *x, struct said *said, struct error *err)
{
	struct points points __cleanup(points_done) = {0};
	const char *point = strchr(said->key, '.');
	bool has, lacks;

	if (!text_equal(point ? point + 1 : said->key, curve_param) || said->asked ||
	    !points_is_list(said->value))
		return true;
	find_tasks(x, said->key, &has, &lacks);
	/* One that is not known, or takes no part, is refused as such. */
	if (!has && !lacks)
		return true;
	if (!has)
		return error_set(err, ERROR_USAGE,
				 "%s=%.100s: %s has no %s=, how many tasks it has is its own",
				 said->key, said->value,
				 x->r->workload_count > 1 ? "none of the workloads"
							  : x->r->workloads[0].name,
				 curve_param);
	if (!points_parse(said->value, x->cpus, &points, err)) {
		error_wrap(err, "%s=%.100s", said->key, said->value);
		return wrap_whom(said, err);
	}
	said->asked = said->value;
	said->value = points_text(&points);
	said->cpus = points.cpus;
	return true;
}

static bool settle_all(const struct resolution *x, struct error *err)
{
	for (size_t i = 0; i < x->r->said_count; i++) {
		struct said *said = &x->r->said[i];

		if (!settle(x, said, err))
			return request_wrap(x->r, said->value_place, err);
	}
	return true;
}

/* What was said of the tasks of a workload in an arm; NULL: nothing. */
static const struct said *said_of_tasks(const struct resolution *x,
					const struct description *workload, int arm)
{
	return find_said(x->r, x->r->said_count, workload, curve_param, arm);
}

/* The numbers of tasks of a workload in an arm. What is no number is refused elsewhere. */
static void points_of(const struct resolution *x, const struct description *d, int arm,
		      struct points *ret)
{
	const struct said *said = said_of_tasks(x, d, arm);
	const struct param *p = param_find(d->params, curve_param);
	struct error ignored;

	if (p && p->type == PARAM_COUNT)
		points_parse(said ? said->value : p->preset, 0, ret, &ignored);
}

static bool check_points(const struct resolution *x, const struct description *d,
			 const struct points *points, struct error *err)
{
	const struct said *said = said_of_tasks(x, d, ARM_A);

	for (size_t i = 0; i < points->count; i++) {
		char *number __free(memory) = text_format("%lld", (long long)points->list[i]);
		double ignored;

		if (param_check(param_find(d->params, curve_param), number, &ignored, err))
			continue;
		if (!said)
			return false;
		error_wrap(err, "%s=%.100s", said->key, said->asked);
		wrap_whom(said, err);
		return request_wrap(x->r, said->value_place, err);
	}
	return true;
}

/* Refuses arms whose curves are not of the same points. */
static bool refuse_arm(const struct resolution *x, const struct description *d, int arm,
		       const struct points *first, const struct points *other, struct error *err)
{
	const struct said *own = said_of_tasks(x, d, arm);
	const struct said *said = own ? own : said_of_tasks(x, d, ARM_A);
	char *mine __free(memory) = points_text(other), *of_a __free(memory) = points_text(first);

	error_set(err, ERROR_USAGE,
		  "%s: %s=%s in A and %s=%s in %s: a curve is compared point by point, so that all "
		  "arms need the same list",
		  d->name, curve_param, of_a, curve_param, mine, arm_words[arm]);
	return said ? request_wrap(x->r, said->value_place, err) : false;
}

/* *ret_points: those that all arms have; one, or none, is no curve. */
static bool find_points(const struct resolution *x, const struct description *d,
			struct points *ret_points, struct error *err)
{
	struct points first __cleanup(points_done) = {0};

	points_of(x, d, ARM_A, &first);
	for (int arm = ARM_B; arm < x->e->arm_count; arm++) {
		struct points other __cleanup(points_done) = {0};

		points_of(x, d, arm, &other);
		if ((first.count > 1 || other.count > 1) && !points_equal(&first, &other))
			return refuse_arm(x, d, arm, &first, &other, err);
	}
	if (first.count > 1 && !check_points(x, d, &first, err))
		return false;
	*ret_points = first;
	first = (struct points){0};
	return true;
}

/* ---- subjects ---- */

/* A subject without its parameters, but for the tasks of a point. tasks: 0: it is none. */
static bool add_subject(const struct resolution *x, const struct description *d, int64_t tasks,
			struct error *err)
{
	struct subject *s = &x->e->subjects[x->e->subject_count];

	if (!description_from_json(d->object, &s->description, err))
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
	const struct description *d = find_workload(x->known, named->name, err);
	struct points points __cleanup(points_done) = {0};
	struct experiment *e = x->e;
	size_t first = e->subject_count, count;

	if (!d)
		return request_wrap(x->r, named->place, err);
	if (!find_points(x, d, &points, err))
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
		const struct said *said = said_of_tasks(x, d, ARM_A);

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
	if (!settle_all(&x, err) || !add_subjects(&x, err))
		return false;
	for (size_t i = 0; i < r->said_count; i++) {
		struct place place;

		if (!apply(r, i, draft, &place, err))
			return request_wrap(r, place, err);
	}
	if (!check_required(draft, err) || !check_together(r, draft, err) ||
	    !request_choose_primaries(r, draft, err))
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
