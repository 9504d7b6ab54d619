// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/command.h"

#include <string.h>

#include "base/memory.h"
#include "base/shell.h"
#include "model/reading.h"

const struct param *command_param(const struct description *d)
{
	for (const struct param *p = d->params; p->name; p++) {
		if (p->type == PARAM_COMMAND)
			return p;
	}
	return NULL;
}

static json_t *words_of(const char *command)
{
	struct error ignored;
	json_t *words = NULL;

	/* It was checked when it was given. */
	json_parse(command, strlen(command), &words, &ignored);
	return words;
}

/*
 * Reads a word up to the next key: appends what comes before it to *literal (NULL: nobody wants it)
 * and leaves the key, owned by the caller, in *ret_key, NULL at the end. *at: where to go on.
 */
static bool next_key(const char **at, struct text *literal, char **ret_key, struct error *err)
{
	const char *c = *at;
	size_t length;

	*ret_key = NULL;
	for (; *c && (c[0] != '{' || c[1] == '{'); c++) {
		if (*c == '{')
			c++;
		if (literal)
			text_append(literal, c, 1);
	}
	*at = c;
	if (!*c)
		return true;
	length = strcspn(c + 1, "{}");
	*ret_key = text_format("%.*s", (int)length, c + 1);
	if (c[1 + length] == '}' && request_is_key(*ret_key)) {
		*at = c + length + 2;
		return true;
	}
	free(take(*ret_key));
	return error_set(err, ERROR_USAGE,
			 "'%.60s' in the command is no {key}: a brace that is meant is written {{",
			 c);
}

/* Appends a copy of the entries of a list for which keep() says so. */
static json_t *kept(const json_t *list, bool (*keep)(const json_t *entry))
{
	json_t *copy = json_array();

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *entry = json_array_get(list, i);

		if (keep(entry))
			json_array_append(copy, entry);
	}
	return copy;
}

static bool has_text(const json_t *entry, const char *key, const char *value)
{
	const char *text = json_string_value(json_object_get(entry, key));

	return text && text_equal(text, value);
}

static bool is_own_param(const json_t *entry)
{
	return !has_text(entry, "type", param_type_words[PARAM_WORD]);
}

static bool is_own_metric(const json_t *entry)
{
	return !has_text(entry, "reader", METRIC_READER_PATTERN);
}

static bool is_named(const json_t *list, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (has_text(json_array_get(list, i), "name", name))
			return true;
	}
	return false;
}

static void add_key(json_t *params, const char *key)
{
	const struct param p = {
		.name = key,
		.type = PARAM_WORD,
		.preset = "",
		.help = "what its name in braces stands for in the command",
		.required = true,
	};

	if (!is_named(params, key))
		json_array_append_new(params, param_to_json(&p));
}

static bool add_keys(const char *command, json_t *params, struct error *err)
{
	json_t *words __free(json) = words_of(command);

	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *at = json_string_value(json_array_get(words, i));

		while (*at) {
			char *key __free(memory) = NULL;

			if (!next_key(&at, NULL, &key, err))
				return false;
			if (key && strchr(key, '.') && !is_named(params, key))
				return error_set(err, ERROR_USAGE, "{%.100s} is no parameter here",
						 key);
			if (key)
				add_key(params, key);
		}
	}
	return true;
}

static bool add_metric(const struct said *said, const char *role, json_t *metrics,
		       struct error *err)
{
	struct reading r __cleanup(reading_done) = {0};

	if (said->where != SAID_BOTH)
		return error_set(err, ERROR_USAGE,
				 "%s holds for all arms: what is compared is the same in each",
				 said->key);
	if (!reading_parse(said->value, &r, err))
		return error_wrap(err, "%s", said->key);
	if (is_named(metrics, r.name))
		return error_set(err, ERROR_USAGE, "%s: there is a metric %s already", said->key,
				 r.name);
	json_array_append_new(metrics, reading_metric(&r, role));
	return true;
}

static bool add_metrics(const struct request *r, const struct description *d, json_t *metrics,
			struct place *ret_place, struct error *err)
{
	for (size_t i = 0; i < r->said_count; i++) {
		const struct param *p;
		const char *name;

		if (!request_meant_for(r->said[i].key, d, &name))
			continue;
		p = param_find(d->params, name);
		*ret_place = r->said[i].value_place;
		if (p && p->type == PARAM_METRIC &&
		    !add_metric(&r->said[i], d->roles[0].name, metrics, err))
			return false;
	}
	return true;
}

bool command_describe(const struct request *r, const struct description *d, json_t **ret_object,
		      struct place *ret_place, struct error *err)
{
	json_t *params, *metrics, *object;
	bool ok;

	if (!command_param(d)) {
		*ret_object = json_incref(d->object);
		return true;
	}
	object = json_copy(d->object);
	params = kept(json_object_get(object, "params"), is_own_param);
	metrics = kept(json_object_get(object, "metrics"), is_own_metric);
	json_object_set_new(object, "params", params);
	json_object_set_new(object, "metrics", metrics);
	*ret_place = r->command_at;
	ok = (!r->command || add_keys(r->command, params, err)) &&
	     add_metrics(r, d, metrics, ret_place, err);
	if (ok)
		*ret_object = object;
	else
		json_decref(object);
	return ok;
}

/* A word with the values of its keys. Owned by the caller; NULL: refused. */
static char *filled_in(const char *word, const json_t *params, const struct param *declared,
		       struct error *err)
{
	struct text out __text = {0};

	while (*word) {
		char *key __free(memory) = NULL;
		const char *value;

		if (!next_key(&word, &out, &key, err))
			return NULL;
		if (!key)
			break;
		value = param_find(declared, key) ? params_string(params, declared, key) : NULL;
		if (!value) {
			error_set(err, ERROR_USAGE,
				  "%s= must be given: the command has {%s} in it, and there is no "
				  "default",
				  key, key);
			return NULL;
		}
		text_puts(&out, value);
	}
	return text_take(&out);
}

static bool fill_in(const char *command, const json_t *params, const struct param *declared,
		    char **ret_command, struct error *err)
{
	json_t *words __free(json) = words_of(command), *done __free(json) = json_array();

	for (size_t i = 0; i < json_array_size(words); i++) {
		char *word __free(memory) = filled_in(json_string_value(json_array_get(words, i)),
						      params, declared, err);

		if (!word)
			return false;
		json_array_append_new(done, json_text(word));
	}
	*ret_command = json_line(done);
	return true;
}

bool command_params(const struct subject *s, int arm, json_t **ret_params, struct error *err)
{
	const struct param *declared = s->description->params;
	const struct param *p = command_param(s->description);
	const char *command = p ? params_string(s->params[arm], declared, p->name) : "";
	json_t *params __free(json) = json_copy(s->params[arm]);
	char *filled __free(memory) = NULL;

	if (*command) {
		if (!fill_in(command, params, declared, &filled, err))
			return false;
		json_object_set_new(params, p->name, json_text(filled));
	}
	for (const struct param *word = declared; word->name; word++) {
		if (word->type == PARAM_WORD)
			json_object_del(params, word->name);
	}
	*ret_params = take(params);
	return true;
}

void command_quote(struct text *out, const char *command)
{
	json_t *words __free(json) = words_of(command);

	for (size_t i = 0; i < json_array_size(words); i++)
		shell_put_word(out, json_string_value(json_array_get(words, i)));
}
