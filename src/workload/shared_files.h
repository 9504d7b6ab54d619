/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_SHARED_FILES_H
#define CONTEND_WORKLOAD_SHARED_FILES_H

#include "workload/workload.h"

/*
 * Files that the children of all tasks map, as processes of one program map its libraries: the
 * kernel links each mapping into the file's i_mmap tree under its i_mmap_rwsem, and takes it out
 * when it goes; there the children meet. They have no name and are gone with the last process of
 * the run.
 */
struct shared_files {
	int *fds;
	size_t count;
	size_t bytes; /* of each */
	int flags;    /* of mmap */
};

/* What tasks tell each other, in worker->shared. */
struct shared_files_meeting {
	_Atomic int owner; /* pid of the process that made them; 0: not yet */
	int fds[];	   /* its descriptors */
};

enum { SHARED_FILES_MAX = 1024 };
#define SHARED_FILES_BYTES (sizeof(struct shared_files_meeting) + SHARED_FILES_MAX * sizeof(int))

#define SHARED_FILES_PARAMS                                                                        \
	{"files", PARAM_COUNT, "0", .high = SHARED_FILES_MAX,                                      \
	 .help = "files that each child maps as well, whole, and reads a byte of each page of; the " \
		 "same ones for the children of all parents, who meet at their i_mmap_rwsem"},     \
		{"file_size", PARAM_BYTES, "64k", .low = 1, .high = 0x1p40,                        \
		 .help = "of each of these files, in whole pages"},                                \
		{"file_map", PARAM_CHOICE, "private", .choices = "private|shared",                 \
		 .help = "how they are mapped, read-only both: private as libraries are, shared as " \
			 "data of several processes"},                                             \
		{"dir", PARAM_TEXT, "",                                                            \
		 .help = "folder of these files, which have no name. Its file system is part of "  \
			 "what is measured; the record names it. Empty: TMPDIR, or /tmp"}

/* For supported(): whether such files can be made in dir=. */
bool shared_files_supported(const struct cast *cast, struct error *err);

/*
 * In prepare(), of a workload whose shared_bytes are SHARED_FILES_BYTES: the files, which the first
 * task makes and the others open, having waited for it. *ret owns its descriptors until the process
 * ends.
 */
bool shared_files_prepare(struct shared_files *ret, const struct worker *w, struct error *err);

/* In a child: maps them and reads each page. False with errno. */
bool shared_files_map(const struct shared_files *files);

#endif
