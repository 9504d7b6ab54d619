/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_FILE_H
#define CONTEND_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/*
 * Small files under a root. `root` is "" for the machine itself or the folder of a captured /proc
 * and /sys, so that every reader of kernel files can be tested without one.
 */

/* Reads a whole file of at most limit bytes into ret_text (its old contents are released). */
bool file_read(const char *root, const char *path, size_t limit, struct text *ret_text,
	       struct error *err);

/* The same, but reads at most limit bytes, whatever comes behind them. */
bool file_read_head(const char *root, const char *path, size_t limit, struct text *ret_text,
		    struct error *err);

/*
 * A whole file, as file_read(), of a descriptor, from where it is to its end; name is for messages.
 */
bool file_read_fd(int fd, const char *name, size_t limit, struct text *ret_text, struct error *err);

/* Reads the first line of a small file, trimmed; NULL where it cannot be read. Owned by caller. */
char *file_read_line(const char *root, const char *path);

/*
 * Writes a value to a file that is there, by one call of write(), as the files of /proc and /sys
 * want it.
 */
bool file_write(const char *root, const char *path, const char *value, struct error *err);

/*
 * Writes all bytes to a descriptor, however often the kernel takes only a part; waits where one
 * that does not block has no room.
 */
bool file_write_all(int fd, const void *bytes, size_t length, struct error *err);

/*
 * Opens /dev/null on those of the descriptors 0 to 2 that are closed: the next file would get the
 * number and be written into. What is written to such a standard output still fails (EBADF), for
 * nobody gets it. False where that was not possible.
 */
bool file_fill_standard(void);

#endif
