/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_MODEL_MADE_H
#define CONTEND_TESTS_UNIT_MODEL_MADE_H

#include <string.h>

#include "base/memory.h"
#include "model/json.h"

/* JSON out of a C string that has ' where JSON has ", to be read at all. cmocka.h comes first. */
static inline json_t *made(const char *text)
{
	char *bytes __free(memory) = memory_string(text);
	json_t *value = NULL;
	struct error err;

	for (char *at = bytes; *at; at++) {
		if (*at == '\'')
			*at = '"';
	}
	if (!json_parse(bytes, strlen(bytes), &value, &err))
		fail_msg("%s: %s", err.text, text);
	return value;
}

#endif
