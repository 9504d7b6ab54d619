// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/thp.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"

#define FOLDER "/sys/kernel/mm/transparent_hugepage"

size_t thp_pmd_bytes(const char *root)
{
	char *line __free(memory) = file_read_line(root, FOLDER "/hpage_pmd_size");
	struct error ignored;
	int64_t bytes;

	return line && units_parse_bytes(line, &bytes, &ignored) ? (size_t)bytes : 0;
}

int64_t thp_stat(const char *root, const char *name)
{
	char *folder __free(memory) = text_format("%s" FOLDER, root);
	DIR *dir __free(dir) = opendir(folder);
	const struct dirent *entry;
	int64_t sum = -1;

	while (dir && (entry = readdir(dir))) {
		char *path __free(memory) = text_format(FOLDER "/%s/stats/%s", entry->d_name, name);
		char *line __free(memory) = text_starts(entry->d_name, "hugepages-")
						    ? file_read_line(root, path)
						    : NULL;

		if (line)
			sum = (sum < 0 ? 0 : sum) + strtoll(line, NULL, 10);
	}
	return sum;
}
