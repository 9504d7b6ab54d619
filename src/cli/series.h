/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_SERIES_H
#define CONTEND_CLI_SERIES_H

#include "cli/options.h"
#include "judge/calibration.h"
#include "lab/lab.h"

/* The experiments of one calibration, in turn, and what comes of them. */
struct series {
	struct lab_case *cases;	       /* A/A, then the known shifts, as far as they were begun */
	struct judgement **judgements; /* by case; NULL: it did not come to its end */
	size_t count;
	size_t planned;			   /* how many there are to be */
	char *stopped;			   /* why there are fewer; NULL */
	bool interrupted;		   /* by the user */
	struct calibration_answer *answer; /* NULL: nothing was measured */
	struct calibration *kept;	   /* in the store; NULL: it is not complete */
	char *command;			   /* the command line that repeats it */
};

void series_done(struct series *s);

/* Where it runs. */
struct series_place {
	struct store *store;
	int stop_fd;
	const struct agent_identity *agent;
	const struct common *common;
};

/*
 * Calibrates a subject of `of` (see calibrate_experiment()) within about budget_ns and keeps in the
 * store what it showed. False where that is refused (ERROR_USAGE) or the store failed; an interrupt
 * or an arm that could do no more is no failure: s->stopped says so.
 */
bool series_run(struct series *s, const struct experiment *of, size_t subject, int64_t budget_ns,
		const struct series_place *place, struct error *err);

/* The same as it was, from the store. Takes `kept`, also on failure. */
bool series_read(struct series *s, struct calibration *kept, struct store *store,
		 struct error *err);

#endif
