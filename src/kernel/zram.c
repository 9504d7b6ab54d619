// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/zram.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

#define CONTROL "/sys/class/zram-control"

char *zram_path(int number, const char *file)
{
	return text_format("/sys/block/zram%d/%s", number, file);
}

int zram_next(const char *root, int number)
{
	char *path __free(memory) = text_format("%s/sys/block", root);
	DIR *dir __free(dir) = opendir(path);
	const struct dirent *entry;
	int next = -1, found;
	char more;

	while (dir && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "zram%d%c", &found, &more) == 1 && found > number &&
		    (next < 0 || found < next))
			next = found;
	}
	return next;
}

bool zram_exists(const char *root, int number)
{
	char *path __free(memory) = text_format("%s/sys/block/zram%d", root, number);

	return !access(path, F_OK);
}

bool zram_is_free(const char *root, int number)
{
	char *path __free(memory) = zram_path(number, "disksize");
	char *size __free(memory) = file_read_line(root, path);

	return size && text_equal(size, "0");
}

bool zram_add(const char *root, int *ret_number, struct error *err)
{
	char *path __free(memory) = text_format("%s%s", root, CONTROL "/hot_add");
	struct text answer __text = {0};

	if (access(path, R_OK))
		return error_set(err, ERROR_UNSUPPORTED,
				 "no zram device is free, and this kernel makes no new one (%s)",
				 path);
	/* Reading it is what makes one. */
	if (!file_read(root, CONTROL "/hot_add", 64, &answer, err))
		return false;
	*ret_number = atoi(text_string(&answer));
	return true;
}

bool zram_remove(const char *root, int number, struct error *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return file_write(root, CONTROL "/hot_remove", text, err);
}

int64_t zram_stat(const char *root, const char *word)
{
	static const char *const columns[] = {"orig_data_size", "compr_data_size",
					      "mem_used_total"};
	int64_t sum = -1;
	size_t column = 0;

	while (column < 3 && !text_equal(columns[column], word))
		column++;
	for (int n = -1; column < 3 && (n = zram_next(root, n)) >= 0;) {
		char *path __free(memory) = zram_path(n, "mm_stat");
		char *line __free(memory) = file_read_line(root, path);
		long long bytes[3];

		if (zram_is_free(root, n) || !line ||
		    sscanf(line, "%lld %lld %lld", &bytes[0], &bytes[1], &bytes[2]) != 3)
			continue;
		sum = (sum < 0 ? 0 : sum) + bytes[column];
	}
	return sum;
}

bool zram_reset(const char *root, int number, struct error *err)
{
	char *path __free(memory) = zram_path(number, "reset");

	return file_write(root, path, "1", err);
}
