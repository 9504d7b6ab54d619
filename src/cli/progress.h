/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_PROGRESS_H
#define CONTEND_CLI_PROGRESS_H

#include "base/text.h"
#include "lab/lab.h"

/*
 * The line on a terminal that tells how far an experiment is, rewritten in place. Where standard
 * error is no terminal, or the user wants quiet, nothing is written.
 */
struct progress {
	bool shown;
	size_t length; /* of the line that stands on the terminal now */
	int64_t last_ns;
};

void progress_init(struct progress *p, bool quiet);

/* For struct lab_watch; context is the struct progress. */
void progress_show(void *context, const struct lab_progress *now);

/* Wipes the line. */
void progress_clear(struct progress *p);

/* The line without its place on a terminal. */
void progress_line(const struct lab_progress *now, struct text *ret_line);

#endif
