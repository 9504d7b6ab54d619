// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static void *allocate(size_t bytes)
{
	return memory_alloc(bytes);
}

void json_use_memory(void)
{
	json_set_alloc_funcs(allocate, free);
}

bool json_parse(const char *bytes, size_t length, json_t **ret_value, struct error *err)
{
	json_error_t why;
	json_t *value = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &why);

	if (!value)
		return error_set(err, ERROR_DATA, "line %d column %d: %s", why.line, why.column,
				 why.text);
	*ret_value = value;
	return true;
}

/*
 * Length of the UTF-8 character at the start of bytes, by the rules of RFC 3629 (no longer form
 * than needed, no surrogates, nothing above U+10FFFF), which are jansson's too; 0: there is none.
 */
static size_t character(const unsigned char *bytes)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (bytes[0] < 0x80)
		return 1;
	if (bytes[0] < 0xc2 || bytes[0] > 0xf4)
		return 0;
	length = bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
	if (bytes[0] == 0xe0)
		low = 0xa0;
	else if (bytes[0] == 0xed)
		high = 0x9f;
	else if (bytes[0] == 0xf0)
		low = 0x90;
	else if (bytes[0] == 0xf4)
		high = 0x8f;
	/* The zero at the end is no continuation byte: nothing behind it is read. */
	if (bytes[1] < low || bytes[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if (bytes[i] < 0x80 || bytes[i] > 0xbf)
			return 0;
	}
	return length;
}

json_t *json_text(const char *text)
{
	struct text clean __text = {0};

	if (!text)
		text = "";
	while (*text) {
		size_t length = character((const unsigned char *)text);

		if (length)
			text_append(&clean, text, length);
		else
			text_puts(&clean, "\xef\xbf\xbd");
		text += length ? length : 1;
	}
	return json_string(text_string(&clean));
}

json_t *json_finite(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

bool json_is_name(const char *text, size_t length)
{
	if (length < 1 || length > 63 || !isalnum((unsigned char)text[0]))
		return false;
	for (size_t i = 1; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
			return false;
	}
	return true;
}

char *json_line(const json_t *value)
{
	/* dumps can only fail for a string that is not UTF-8, which jansson does not let in. */
	return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
}

static bool lacks(const char *key, const char *type, struct error *err)
{
	return error_set(err, ERROR_DATA, "field '%s' is not %s", key, type);
}

bool json_get_string(const json_t *object, const char *key, const char **ret, struct error *err)
{
	const char *value = json_string_value(json_object_get(object, key));

	if (!value)
		return lacks(key, "a string", err);
	*ret = value;
	return true;
}

bool json_get_integer(const json_t *object, const char *key, int64_t *ret, struct error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		return lacks(key, "an integer", err);
	*ret = json_integer_value(value);
	return true;
}

bool json_get_number(const json_t *object, const char *key, double *ret, struct error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_number(value))
		return lacks(key, "a number", err);
	*ret = json_number_value(value);
	return true;
}

bool json_get_bool(const json_t *object, const char *key, bool *ret, struct error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_boolean(value))
		return lacks(key, "true or false", err);
	*ret = json_is_true(value);
	return true;
}

bool json_get_object(const json_t *object, const char *key, json_t **ret, struct error *err)
{
	json_t *value = json_object_get(object, key);

	if (!json_is_object(value))
		return lacks(key, "an object", err);
	*ret = value;
	return true;
}

bool json_get_array(const json_t *object, const char *key, json_t **ret, struct error *err)
{
	json_t *value = json_object_get(object, key);

	if (!json_is_array(value))
		return lacks(key, "an array", err);
	*ret = value;
	return true;
}

bool json_get_name(const json_t *object, const char *key, const char **ret, struct error *err)
{
	const char *value;

	if (!json_get_string(object, key, &value, err))
		return false;
	if (!json_is_name(value, strlen(value)))
		return lacks(key, "a name (letters, digits, _ and -)", err);
	*ret = value;
	return true;
}

bool json_get_count(const json_t *object, const char *key, int64_t *ret, struct error *err)
{
	int64_t value;

	if (!json_get_integer(object, key, &value, err))
		return false;
	if (value < 0)
		return error_set(err, ERROR_DATA, "field '%s' is negative", key);
	*ret = value;
	return true;
}

bool json_get_strings(const json_t *object, const char *key, json_t **ret, struct error *err)
{
	json_t *values, *value;
	const char *name;

	if (!json_get_object(object, key, &values, err))
		return false;
	json_object_foreach(values, name, value) {
		if (!json_is_string(value))
			return error_set(err, ERROR_DATA, "field '%s': '%s' is not a string", key,
					 name);
	}
	*ret = values;
	return true;
}

bool json_get_word(const json_t *object, const char *key, const char *const *words, int *ret,
		   struct error *err)
{
	const char *word;

	if (!json_get_string(object, key, &word, err))
		return false;
	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], word)) {
			*ret = i;
			return true;
		}
	}
	return error_set(err, ERROR_DATA, "field '%s': unknown word '%s'", key, word);
}
