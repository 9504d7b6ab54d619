/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_JSON_H
#define CONTEND_REPORT_JSON_H

#include "judge/explore.h"
#include "report/facts.h"

/* The parts of the JSON report (docs/json.md): new values, which the caller owns. */

/* "machine": json_machine.c. */
json_t *json_machine(const struct findings *f, const struct machine *m);

/* "judgement", null of `contend run`; the "comparisons" of a workload, by arm: json_verdicts.c. */
json_t *json_judgement(const struct judgement *j);
json_t *json_comparisons(const struct findings *f, size_t index);
/* One of "verdicts". */
json_t *json_verdict(const struct metric_verdict *v, int arm);

/* "curves": json_curve.c. */
json_t *json_curves(const struct findings *f);

/* One of "subjects", by its index: json_subject.c. */
json_t *json_subject(const struct findings *f, const struct facts *facts, size_t index);

/* Its "diagnostics", all that was asked, whatever was found: json_diagnosis.c. */
json_t *json_diagnoses(const struct diagnoses *all, int arms);

/* "explored" of a comparison of A and that arm: json_explored.c. NULL: null. */
json_t *json_explored(const struct exploration *x, int arm);

/* One of "runs": json_runs.c. */
json_t *json_run(const struct experiment *x, const struct entry *e);

#endif
