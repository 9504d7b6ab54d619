/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_RESUME_H
#define CONTEND_CLI_RESUME_H

#include "cli/options.h"

/* What `ab --resume` was given. */
struct resume {
	const char *id;	   /* as typed */
	int64_t pairs;	   /* in all, by --pairs or --max-pairs; 0: as it is */
	bool maximum;	   /* it was --max-pairs */
	int64_t budget_ns; /* 0: as it is */
};

/*
 * Takes up a stored experiment and prints the report. Returns the exit status, or COMMAND_FAILED
 * with err set: ERROR_USAGE for what cannot be asked of it.
 */
int resume(const struct resume *r, const struct common *c, struct error *err);

#endif
