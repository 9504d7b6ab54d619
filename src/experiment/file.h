/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_FILE_H
#define CONTEND_EXPERIMENT_FILE_H

#include "base/text.h"
#include "experiment/request.h"

/*
 * The experiment file: the same as the command line, in YAML.
 *
 *	contend: 1                 # version of this format, the first key
 *	workloads: [proc_maps]     # or one name, or a list with dashes
 *	command: [make, -j4]       # what workload command executes: program and arguments
 *	both: {window: 2s}         # parameters of all arms, NAME or WORKLOAD.NAME
 *	a: {file: smaps}
 *	b: {file: maps}            # and c and d, where there are more arms
 *	budget: 2m                 # and alpha, margin, pairs, primary, seed, strict: term_words
 *	primary: [brk1.cpu]        # or one name
 *
 * A parameter that may be given again (`metric`) has a list where it is. Values are texts, taken as
 * they are written and read as on the command line: `yes`, `010` and `1e3` are no different with
 * quotes. An empty value wants quotes. There are no anchors, aliases, merge keys and tags, and
 * there is one document.
 */
enum { EXPERIMENT_FILE_VERSION = 1, EXPERIMENT_FILE_BYTES = 1 << 20 };

/*
 * The keys of the file before those of the terms. Both who reads and who writes has them from here.
 */
enum file_key {
	FILE_VERSION,
	FILE_WORKLOADS,
	FILE_COMMAND,
	FILE_BOTH,
	FILE_A, /* the first of ARM_MOST */
	FILE_KEYS = FILE_A + ARM_MOST,
};

extern const char *const experiment_file_keys[FILE_KEYS];

/*
 * Adds what a file says to a request, behind what that has. The file's terms go into file_terms. "-"
 * is standard input. Every failure is ERROR_USAGE and reads FILE:LINE:COLUMN: what: what to do; the
 * request is of no use then.
 */
bool experiment_file_load(const char *path, struct request *r, struct error *err);

/* The same of text that is there already; name is for messages. */
bool experiment_file_parse(const char *name, const char *bytes, size_t length, struct request *r,
			   struct error *err);

/*
 * Appends the file that repeats an experiment, seed included. It has been read back and gave the
 * same; ERROR_DATA where that cannot be (an experiment that no `contend ab` of this version made),
 * ERROR_USAGE for a single run, which has no file.
 */
bool experiment_file_write(const struct experiment *e, struct text *out, struct error *err);

#endif
