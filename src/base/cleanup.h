/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_CLEANUP_H
#define CONTEND_BASE_CLEANUP_H

/*
 * Scope cleanup in the manner of the kernel's linux/cleanup.h:
 *
 *	DEFINE_FREE(run, struct run *, run_free(_T))
 *	struct run *run __free(run) = run_new();
 *	...
 *	*ret_run = take(run);
 *
 * Every destructor accepts NULL (or -1 for a descriptor), so an early return is always safe.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define __cleanup(fn) __attribute__((__cleanup__(fn)))

#define DEFINE_FREE(name, type, statement)                                                         \
	static inline __attribute__((unused)) void free_##name##_(void *p)                         \
	{                                                                                          \
		type _T = *(type *)p;                                                              \
		statement;                                                                         \
	}

#define __free(name) __cleanup(free_##name##_)

/* Moves a pointer out of its variable, which is left NULL. */
#define take(pointer)                                                                              \
	({                                                                                         \
		__auto_type taken_ = (pointer);                                                    \
		(pointer) = NULL;                                                                  \
		taken_;                                                                            \
	})

/* The same for a descriptor, which is left -1. */
#define take_fd(fd)                                                                                \
	({                                                                                         \
		int taken_ = (fd);                                                                 \
		(fd) = -1;                                                                         \
		taken_;                                                                            \
	})

DEFINE_FREE(memory, void *, free(_T))
DEFINE_FREE(file, FILE *, if (_T) fclose(_T))
DEFINE_FREE(dir, DIR *, if (_T) closedir(_T))
DEFINE_FREE(fd, int, if (_T >= 0) close(_T))

#endif
