// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/procfs.h"

#include <stdlib.h>
#include <unistd.h>

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
