// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/request.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void request_done(struct request *r)
{
	for (size_t i = 0; i < r->workload_count; i++)
		free(r->workloads[i].name);
	for (size_t i = 0; i < r->said_count; i++) {
		free(r->said[i].key);
		free(r->said[i].value);
		free(r->said[i].asked);
	}
	free(r->workloads);
	free(r->said);
	free(r->file);
	free(r->command);
	terms_done(&r->terms);
	terms_done(&r->file_terms);
	*r = (struct request){0};
}

bool request_wrap(const struct request *r, struct place place, struct error *err)
{
	return place.line ? error_wrap(err, "%.300s:%zu:%zu", r->file, place.line, place.column)
			  : false;
}

bool request_count_arms(const struct request *r, int *ret_count, struct error *err)
{
	int last = ARM_B;

	for (int arm = ARM_C; arm < ARM_MOST; arm++) {
		if (!r->named[arm])
			continue;
		for (int before = ARM_B; before < arm; before++) {
			bool file = r->named_at[arm].line;

			if (r->named[before])
				continue;
			error_set(
				err, ERROR_USAGE,
				"%s%s without %s%s: arms are named in order; %s%s%s is one as the "
				"defaults are",
				file ? "" : "--", arm_keys[arm], file ? "" : "--", arm_keys[before],
				file ? "" : "--", arm_keys[before], file ? ": {}" : " ''");
			return request_wrap(r, r->named_at[arm], err);
		}
		last = arm;
	}
	*ret_count = last + 1;
	return true;
}

/* ---- what a key looks like ---- */

/*
 * How long a name may be is json_is_name()'s to say: this looks a little farther, and not at all.
 */
static size_t name_length(const char *text)
{
	enum { FARTHEST = 64 };
	size_t length = 0;

	while (length < FARTHEST &&
	       (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '-'))
		length++;
	return json_is_name(text, length) ? length : 0;
}

/* The length of the one to three names with dots between at the beginning of text; 0: none. */
static size_t any_key_length(const char *text)
{
	enum { PARTS = 3 };
	size_t length = name_length(text);

	for (int part = 1; part < PARTS && length && text[length] == '.'; part++) {
		size_t more = name_length(text + length + 1);

		if (!more)
			break;
		length += 1 + more;
	}
	return length;
}

/*
 * The length of the key when text begins with a key and "=", otherwise 0. The one rule for a word,
 * the start of an arm and what follows a comma. It looks no farther than a key is long: there may
 * be a comma at every byte of a long value.
 */
static size_t key_length(const char *text)
{
	size_t length = any_key_length(text);

	return length && text[length] == '=' ? length : 0;
}

bool request_is_key(const char *text)
{
	size_t length = any_key_length(text);

	return length && !text[length];
}

bool request_meant_for(const char *key, const struct description *workload, const char **ret_name)
{
	const char *dot = strchr(key, '.');
	size_t length = dot ? (size_t)(dot - key) : 0;

	if (dot && param_find(workload->params, key)) {
		*ret_name = key;
		return true;
	}
	*ret_name = dot ? dot + 1 : key;
	return !length ||
	       (strlen(workload->name) == length && !memcmp(key, workload->name, length));
}

/* ---- adding ---- */

bool request_add_workload(struct request *r, const char *name, struct place place,
			  struct error *err)
{
	if (!json_is_name(name, strlen(name)))
		return error_set(err, ERROR_USAGE, "'%.100s' is not the name of a workload", name);
	/* Before they are compared, each with all. */
	if (r->workload_count >= EXPERIMENT_SUBJECTS_MAX)
		return error_set(err, ERROR_USAGE, "more than %d workloads: %s is one too many",
				 EXPERIMENT_SUBJECTS_MAX, name);
	for (size_t i = 0; i < r->workload_count; i++) {
		if (text_equal(r->workloads[i].name, name))
			return error_set(err, ERROR_USAGE, "workload %s is named twice", name);
	}
	r->workloads = memory_grow(r->workloads, (r->workload_count + 1) * sizeof(*r->workloads));
	r->workloads[r->workload_count++] =
		(struct named){.name = memory_string(name), .place = place};
	return true;
}

/* Takes key and value. */
static void add_said(struct request *r, int where, char *key, struct place place, char *value,
		     struct place value_place)
{
	r->said = memory_grow(r->said, (r->said_count + 1) * sizeof(*r->said));
	r->said[r->said_count++] = (struct said){
		.where = where,
		.key = key,
		.value = value,
		.place = place,
		.value_place = value_place,
	};
}

bool request_add_pair(struct request *r, int where, const char *key, struct place place,
		      const char *value, struct place value_place, struct error *err)
{
	if (!request_is_key(key))
		return error_set(err, ERROR_USAGE,
				 "'%.100s' is not the name of a parameter, nor WORKLOAD.PARAMETER",
				 key);
	add_said(r, where, memory_string(key), place, memory_string(value), value_place);
	return true;
}

static const struct place command_line = {0};

bool request_add_word(struct request *r, const char *word, struct error *err)
{
	size_t length = key_length(word);

	if (length) {
		add_said(r, SAID_BOTH, text_format("%.*s", (int)length, word), command_line,
			 memory_string(word + length + 1), command_line);
		return true;
	}
	if (!json_is_name(word, strlen(word)))
		return error_set(err, ERROR_USAGE, "'%.100s' is neither a workload nor name=value",
				 word);
	return request_add_workload(r, word, command_line, err);
}

bool request_set_command(struct request *r, const char *const *words, size_t count,
			 struct place place, struct error *err)
{
	json_t *list __free(json) = json_array();

	if (r->command)
		return error_set(err, ERROR_USAGE, "the command is given twice: the other is %s",
				 r->command_at.line ? "in the file" : "on the command line");
	if (!count || !*words[0])
		return error_set(err, ERROR_USAGE, "the command is empty: it names no program");
	for (size_t i = 0; i < count; i++) {
		json_t *word = json_string(words[i]);

		/* The line format and the store hold UTF-8. */
		if (!word)
			return error_set(err, ERROR_USAGE, "word %zu of the command is not UTF-8",
					 i + 1);
		json_array_append_new(list, word);
	}
	r->command = json_line(list);
	r->command_at = place;
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

	if (!*text) {
		r->named[arm] = true;
		return true;
	}
	/* Only the first pair can lack its key: a comma that no key follows is part of a value. */
	if (!key_length(text))
		return error_set(err, ERROR_USAGE,
				 "--%s '%.100s': must begin with name=", arm_keys[arm], text);
	r->named[arm] = true;
	while ((length = key_length(at))) {
		struct text value = {0};
		char *key = text_format("%.*s", (int)length, at);

		at = read_value(at + length + 1, &value);
		add_said(r, arm, key, command_line, text_take(&value), command_line);
		if (*at)
			at++;
	}
	return true;
}

/* ---- back to text ---- */

/* Writes a pair so that read_value() gets the same value back. */
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

char *request_label(const struct request *r, int arm, struct error *err)
{
	struct text out __text = {0};

	for (size_t i = 0; i < r->said_count; i++) {
		const struct said *said = &r->said[i];

		if (said->where != arm)
			continue;
		if (out.length && out.bytes[out.length - 1] == '\\') {
			error_set(err, ERROR_USAGE,
				  "%s: a value that ends in a backslash must be the last of its "
				  "arm",
				  said->key);
			request_wrap(r, said->place, err);
			return NULL;
		}
		if (out.length)
			text_puts(&out, ",");
		put_said(&out, said);
	}
	return text_take(&out);
}
