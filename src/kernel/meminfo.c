// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/meminfo.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

int64_t meminfo_bytes(const char *root, const char *path, const char *field)
{
	struct text contents __text = {0};
	struct error ignored;
	size_t length = strlen(field);
	const char *line;
	long long kib = 0;
	int end = 0;

	if (!file_read(root, path, 1 << 20, &contents, &ignored))
		return -1;
	for (line = text_string(&contents); line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!text_starts(line, field) || line[length] != ':')
			continue;
		sscanf(line + length + 1, "%lld kB%n", &kib, &end);
		return end ? kib * 1024 : -1;
	}
	return -1;
}

int64_t meminfo_available_bytes(const char *root)
{
	int64_t bytes = meminfo_bytes(root, "/proc/meminfo", "MemAvailable");

	return bytes >= 0 ? bytes : (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}
