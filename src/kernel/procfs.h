/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_PROCFS_H
#define CONTEND_KERNEL_PROCFS_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Whether /proc is that of our PID namespace: in another one's /proc/PID is somebody else's
 * process.
 * False: it is not, or is not mounted (ERROR_UNSUPPORTED).
 */
bool procfs_is_ours(struct error *err);

/* The parent of a process; 0: it has none, or is gone. */
pid_t procfs_parent(pid_t pid);

/*
 * The next child of this process that a walk through /proc, opened by opendir(), finds; 0: no more.
 */
pid_t procfs_next_child(DIR *proc);

#endif
