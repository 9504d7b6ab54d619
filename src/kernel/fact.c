// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/fact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

enum { HEAD_BYTES = 8192 };

void fact_add(json_t *host, const char *key, char *value)
{
	if (value && *value)
		json_object_set_new(host, key, json_text(value));
	free(value);
}

void fact_add_line(json_t *host, const char *key, const char *root, const char *path)
{
	fact_add(host, key, file_read_line(root, path));
}

void fact_add_list(json_t *host, const char *key, const char *root, const char *path)
{
	char *line = file_read_line(root, path);

	/* A list that was never made is printed as "(null)" by %*pbl (nohz_full). */
	if (line && (!*line || text_equal(line, "(null)"))) {
		free(line);
		line = memory_string("none");
	}
	fact_add(host, key, line);
}

void fact_add_integer(json_t *host, const char *key, const char *root, const char *path)
{
	char *line __free(memory) = file_read_line(root, path);
	long long value;
	char *end;

	if (!line || !*line)
		return;
	errno = 0;
	value = strtoll(line, &end, 10);
	if (!*end && !errno)
		json_object_set_new(host, key, json_integer(value));
}

void fact_add_switch(json_t *host, const char *key, const char *root, const char *path,
		     bool inverted)
{
	char *line __free(memory) = file_read_line(root, path);

	if (!line || strlen(line) != 1 || !strchr("01NY", *line))
		return;
	fact_add(host, key,
		 memory_string((*line == '1' || *line == 'Y') != inverted ? "on" : "off"));
}

char *fact_chosen(const char *root, const char *path)
{
	char *line __free(memory) = file_read_line(root, path);
	const char *open = line ? strchr(line, '[') : NULL;

	return open ? text_format("%.*s", (int)strcspn(open + 1, "]"), open + 1) : NULL;
}

char *fact_field(const char *root, const char *path, const char *name)
{
	struct text contents __text = {0};
	struct error ignored;
	size_t length = strlen(name);

	if (!file_read_head(root, path, HEAD_BYTES, &contents, &ignored))
		return NULL;
	for (const char *line = text_string(&contents); line;) {
		const char *at = line + length;

		if (text_starts(line, name)) {
			at += strspn(at, " \t");
			if (*at == ':') {
				at++;
				at += strspn(at, " \t");
				return text_trim(text_format("%.*s", (int)strcspn(at, "\n"), at));
			}
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return NULL;
}
