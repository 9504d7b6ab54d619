/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_FACTS_H
#define CONTEND_REPORT_FACTS_H

#include "judge/diagnosis.h"
#include "report/machine.h"
#include "report/recurrences.h"
#include "report/report.h"

/*
 * What the findings say beside the verdicts: the machine, the runs, what went wrong in them. All
 * reports take it from here, so that they cannot disagree.
 */

/* Operations of a role that failed, which are never timed. */
struct failed_operations {
	const char *role; /* borrowed from the description */
	int64_t operations[ARM_MOST];
	size_t runs[ARM_MOST];
};

struct subject_facts {
	size_t runs[ARM_MOST], not_ok[ARM_MOST];
	int64_t run_ns;			       /* all runs from start to end; 0: unknown */
	int64_t window_low_ns, window_high_ns; /* of ok runs, as measured; 0: none */
	struct recurrences notes;	       /* what the runs remark */
	struct recurrences troubles;	       /* "invalid: reason" of runs that are not ok */
	struct failed_operations *failed;      /* a role with failures each */
	size_t failed_count;
	struct diagnoses diagnoses; /* blind: none */
};

struct facts {
	struct machine machine;
	struct subject_facts *subjects;
	size_t subject_count;
	int64_t run_ns;
	size_t runs[ARM_MOST]; /* those set aside not counted */
	size_t set_aside;
};

/*
 * Owned by the caller; borrows from the findings. Of a blind judgement only what shows nothing of
 * the arms' figures: no notes, windows, failed operations and diagnoses.
 */
struct facts facts_collect(const struct findings *f);
void facts_done(struct facts *facts);

/* A count of a task: one of its counters, or what else it has; -1: neither. */
int64_t facts_task_count(const json_t *task, const char *name);

/*
 * The exact sign-flip test as a count: how many of the 2^n sign patterns are as far out as what was
 * seen. False where the verdict does not come from an exact test.
 */
bool facts_sign_patterns(const struct metric_verdict *v, int64_t *ret_count, int64_t *ret_of);

/* What the reader of a row has to know: more of it is better; its change is no ratio. */
bool facts_wants_more(const struct metric_verdict *v);
bool facts_is_difference(const struct metric_verdict *v);

/*
 * What a sequential rule gives of its level to the e-process; the rest is that of its looks. NAN:
 * another.
 */
double facts_e_process_share(const struct metric_verdict *v);

/* The largest E that a metric may have to reach in its family (Holm); NAN: no e-process. */
double facts_deciding_evidence(const struct metric_verdict *v);

/* What an exit status says; static. */
const char *facts_status_meaning(const struct findings *f);

/* The name of a metric for reading. Owned by the caller. */
char *facts_label(const struct metric *m);

/* True for a summary of a series, whose samples are worth counting. */
bool facts_has_samples(enum summary summary);

#endif
