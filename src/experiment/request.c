// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/request.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"

/* How each place is named in a message. */
static const char *place(int where)
{
	return where == SAID_A ? "--a" : where == SAID_B ? "--b" : "both arms";
}

void request_done(struct request *r)
{
	for (size_t i = 0; i < r->workload_count; i++)
		free(r->workloads[i]);
	for (size_t i = 0; i < r->said_count; i++) {
		free(r->said[i].key);
		free(r->said[i].value);
	}
	free(r->workloads);
	free(r->said);
	*r = (struct request){0};
}

/* Takes key and value. */
static void add_said(struct request *r, int where, char *key, char *value)
{
	r->said = memory_grow(r->said, (r->said_count + 1) * sizeof(*r->said));
	r->said[r->said_count++] = (struct said){.where = where, .key = key, .value = value};
}

/*
 * The length of the key when text begins with `name=` or `workload.name=`, otherwise 0. The one
 * rule for what a key looks like: in a word, at the start of an arm and behind a comma.
 */
static size_t key_length(const char *text)
{
	size_t length = strcspn(text, "=");
	size_t first = strcspn(text, "=.");

	if (!text[length])
		return 0;
	if (first == length)
		return json_is_name(text, length) ? length : 0;
	return json_is_name(text, first) && json_is_name(text + first + 1, length - first - 1)
		       ? length
		       : 0;
}

bool request_add_word(struct request *r, const char *word, struct error *err)
{
	size_t length = key_length(word);

	if (length) {
		add_said(r, SAID_BOTH, text_format("%.*s", (int)length, word),
			 memory_string(word + length + 1));
		return true;
	}
	if (!json_is_name(word, strlen(word)))
		return error_set(err, ERROR_USAGE, "'%.200s' is neither a workload nor name=value",
				 word);
	for (size_t i = 0; i < r->workload_count; i++) {
		if (text_equal(r->workloads[i], word))
			return error_set(err, ERROR_USAGE, "workload %s is named twice", word);
	}
	r->workloads = memory_grow(r->workloads, (r->workload_count + 1) * sizeof(*r->workloads));
	r->workloads[r->workload_count++] = memory_string(word);
	return true;
}

/* Reads a value up to the comma that starts a new pair, or to the end; returns where it stopped. */
static const char *read_value(const char *at, struct text *ret_value)
{
	for (; *at; at++) {
		if (at[0] == '\\' && at[1] == ',')
			at++;
		else if (at[0] == ',' && key_length(at + 1))
			break;
		text_append(ret_value, at, 1);
	}
	return at;
}

bool request_add_arm(struct request *r, int arm, const char *text, struct error *err)
{
	const char *at = text;
	size_t length;

	if (!*text)
		return true;
	/* Only the first pair can lack its key: a comma that no key follows is part of a value. */
	if (!key_length(text))
		return error_set(err, ERROR_USAGE, "%s '%.200s': must begin with name=", place(arm),
				 text);
	while ((length = key_length(at))) {
		struct text value = {0};
		char *key = text_format("%.*s", (int)length, at);

		at = read_value(at + length + 1, &value);
		add_said(r, arm, key, text_take(&value));
		if (*at)
			at++;
	}
	return true;
}

/*
 * Writes a pair as --a takes it. read_value() gets the same value back, unless it ends in a
 * backslash and another pair follows: that can only be said by one --a for each.
 */
static void put_said(struct text *out, const struct said *said)
{
	char before = '\0';

	text_printf(out, "%s=", said->key);
	for (const char *at = said->value; *at; before = *at++) {
		if (*at == ',' && (before == '\\' || key_length(at + 1)))
			text_puts(out, "\\");
		text_append(out, at, 1);
	}
}

static char *label(const struct request *r, int arm)
{
	struct text out = {0};

	for (size_t i = 0; i < r->said_count; i++) {
		if (r->said[i].where != arm)
			continue;
		if (out.length)
			text_puts(&out, ",");
		put_said(&out, &r->said[i]);
	}
	return text_take(&out);
}

/* Splits "workload.name". Returns the name; *ret_length: of the workload, 0: a plain name. */
static const char *split_key(const char *key, size_t *ret_length)
{
	const char *dot = strchr(key, '.');

	*ret_length = dot ? (size_t)(dot - key) : 0;
	return dot ? dot + 1 : key;
}

/* True when a key or metric addresses a workload, or is plain. *ret_name: what it names there. */
static bool meant_for(const char *key, const char *workload, const char **ret_name)
{
	size_t length;

	*ret_name = split_key(key, &length);
	return !length || (strlen(workload) == length && !memcmp(key, workload, length));
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
	const char *ignored;

	for (size_t i = 0; i < e->subject_count; i++) {
		if (meant_for(key, e->subjects[i].description->name, &ignored))
			return true;
	}
	return error_set(err, ERROR_USAGE, "'%.100s': workload %.*s does not take part", key,
			 (int)strcspn(key, "."), key);
}

/*
 * The said pair that gives a parameter of a workload in an arm before number `end`; NULL: none. A
 * pair for both arms counts in each.
 */
static const struct said *find_said(const struct request *r, size_t end, const char *workload,
				    const char *name, int where)
{
	for (size_t i = 0; i < end; i++) {
		const struct said *said = &r->said[i];
		const char *its;

		if (said->where != where && said->where != SAID_BOTH && where != SAID_BOTH)
			continue;
		if (meant_for(said->key, workload, &its) && text_equal(its, name))
			return said;
	}
	return NULL;
}

static bool twice(const struct said *before, const struct said *said, struct error *err)
{
	if (before->where == said->where && text_equal(before->key, said->key))
		return error_set(err, ERROR_USAGE, "%s is given twice for %s", said->key,
				 place(said->where));
	return error_set(err, ERROR_USAGE, "%s for %s and %s for %s give the same parameter twice",
			 before->key, place(before->where), said->key, place(said->where));
}

static bool wrap_place(const struct said *said, struct error *err)
{
	return said->where == SAID_BOTH ? false : error_wrap(err, "%s", place(said->where));
}

/* Sets one pair in a workload that has the parameter. */
static bool set_param(const struct request *r, size_t number, struct subject *s,
		      const struct param *p, struct error *err)
{
	const struct said *said = &r->said[number];
	const struct said *before =
		find_said(r, number, s->description->name, p->name, said->where);
	json_t *value __free(json) = json_string(said->value);
	double ignored;

	if (before)
		return twice(before, said, err);
	/* The line format and the store hold UTF-8. */
	if (!value)
		return error_set(err, ERROR_USAGE, "the value of %s is not UTF-8", said->key);
	if (!param_check(p, said->value, &ignored, err)) {
		err->code = ERROR_USAGE;
		return wrap_place(said, err);
	}
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		if (said->where == arm || said->where == SAID_BOTH)
			json_object_set(s->params[arm], p->name, value);
	}
	return true;
}

/* Which of several workloads an error is about. */
static bool wrap_workload(const struct experiment *e, const struct subject *s, struct error *err)
{
	return e->subject_count == 1 ? false : error_wrap(err, "%s", s->description->name);
}

/* Sets one pair in every workload that it is meant for. */
static bool apply(const struct request *r, size_t number, struct experiment *e, struct error *err)
{
	const struct said *said = &r->said[number];
	struct nearest nearest = {0};
	const char *nearest_in = NULL;
	bool known = false;

	if (!check_address(e, said->key, err))
		return false;
	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject *s = &e->subjects[i];
		const struct param *p;

		if (!meant_for(said->key, s->description->name, &nearest.name))
			continue;

		bool none_near = !*nearest.found;

		for (p = s->description->params; p->name; p++)
			nearest_try(&nearest, p->name);
		/* Where to look when none knows it: where the near name is, else the first one. */
		if (!nearest_in || (none_near && *nearest.found))
			nearest_in = s->description->name;
		p = param_find(s->description->params, nearest.name);
		if (p && !set_param(r, number, s, p, err))
			return wrap_workload(e, s, err);
		known = known || p;
	}
	if (known)
		return true;
	unknown(&nearest, "parameter", nearest_in, err);
	return wrap_place(said, err);
}

/* What only makes sense together, when all is said. */
static bool check_together(const struct experiment *e, struct error *err)
{
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct subject *s = &e->subjects[i];
		const struct param *declared = s->description->params;
		struct error in_a, in_b;
		bool a = params_check(s->params[ARM_A], declared, &in_a);
		bool b = params_check(s->params[ARM_B], declared, &in_b);

		if (a && b)
			continue;
		*err = a ? in_b : in_a;
		if (a != b)
			error_wrap(err, "%s", place(a ? SAID_B : SAID_A));
		return wrap_workload(e, s, err);
	}
	return true;
}

/* Makes the metric that was asked for the primary one of every workload that has it. */
static bool set_primary(const char *primary, struct experiment *e, struct error *err)
{
	struct nearest nearest = {0};
	const char *list = NULL;
	bool known = false;

	if (!check_address(e, primary, err))
		return false;
	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject *s = &e->subjects[i];
		const struct metric *m;

		if (!meant_for(primary, s->description->name, &nearest.name))
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
		s->primary = m->name;
		known = true;
	}
	return known || unknown(&nearest, "metric", list, err);
}

/* The subjects without their parameters. */
static bool add_subjects(const struct request *r, struct description *const *known,
			 struct experiment *e, struct error *err)
{
	if (!r->workload_count)
		return error_set(err, ERROR_USAGE,
				 "no workload is named (`contend list` shows them)");
	e->subjects = memory_array(r->workload_count, sizeof(*e->subjects));
	for (size_t i = 0; i < r->workload_count; i++) {
		const struct description *d = find_workload(known, r->workloads[i], err);
		struct subject *s = &e->subjects[i];

		if (!d || !description_from_json(d->object, &s->description, err))
			return false;
		e->subject_count++;
		s->primary = description_primary(s->description)->name;
		for (int arm = 0; arm < ARM_COUNT; arm++)
			s->params[arm] = json_object();
	}
	return true;
}

bool request_resolve(const struct request *r, struct description *const *known,
		     struct experiment *e, struct error *err)
{
	struct experiment *draft __free(experiment) = experiment_new();

	assert(!e->subject_count);
	if (!add_subjects(r, known, draft, err))
		return false;
	for (size_t i = 0; i < r->said_count; i++) {
		if (!apply(r, i, draft, err))
			return false;
	}
	if (!check_together(draft, err))
		return false;
	if (r->primary && !set_primary(r->primary, draft, err))
		return false;
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		free(e->labels[arm]);
		e->labels[arm] = label(r, arm);
	}
	e->subjects = take(draft->subjects);
	e->subject_count = draft->subject_count;
	draft->subject_count = 0;
	return true;
}
