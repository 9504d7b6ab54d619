/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_ARM_H
#define CONTEND_JUDGE_ARM_H

#include "model/experiment.h"
#include "stats/interval.h"
#include "stats/mann_kendall.h"

/*
 * One arm, described from its runs. Each run is one value of a metric, whatever the number of its
 * samples, and n counts runs. No value is dropped for being far from the others; runs that are not
 * ok have none. It is a description: nothing in it compares. The rules are in docs/method.md.
 */

/* Under so many runs no interval is given: two values know nothing of their spread. */
enum { ARM_LEAST_RUNS = 3 };

/* What the interval of a metric is about. */
enum arm_centre {
	ARM_NONE, /* too few runs, or all alike and too few to say so: there is no interval */
	/* While n bounds no median at the level, Student's t: */
	ARM_MEAN,	    /* of the figures, where one of them is zero */
	ARM_GEOMETRIC_MEAN, /* of their logarithms: where these are spread alike, the median */
	ARM_MEDIAN,	    /* between two order statistics: no distribution is assumed */
};

extern const char *const arm_centre_words[]; /* NULL for ARM_NONE */

struct arm_metric {
	const struct metric *metric; /* borrowed from the experiment */
	bool primary;
	size_t n;	 /* runs with a figure */
	double *values;	 /* the figures in the order of time, n of them */
	size_t refused;	 /* ok runs without one, and the first reason: */
	char *refusal;	 /* NULL: none */
	int64_t samples; /* median number of samples or operations behind a figure */
	/* Of the values, in the unit of the metric; NAN for n = 0, the sd also for n = 1. */
	double median, mean, sd, min, max;
	/* sd / sqrt(n) / |mean|, the "+-" of perf stat -r; NAN where a part of it is not known. */
	double error_ratio;
	enum arm_centre centre;
	struct interval interval; /* of the centre, at 1 - alpha or more; unbounded: none */
	double coverage;	  /* its exact level if ARM_MEDIAN, 1 - alpha otherwise */
	size_t rank; /* ARM_MEDIAN: it runs from the rank-th smallest to the rank-th largest */
	struct mann_kendall drift; /* n = 0: not asked */
	double drift_p_adjusted;   /* Holm among the metrics that are not primary */
	bool drifts;		   /* at alpha */
};

struct arm_description {
	const struct subject *subject; /* borrowed */
	struct arm_metric *metrics;    /* the primary first, then as declared */
	size_t metric_count;
	size_t runs, ok;
	size_t failures_in_row; /* at the end, interrupted runs not counted */
};

/* Describes the runs of a subject, all of one arm. The result is the caller's, borrows from e. */
struct arm_description *arm_describe(const struct experiment *e, const struct entries *runs,
				     size_t subject);
void arm_description_free(struct arm_description *d);
DEFINE_FREE(arm_description, struct arm_description *, arm_description_free(_T))

/*
 * The exit status of a description: 0 measured, also where some runs were not ok, for those that
 * were are described; 4 no run was ok, or the last JUDGE_GIVE_UP_RUNS in a row were not.
 */
int arm_status(const struct arm_description *d);

#endif
