// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/flat_keyed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

int64_t flat_keyed_integer(const char *root, const char *path, const char *key)
{
	struct text contents __text = {0};
	size_t length = strlen(key);
	struct error ignored;
	const char *line;

	if (!file_read(root, path, 1 << 20, &contents, &ignored))
		return -1;
	for (line = text_string(&contents); line; line = strchr(line, '\n')) {
		long long value;
		char *end;

		line += *line == '\n';
		if (!text_starts(line, key) || line[length] != ' ')
			continue;
		errno = 0;
		value = strtoll(line + length, &end, 10);
		return errno || end == line + length || value < 0 ? -1 : value;
	}
	return -1;
}
