/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_SETUP_PLACE_H
#define CONTEND_SETUP_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The folder of what outlives a process: /run/contend, root's alone. What lies there decides what
 * is written to this machine as root, so that a symbolic link, another owner, a mode that lets
 * others in, a second name of a file are refused, and never followed.
 */
#define PLACE_FOLDER "/run/contend"

enum place_found {
	PLACE_NOTHING, /* no such file */
	PLACE_OURS,    /* open, and locked until it is closed or this process ends */
	PLACE_BUSY,    /* open: somebody else has it locked */
};

/*
 * Opens a file of the folder and locks it; makes both where create is set. *ret_folder and *ret_fd
 * are written as soon as they are open, and are the caller's in any case (-1: not open).
 * ERROR_UNSUPPORTED: not root. root: "" or the folder of a fake tree, whose owner stands for root.
 */
bool place_open(const char *root, const char *name, bool create, int *ret_folder, int *ret_fd,
		enum place_found *ret_found, struct error *err);

/* A wall clock stamp as messages have it, "2026-11-30 20:15:02 UTC". Returns the buffer. */
const char *place_time(int64_t wall_ns, char buffer[32]);

#endif
