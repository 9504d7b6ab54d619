/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_SETUP_TREE_H
#define CONTEND_TESTS_UNIT_SETUP_TREE_H

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "setup/journal.h"

/* A fake tree of kernel files in the working folder, which is scratch. */
#define ROOT "tree"

int __real_mkdir(const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rmdir(const char *path);

/* The files that a control group has from its beginning, by version. */
static const char *const tree_group_files[2][7] = {
	{"cgroup.procs", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes",
	 "memory.usage_in_bytes", "memory.swappiness", "memory.oom_control", NULL},
	{"cgroup.procs", "memory.max", "memory.swap.max", "memory.high", "memory.current",
	 "memory.events", NULL},
};

/* The kernel's cgroupfs: whoever makes a folder in it finds files there. */
int __wrap_mkdir(const char *path, mode_t mode)
{
	const char *group = strstr(path, ROOT "/sys/fs/cgroup/");
	bool v1 = group && strstr(path, "/memory/");
	int result = __real_mkdir(path, mode);

	for (const char *const *name = tree_group_files[!v1];
	     !result && group && strstr(path, "contend") && *name; name++) {
		char *file = text_format("%s/%s", path, *name);
		FILE *stream = fopen(file, "w");

		fputs("0\n", stream);
		fclose(stream);
		free(file);
	}
	return result;
}

/* Its files are no reason not to remove it. */
int __wrap_rmdir(const char *path)
{
	for (size_t v = 0; v < 2 && strstr(path, ROOT "/sys/fs/cgroup/"); v++) {
		for (const char *const *name = tree_group_files[v]; *name; name++) {
			char *file = text_format("%s/%s", path, *name);

			unlink(file);
			free(file);
		}
	}
	return __real_rmdir(path);
}

static inline void tree_put(const char *path, const char *value)
{
	char *full = text_format("%s%s", ROOT, path), *at = full;
	FILE *file;

	while ((at = strchr(at + 1, '/'))) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(value, file);
	fclose(file);
	free(full);
}

/* An empty one, of a machine that has booted. */
static inline void tree_make(void)
{
	assert_false(system("rm -rf " ROOT));
	tree_put("/proc/sys/kernel/random/boot_id", "0a1b\n");
	tree_put("/proc/swaps", "Filename Type Size Used Priority\n");
}

static inline void tree_assert(const char *path, const char *value)
{
	char *now = file_read_line(ROOT, path);

	if (!now)
		fail_msg("no %s", path);
	assert_string_equal(now, value);
	free(now);
}

static inline struct journal *tree_journal(void)
{
	struct error err = {0};
	struct journal *j = NULL;

	if (!journal_open(ROOT, &j, &err))
		fail_msg("%s", err.text);
	return j;
}

/* Undoes all of it; how many changes that were. */
static inline size_t tree_undo(struct journal *j)
{
	json_t *done = json_array(), *failed = json_array();
	size_t count;

	if (!journal_undo(j, NULL, done, failed))
		fail_msg("%s", json_string_value(json_array_get(failed, 0)));
	assert_int_equal(json_array_size(failed), 0);
	count = json_array_size(done);
	json_decref(done);
	json_decref(failed);
	return count;
}

#endif
