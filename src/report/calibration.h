/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_CALIBRATION_H
#define CONTEND_REPORT_CALIBRATION_H

#include "judge/calibration.h"
#include "report/report.h"

/* What `contend calibrate` prints: one workload after the other. It only renders. */
struct calibration_findings {
	const struct calibration_answer *answer;
	const struct findings *aa;	/* of A/A alone, whose runs tell what machine it was */
	const struct calibration *kept; /* what the store has; NULL: it was not completed */
	const char *command;		/* the command line that repeats it */
	const char *stopped;		/* why it was not; NULL */
};

struct calibration_report {
	const struct calibration_findings *list;
	size_t count;
	int status; /* the exit status that goes with it */
	const char *version;
};

/* Appends the calibrations as text of at most 78 columns. */
bool calibration_mail(const struct calibration_report *r, struct text *out, struct error *err);

/*
 * Appends them as JSON (docs/json.md, docs/calibration.schema.json). ERROR_DATA: it cannot be
 * written as JSON.
 */
bool calibration_json(const struct calibration_report *r, struct text *out, struct error *err);

/* Parts of lines about a calibration: "2026-11-30"; "experiments 12 .. 16", of experiments that have
 * numbers; "2.1 % in 14 pairs (28 s)". */
void calibration_put_date(struct text *out, int64_t ns);
void calibration_put_ids(struct text *out, const int64_t *ids, size_t count);
void calibration_put_resolved(struct text *out, double effect, double pairs, int64_t ns);

#endif
