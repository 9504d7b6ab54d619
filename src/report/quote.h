/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_QUOTE_H
#define CONTEND_REPORT_QUOTE_H

#include "model/fingerprint.h"
#include "report/machine.h"
#include "report/report.h"

/* The calibration that a verdict quotes, and how far it is about the machine as it was then. */
struct quote {
	const struct calibration *calibration; /* NULL: none, or it has no effect; borrowed */
	/* States of the machine that are others now than when it was calibrated. */
	struct fact_changes changes;
	int64_t age_ns; /* when the experiment was made */
};

/*
 * That of a subject: the last one before the experiment, with the same workload, parameters and
 * primary. Owned by the caller; borrows from findings and machine.
 */
struct quote quote_find(const struct findings *f, const struct machine *m, size_t subject);
void quote_done(struct quote *q);

/* As the JSON report has it; null where there is none. */
json_t *quote_to_json(const struct quote *q);

#endif
