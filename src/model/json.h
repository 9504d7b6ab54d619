/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_JSON_H
#define CONTEND_MODEL_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

/*
 * Reading JSON strictly: a field that is missing or of another type is an error that names it, and
 * text behind the value, duplicate keys or zero bytes are refused.
 */

DEFINE_FREE(json, json_t *, json_decref(_T))

/* Makes jansson use base/memory, so that its constructors never return NULL for want of memory. */
void json_use_memory(void);

/* Parses one value; the message gives line and column. The caller owns *ret_value. */
bool json_parse(const char *bytes, size_t length, json_t **ret_value, struct error *err);

/*
 * A new JSON string of C text. Bytes that are not UTF-8 become U+FFFD: file names, command lines
 * and error messages cut in the middle may hold some, and json_string() returns NULL for them. NULL
 * counts as "".
 */
json_t *json_text(const char *text);

/* A new JSON number; null for what is not finite, which JSON has no word for. */
json_t *json_finite(double value);

/*
 * True for a name that may stand on a command line, in a table and before "=" or ".": 1 to 63
 * letters, digits, "_" and "-", the first one a letter or a digit.
 */
bool json_is_name(const char *text, size_t length);

/* One line, keys in insertion order, doubles with 17 digits, so that they come back the same. */
char *json_line(const json_t *value);

/* Required fields of an object. Strings and values are borrowed from it. */
bool json_get_string(const json_t *object, const char *key, const char **ret, struct error *err);
bool json_get_integer(const json_t *object, const char *key, int64_t *ret, struct error *err);
bool json_get_number(const json_t *object, const char *key, double *ret, struct error *err);
bool json_get_bool(const json_t *object, const char *key, bool *ret, struct error *err);
bool json_get_object(const json_t *object, const char *key, json_t **ret, struct error *err);
bool json_get_array(const json_t *object, const char *key, json_t **ret, struct error *err);

/* The same, but the string must be a name, the integer must not be negative, and every value of the
 * object must be a string. */
bool json_get_name(const json_t *object, const char *key, const char **ret, struct error *err);
bool json_get_count(const json_t *object, const char *key, int64_t *ret, struct error *err);
bool json_get_strings(const json_t *object, const char *key, json_t **ret, struct error *err);

/* A word of a table: *ret is its index. words ends with NULL. */
bool json_get_word(const json_t *object, const char *key, const char *const *words, int *ret,
		   struct error *err);

#endif
