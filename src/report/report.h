/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_REPORT_H
#define CONTEND_REPORT_REPORT_H

#include "base/text.h"
#include "judge/judge.h"
#include "model/calibration.h"
#include "model/experiment.h"
#include "model/history.h"

/* The exit status of what the user stopped, or what never ended. */
enum { STATUS_INTERRUPTED = 5 };

/*
 * The door for whoever adds a report: one file with one `const struct report report_NAME`. A report
 * only renders: every figure comes from the judgement or the runs.
 */
struct findings {
	const struct experiment *experiment;
	const struct entries *runs;
	const struct judgement *judgement;	 /* NULL for `contend run` */
	const struct history *history;		 /* NULL: not known */
	const struct calibrations *calibrations; /* of the store; NULL: not known */
	const char *end;			 /* how it ended, NULL: it did not */
	int status;				 /* the exit status that goes with it */
	const char *version;			 /* of this program; NULL: it is not said */
	const char *take_up; /* the command that goes on with it; NULL: the usual one */
};

struct report {
	const char *name;
	const char *summary;
	bool of_two_arms; /* it has nothing to say of `contend run` */
	bool (*render)(const struct findings *f, struct text *out, struct error *err);
};

const struct report *const *report_all(void);
const struct report *report_find(const char *name);

#endif
