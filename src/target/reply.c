// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/reply.h"

#include <stdio.h>
#include <string.h>

void reply_init(struct reply *r, const char *id, const struct target_watch *watch)
{
	*r = (struct reply){.id = id, .watch = watch};
}

void reply_done(struct reply *r)
{
	json_decref(r->answer);
	text_done(&r->rest);
	*r = (struct reply){0};
}

/*
 * Version and build of the agent, where it says them. A field that is not a string is a word that
 * we do not know, as are others.
 */
static bool take_begin(struct reply *r, const json_t *line, struct error *err)
{
	const char *version = json_string_value(json_object_get(line, "agent"));
	const char *build = json_string_value(json_object_get(line, "build"));
	struct agent_identity *known = r->watch ? r->watch->agent : NULL;
	struct agent_identity said = {""};

	r->state = REPLY_BEGUN;
	if (!known || !version)
		return true;
	snprintf(said.text, sizeof(said.text), "%s%s%s", version, build ? " build " : "",
		 build ? build : "");
	if (!*known->text)
		*known = said;
	if (text_equal(known->text, said.text))
		return true;
	return error_set(err, ERROR_DATA, "this agent is %s, the one before was %s: exchanged",
			 said.text, known->text);
}

static bool take_progress(struct reply *r, const json_t *line, struct error *err)
{
	const char *phase;
	double share;

	if (!json_get_string(line, "phase", &phase, err) ||
	    !json_get_number(line, "share", &share, err))
		return false;
	/* Only for show: not worth losing a run for. */
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	if (r->watch && r->watch->progress)
		r->watch->progress(r->watch->context, phase, share);
	return true;
}

static bool take_answer(struct reply *r, const json_t *line, struct error *err)
{
	json_t *answer = json_object_get(line, "answer");

	if (!answer)
		return error_set(err, ERROR_DATA, "field 'answer' is missing");
	r->answer = json_incref(answer);
	r->state = REPLY_ANSWERED;
	return true;
}

static bool take_error(struct reply *r, const json_t *line, struct error *err)
{
	const char *text;
	int code;

	if (!json_get_word(line, "code", wire_code_words, &code, err) ||
	    !json_get_string(line, "text", &text, err))
		return false;
	if (code == ERROR_NONE)
		return error_set(err, ERROR_DATA, "an error of code 'none'");
	error_set(&r->refusal, (enum error_code)code, "%s", text);
	r->state = REPLY_ANSWERED;
	return true;
}

/* True when a line of this type may come now. */
static bool in_turn(enum reply_state state, enum wire_type type)
{
	switch (type) {
	case WIRE_BEGIN:
		return state == REPLY_NOTHING;
	case WIRE_PROGRESS:
		return state == REPLY_BEGUN || state == REPLY_ANSWERED;
	case WIRE_ANSWER:
		return state == REPLY_BEGUN;
	case WIRE_ERROR:
		return state == REPLY_NOTHING || state == REPLY_BEGUN;
	case WIRE_END:
		return state == REPLY_ANSWERED;
	}
	return false;
}

static bool take_line(struct reply *r, const char *bytes, size_t length, struct error *err)
{
	json_t *line __free(json) = NULL;
	enum wire_type type;
	const char *id;

	if (r->state == REPLY_ENDED)
		return error_set(err, ERROR_DATA, "text behind the end");
	if (!json_parse(bytes, length, &line, err) || !wire_line_type(line, &type, &id, err))
		return false;
	if (!text_equal(id, r->id))
		return error_set(err, ERROR_DATA, "is about job '%.100s', not '%s'", id, r->id);
	if (!in_turn(r->state, type))
		return error_set(err, ERROR_DATA, "'%s' is out of turn", wire_type_words[type]);
	switch (type) {
	case WIRE_BEGIN:
		return take_begin(r, line, err);
	case WIRE_PROGRESS:
		return take_progress(r, line, err);
	case WIRE_ANSWER:
		return take_answer(r, line, err);
	case WIRE_ERROR:
		return take_error(r, line, err);
	case WIRE_END:
		r->state = REPLY_ENDED;
		return true;
	}
	return false;
}

/* A line without its newline. */
static bool take_numbered(struct reply *r, const char *bytes, size_t length, struct error *err)
{
	if (!take_line(r, bytes, length, err)) {
		/* Whatever the reason, it is the agent's answer that is damaged. */
		err->code = ERROR_DATA;
		return error_wrap(err, "agent's answer: line %zu", r->lines + 1);
	}
	r->lines++;
	return true;
}

/* Keeps the beginning of a line, but not without bounds. */
static bool keep_rest(struct reply *r, const char *bytes, size_t length, struct error *err)
{
	if (r->rest.length + length > WIRE_LINE_BYTES)
		return error_set(err, ERROR_DATA, "agent's answer: line %zu has more than %d bytes",
				 r->lines + 1, WIRE_LINE_BYTES);
	text_append(&r->rest, bytes, length);
	return true;
}

bool reply_feed(struct reply *r, const char *bytes, size_t length, struct error *err)
{
	const char *end = bytes + length;
	const char *newline;

	for (; (newline = memchr(bytes, '\n', (size_t)(end - bytes))); bytes = newline + 1) {
		struct text line __text = {0};

		if (!r->rest.length) {
			if (!take_numbered(r, bytes, (size_t)(newline - bytes), err))
				return false;
			continue;
		}
		if (!keep_rest(r, bytes, (size_t)(newline - bytes), err))
			return false;
		line = r->rest;
		r->rest = (struct text){0};
		if (!take_numbered(r, line.bytes, line.length, err))
			return false;
	}
	return bytes == end || keep_rest(r, bytes, (size_t)(end - bytes), err);
}

bool reply_take(struct reply *r, json_t **ret_answer, struct error *err)
{
	if (r->state == REPLY_ENDED && r->rest.length)
		return error_set(err, ERROR_DATA, "agent's answer: text behind the end");
	if (r->state != REPLY_ENDED)
		return error_set(err, ERROR_DATA, "agent's answer was cut after %zu line%s",
				 r->lines, r->lines == 1 ? "" : "s");
	if (r->refusal.code != ERROR_NONE)
		return error_set(err, r->refusal.code, "%s", r->refusal.text);
	*ret_answer = take(r->answer);
	return true;
}
