/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_SCRATCH_H
#define CONTEND_WORKLOAD_SCRATCH_H

#include "workload/region.h"

/*
 * Regions of files: each task has a file of its own of size= in the folder dir=, as the tests of
 * will-it-scale have. The files never have a name (O_TMPFILE), or lose it at once where the file
 * system does not offer that: they are gone with the last process that has them open, however that
 * ends.
 */

/* What is done with the file: the `own` of a workload that uses the first two below. */
enum scratch_use {
	SCRATCH_MAPPED, /* mapped privately and never touched: it has neither blocks nor pages */
	SCRATCH_READ,	/* mapped privately, and a page of it copied at a time */
	SCRATCH_COPIED, /* mapped privately, and all its pages copied */
	SCRATCH_SHARED, /* mapped shared, and written */
};

#define SCRATCH_PARAM_DIR                                                                          \
	{                                                                                          \
		"dir", PARAM_TEXT, "",                                                             \
		.help = "folder of the files, one a task, without a name. Its file system decides " \
			"what is measured; the record names it. Empty: TMPDIR, or /tmp"            \
	}

/*
 * A workload's supported(): false (ERROR_UNSUPPORTED) where size= is not whole pages, no file of
 * that size can be made and mapped there, or there is not the room on the file system, or not the
 * memory, for those of all tasks.
 */
bool scratch_supported(const struct cast *cast, struct error *err);

/*
 * A role's prepare(): makes the files of the tasks of this process; region_of() then gives each
 * task its region. Unless it is never touched a file has all its blocks and its pages are in the
 * page cache: the first round is like any other, and no write can find the file system full, which
 * would be a SIGBUS. ERROR_UNSUPPORTED where that cannot be.
 */
bool scratch_prepare(struct worker *w, struct error *err);

/*
 * For a workload with files of another kind: in supported(), whether so many of that size can be
 * made and mapped privately in dir=, and fit.
 */
bool scratch_has_room(const struct cast *cast, int64_t bytes, int64_t count, struct error *err);

/* In prepare(): one of them, in the page cache. The descriptor is the caller's. */
bool scratch_make(const struct cast *cast, int64_t bytes, int *ret_fd, struct error *err);

/* Before a process opens many files: as many as it may. */
void scratch_raise_descriptor_limit(void);

/* As a workload's describe(): the file system of dir=, "dir_filesystem" and "dir_options". */
void scratch_describe(const struct cast *cast, json_t *host);

/* As a role's `slow`. */
extern const char scratch_slow[];

#endif
