// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/repeat.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/shell.h"
#include "experiment/command.h"
#include "experiment/points.h"

static const struct place nowhere = {0};

/* ---- what was said ---- */

/* True when something that was said for an arm gives the parameter of a workload. */
static bool said_for_arm(const struct request *r, const struct description *workload,
			 const char *name)
{
	for (size_t i = 0; i < r->said_count; i++) {
		const char *its;

		if (r->said[i].where != SAID_BOTH &&
		    request_meant_for(r->said[i].key, workload, &its) && text_equal(its, name))
			return true;
	}
	return false;
}

/* The value that a workload was given for all arms; NULL: none. */
static const json_t *value_for_both(const struct request *r, const struct subject *s,
				    const char *name)
{
	if (said_for_arm(r, s->description, name))
		return NULL;
	return json_object_get(s->params[ARM_A], name);
}

/*
 * Who shares the value of subject `index`: false where one that has the parameter was given another
 * one or none, so that the plain name would say too much. *ret_first: nobody before it does.
 */
static bool is_shared(const struct request *r, const struct experiment *e, size_t index,
		      const char *name, const json_t *value, bool *ret_first)
{
	*ret_first = true;
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct subject *s = &e->subjects[i];

		if (i == index || !param_find(s->description->params, name))
			continue;
		if (!json_equal(value_for_both(r, s, name), value))
			return false;
		*ret_first = *ret_first && i > index;
	}
	return true;
}

static bool add_lines(struct request *r, const char *key, const char *lines, struct error *err)
{
	char *copy __free(memory) = memory_string(lines), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (!request_add_pair(r, SAID_BOTH, key, nowhere, line, nowhere, err))
			return false;
	}
	return true;
}

/* A value that is not said by a pair, or by several. *ret_done: it was. */
static bool add_otherwise(const struct subject *s, const char *name, const char *key,
			  const char *value, struct request *r, bool *ret_done, struct error *err)
{
	const struct param *p = param_find(s->description->params, name);

	*ret_done = p && (p->type == PARAM_COMMAND || p->type == PARAM_METRIC);
	if (!*ret_done)
		return true;
	if (p->type == PARAM_METRIC)
		return add_lines(r, key, value, err);
	free(r->command);
	r->command = memory_string(value);
	return true;
}

static bool add_for_both(const struct request *arms, const struct experiment *e, size_t index,
			 struct request *r, struct error *err)
{
	const struct subject *s = &e->subjects[index];
	const char *name;
	json_t *value;

	json_object_foreach(s->params[ARM_A], name, value) {
		const char *text = json_string_value(value);
		char *addressed __free(memory) = NULL;
		bool first, done;

		if (!value_for_both(arms, s, name))
			continue;
		if (!is_shared(arms, e, index, name, value, &first))
			addressed = text_format("%s.%s", s->description->name, name);
		else if (!first)
			continue;
		if (!add_otherwise(s, name, addressed ? addressed : name, text, r, &done, err))
			return false;
		if (!done && !request_add_pair(r, SAID_BOTH, addressed ? addressed : name, nowhere,
					       text, nowhere, err))
			return false;
	}
	return true;
}

/* ---- the primary ---- */

static bool is_own_choice(const struct subject *s)
{
	return text_equal(s->primary, description_primary(s->description)->name);
}

/* True when a metric is the primary one of every workload that has it. */
static bool is_primary_everywhere(const struct experiment *e, const char *metric)
{
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct subject *s = &e->subjects[i];

		if (description_metric(s->description, metric) && !text_equal(s->primary, metric))
			return false;
	}
	return true;
}

static bool has_primary(const struct terms *t, const char *key)
{
	for (size_t i = 0; i < t->primary_count; i++) {
		if (text_equal(t->primaries[i].key, key))
			return true;
	}
	return false;
}

static void add_primaries(const struct experiment *e, struct request *r)
{
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct subject *s = &e->subjects[i];
		char *key __free(memory) = NULL;

		if (is_own_choice(s))
			continue;
		key = is_primary_everywhere(e, s->primary)
			      ? memory_string(s->primary)
			      : text_format("%s.%s", s->description->name, s->primary);
		if (!has_primary(&r->terms, key))
			terms_add_primary(&r->terms, key, nowhere);
	}
}

/* ---- curves ---- */

char *repeat_points(const struct experiment *e, const struct curve *c)
{
	struct points points __cleanup(points_done) = {0};

	points.list = memory_array(c->count, sizeof(*points.list));
	for (points.count = 0; points.count < c->count; points.count++)
		points.list[points.count] = experiment_point(e, c->first + points.count);
	return points_text(&points);
}

/* A copy of a point for its whole curve: its number of tasks is the list of all. */
static struct subject whole_curve(const struct experiment *e, const struct curve *c)
{
	struct subject s = e->subjects[c->first];
	char *list __free(memory) = repeat_points(e, c);

	for (int arm = 0; arm < e->arm_count; arm++) {
		s.params[arm] = json_deep_copy(s.params[arm]);
		json_object_set_new(s.params[arm], curve_param, json_text(list));
	}
	return s;
}

/* As it was asked: with one subject a workload. The rest is e's. */
static struct experiment fold(const struct experiment *e)
{
	struct experiment folded = *e;

	folded.subjects = memory_array(e->subject_count, sizeof(*folded.subjects));
	folded.subject_count = 0;
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct curve *c = experiment_curve(e, i);

		if (!c)
			folded.subjects[folded.subject_count++] = e->subjects[i];
		else if (c->first == i)
			folded.subjects[folded.subject_count++] = whole_curve(e, c);
	}
	return folded;
}

static void unfold(struct experiment *folded, const struct experiment *e)
{
	for (size_t i = 0, k = 0; k < folded->subject_count; k++) {
		const struct curve *c = experiment_curve(e, i);

		for (int arm = 0; c && arm < e->arm_count; arm++)
			json_decref(folded->subjects[k].params[arm]);
		i += c ? c->count : 1;
	}
	free(folded->subjects);
}

/* Of an experiment that has each workload once. */
static bool say(const struct experiment *e, struct request *r, struct error *err)
{
	struct request arms __cleanup(request_done) = {0};

	for (int arm = 0; arm < e->arm_count; arm++) {
		if (e->labels[arm] && !request_add_arm(&arms, arm, e->labels[arm], err))
			return false;
		r->named[arm] = true;
	}
	for (size_t i = 0; i < e->subject_count; i++) {
		if (!request_add_workload(r, e->subjects[i].description->name, nowhere, err) ||
		    !add_for_both(&arms, e, i, r, err))
			return false;
	}
	for (size_t i = 0; i < arms.said_count; i++) {
		const struct said *said = &arms.said[i];

		if (!request_add_pair(r, said->where, said->key, nowhere, said->value, nowhere,
				      err))
			return false;
	}
	add_primaries(e, r);
	return true;
}

bool repeat_request(const struct experiment *e, struct request *r, struct error *err)
{
	struct experiment folded = fold(e);
	bool said = say(&folded, r, err);

	unfold(&folded, e);
	return said;
}

/* ---- the command line ---- */

void repeat_put_command(const struct request *r, struct text *out)
{
	if (!r->command)
		return;
	text_puts(out, " --");
	command_quote(out, r->command);
}

static bool put_arms(struct text *out, const struct request *r, int arms, struct error *err)
{
	for (int arm = 0; arm < arms; arm++) {
		char *label __free(memory) = request_label(r, arm, err);

		if (!label)
			return false;
		/* A and B go without saying, unless a C is beside them. */
		if (!*label && (arm == ARM_A || arms == 2))
			continue;
		text_printf(out, " --%s", arm_keys[arm]);
		shell_put_word(out, label);
	}
	return true;
}

/* Terms that are as the defaults are need no word. */
static void put_terms(struct text *out, const struct experiment *e, const struct request *r)
{
	static const enum term order[] = {TERM_PAIRS, TERM_MAX_PAIRS, TERM_BUDGET, TERM_MARGIN,
					  TERM_ALPHA};
	struct experiment *preset __free(experiment) = experiment_new();
	const struct terms none = {0};

	terms_apply(&none, &none, preset);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		char *text __free(memory) = terms_text(e, order[i]);
		char *usual __free(memory) = terms_text(preset, order[i]);

		if (text && (!usual || !text_equal(text, usual)))
			text_printf(out, " --%s %s", term_words[order[i]], text);
	}
	char *until_decided __free(memory) = terms_text(e, TERM_UNTIL_DECIDED);

	if (until_decided)
		text_printf(out, " --%s", term_words[TERM_UNTIL_DECIDED]);
	for (size_t i = 0; i < r->terms.primary_count; i++)
		text_printf(out, " --primary %s", r->terms.primaries[i].key);
	if (e->strict)
		text_puts(out, " --strict");
}

/* seed: NULL: none. */
static bool put_command_line(const struct experiment *e, const char *seed, char **ret_command,
			     struct error *err)
{
	struct request r __cleanup(request_done) = {0};
	struct text out __text = {0};

	if (!repeat_request(e, &r, err))
		return false;
	text_puts(&out, e->plan == PLAN_SINGLE ? "contend run" : "contend ab");
	for (size_t i = 0; i < r.workload_count; i++)
		shell_put_word(&out, r.workloads[i].name);
	for (size_t i = 0; i < r.said_count; i++) {
		if (r.said[i].where == SAID_BOTH) {
			char *word __free(memory) =
				text_format("%s=%s", r.said[i].key, r.said[i].value);

			shell_put_word(&out, word);
		}
	}
	if (e->plan != PLAN_SINGLE) {
		if (!put_arms(&out, &r, e->arm_count, err))
			return false;
		put_terms(&out, e, &r);
	} else if (e->pairs > 1) {
		text_printf(&out, " --runs %" PRId64, e->pairs);
	}
	if (seed)
		text_printf(&out, " --seed %s", seed);
	repeat_put_command(&r, &out);
	*ret_command = text_take(&out);
	return true;
}

bool repeat_question(const struct experiment *e, char **ret_command, struct error *err)
{
	return put_command_line(e, NULL, ret_command, err);
}

bool repeat_command(const struct experiment *e, char **ret_command, struct error *err)
{
	char *seed __free(memory) = terms_text(e, TERM_SEED);

	/* One arm has no order. */
	return put_command_line(e, e->plan == PLAN_SINGLE ? NULL : seed, ret_command, err);
}

const char *repeat_caveat(const struct experiment *e)
{
	if (e->plan != PLAN_DECIDED || !e->pairs || e->planned_pairs)
		return NULL;
	return "it was made before a maximum had looks, and was judged by the e-process alone: what "
	       "repeats it takes looks";
}

/* ---- what --resume changed ---- */

/* What a session did has no other trace than its room. */
static struct experiment with_room_of(const struct experiment *e, const struct session *s)
{
	struct experiment copy = *e;

	copy.pairs = s->pairs;
	copy.budget_ns = s->budget_ns;
	return copy;
}

struct experiment repeat_as_asked(const struct experiment *e, const struct history *h)
{
	return h && h->session_count ? with_room_of(e, h->sessions) : *e;
}

/* Without a number it is in no store. */
static void put_extension(struct text *out, int64_t id, const char *room)
{
	char *number __free(memory) = id ? text_format("%" PRId64, id) : memory_string("ID");

	text_printf(out, "then, to extend it: contend ab --resume %s %s", number, room);
}

bool repeat_change(const struct experiment *e, const struct history *h, size_t session,
		   struct text *out)
{
	const struct session *s = &h->sessions[session];
	const struct experiment then = with_room_of(e, s);
	char *room __free(memory) = NULL;

	if (!session || (s->pairs == s[-1].pairs && s->budget_ns == s[-1].budget_ns))
		return false;
	if (e->plan == PLAN_BUDGET) {
		char *budget __free(memory) = terms_text(&then, TERM_BUDGET);

		room = text_format("--budget %s", budget);
	} else {
		room = text_format("--%s %" PRId64,
				   term_words[e->plan == PLAN_PAIRS ? TERM_PAIRS : TERM_MAX_PAIRS],
				   s->pairs);
	}
	/* Planned pairs can be changed until their end, and no --resume repeats that. */
	if (e->plan == PLAN_PAIRS && (!e->looked || s->pairs <= e->looked))
		text_printf(out, "with %s instead, as was said before its end", room);
	else
		put_extension(out, e->id, room);
	return true;
}
