/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_DIAGNOSIS_MATERIAL_H
#define CONTEND_JUDGE_DIAGNOSIS_MATERIAL_H

#include "judge/diagnosis.h"

/*
 * What the diagnoses of a workload are made from, and where they are put. Of judge/diagnosis.c and
 * the files beside it alone.
 */

/* A test of so few values cannot reach the level, or hardly. */
enum { MATERIAL_LEAST = 6 };

/* The runs of a pair, one of each arm. */
struct material_row {
	int64_t pair;
	const struct run *run[ARM_MOST]; /* NULL: not ok, or not there */
	size_t at[ARM_MOST];		 /* its place in time */
	double figure[ARM_MOST];	 /* of the primary; NAN: none */
};

struct material {
	const struct experiment *e;
	const struct subject *subject;
	const struct metric *primary;
	char *role; /* whose operations the slices count */
	int arms;
	struct material_row *rows;
	size_t count;
	struct diagnoses found;
};

/* A new diagnosis in which nothing is known. Valid until the next one is added. */
struct diagnosis *material_add(struct material *m, enum diagnosis_kind kind, int arm);

/* Says that so many values are tested, or why they are not: `why`, or that they are too few. */
bool material_test(struct diagnosis *d, size_t n, const char *why);

/*
 * Tests of the primary's figures, diagnosis_runs.c, and of the slices of the windows,
 * diagnosis_windows.c.
 */
void diagnosis_of_runs(struct material *m);
void diagnosis_of_windows(struct material *m);

/* A look at the latencies, diagnosis_latency.c. */
void diagnosis_of_latencies(struct material *m);

#endif
