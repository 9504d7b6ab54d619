/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_PLAN_H
#define CONTEND_REPORT_PLAN_H

#include "base/text.h"
#include "judge/planning.h"

/* What `contend plan` prints. It only renders: every figure comes from the planning or the runs. */

/* Where the runs of a workload come from. */
struct plan_origin {
	bool pilot;	   /* run just now, for this plan */
	char *passed_over; /* why a newer stored experiment was not taken; NULL: there is none */
};

struct plan_findings {
	const struct planning *planning;
	const struct plan_origin *origins; /* of each of its subjects */
	int64_t now_ns;			   /* wall clock: what ages are counted from */
	const char *version;		   /* of this program */
};

/* Appends the plan as text of at most 78 columns. */
bool plan_mail(const struct plan_findings *f, struct text *out, struct error *err);
/*
 * Appends it as JSON (docs/json.md, docs/plan.schema.json). ERROR_DATA: it cannot be written as
 * JSON.
 */
bool plan_json(const struct plan_findings *f, struct text *out, struct error *err);

#endif
