// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

bool procfs_is_ours(struct error *err)
{
	char target[32];
	ssize_t length = readlink("/proc/self", target, sizeof(target) - 1);

	if (length < 0) {
		error_set_errno(err, "/proc/self");
		err->code = ERROR_UNSUPPORTED;
		return false;
	}
	target[length] = '\0';
	if (strtol(target, NULL, 10) == getpid())
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "/proc is of another PID namespace, where this process is %s and not %d: "
			 "mount one of its own (unshare --mount-proc)",
			 target, getpid());
}

pid_t procfs_parent(pid_t pid)
{
	char path[32];
	struct text stat __text = {0};
	struct error ignored;
	const char *behind;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (!file_read("", path, 1 << 12, &stat, &ignored))
		return 0;
	/* The name may have blanks and parentheses. */
	behind = strrchr(text_string(&stat), ')');
	return behind && sscanf(behind + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

pid_t procfs_next_child(DIR *proc)
{
	const struct dirent *entry;

	while ((entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && procfs_parent(pid) == getpid())
			return pid;
	}
	return 0;
}
