/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_MOUNTS_H
#define CONTEND_KERNEL_MOUNTS_H

#include <stdbool.h>

/* A mount, as /proc/self/mountinfo has it. */
struct mount {
	char *point;   /* where; with blanks as they are */
	char *type;    /* "ext4", "tmpfs", "overlay" … */
	char *options; /* of the mount, then those of the file system: "rw,relatime,size=64k" */
};

void mount_done(struct mount *m);

/*
 * The mount that a path lies on, by its id (Linux 5.8). Of a captured root, whose paths cannot be
 * looked up: the deepest on the way, the last of several at one point. False: it is not known.
 */
bool mounts_find(const char *root, const char *path, struct mount *ret);

#endif
