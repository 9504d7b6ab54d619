/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_FACTS_H
#define CONTEND_REPORT_FACTS_H

#include "report/report.h"

/*
 * What the findings say beside the verdicts: the machine, the runs, what went wrong in them. All
 * reports take it from here, so that they cannot disagree.
 */

/*
 * A text that runs have in common, and in how many of each arm it stands. Remarks of one arm that
 * differ in their numbers only are one: "7 of 5000 operations failed". Those of different arms are
 * not, as the difference may be what is compared.
 */
struct recurrence {
	char *text; /* the first one */
	bool varies;
	size_t runs[ARM_COUNT];
};

struct recurrences {
	struct recurrence *list; /* in the order in which they first came */
	size_t count;
};

/* Operations of a role that failed, which are never timed. */
struct failed_operations {
	const char *role; /* borrowed from the description */
	int64_t operations[ARM_COUNT];
	size_t runs[ARM_COUNT];
};

struct subject_facts {
	size_t runs[ARM_COUNT], not_ok[ARM_COUNT];
	int64_t run_ns;			       /* all runs from start to end; 0: unknown */
	int64_t window_low_ns, window_high_ns; /* of ok runs, as measured; 0: none */
	struct recurrences notes;	       /* what the runs remark */
	struct recurrences troubles;	       /* "invalid: reason" of runs that are not ok */
	struct failed_operations *failed;      /* a role with failures each */
	size_t failed_count;
};

/* A property of the machine that was not the same in all runs. */
struct difference {
	const char *key; /* borrowed from a record */
	struct recurrences values;
};

struct facts {
	json_t *host; /* of the first run that says something; NULL: none. Borrowed. */
	struct difference *differences;
	size_t difference_count;
	double load_low, load_high; /* load average of a minute when runs started; NAN: unknown */
	struct subject_facts *subjects;
	size_t subject_count;
	int64_t run_ns;
	size_t run_count;
};

/* Owned by the caller; borrows from the findings. */
struct facts facts_collect(const struct findings *f);
void facts_done(struct facts *facts);

/* How the runs differ in that property of the machine; NULL: they agree. Borrowed. */
const struct difference *facts_difference(const struct facts *facts, const char *key);

/* True when each arm has one value of its own, as kernels have that are the arms. */
bool facts_is_of_arms(const struct difference *d);

/* True where instructions are emulated: times then say nothing about a machine. */
bool facts_emulated(const struct facts *facts);

/* The number of CPUs in a list as the kernel writes it ("0-3,8"); 0: not such a list. */
int64_t facts_cpu_count(const char *list);

/* A count of a task: one of its counters, or what else it has; -1: neither. */
int64_t facts_task_count(const json_t *task, const char *name);

/*
 * The exact sign-flip test as a count: how many of the 2^n sign patterns are as far out as what was
 * seen. False where the verdict does not come from an exact test.
 */
bool facts_sign_patterns(const struct metric_verdict *v, int64_t *ret_count, int64_t *ret_of);

/* The largest E that a metric may have to reach in its family (Holm); NAN: no e-process. */
double facts_deciding_evidence(const struct metric_verdict *v, double alpha);

/* What an exit status says; static. */
const char *facts_status_meaning(const struct findings *f);

/* The name of a metric for reading. Owned by the caller. */
char *facts_label(const struct metric *m);

/* True for a summary of a series, whose samples are worth counting. */
bool facts_has_samples(enum summary summary);

#endif
