/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_CURVE_POINTS_H
#define CONTEND_JUDGE_CURVE_POINTS_H

#include "model/experiment.h"

/*
 * A curve in one arm, described (docs/method.md): what each number of tasks came to, medians over
 * the ok runs of a point. It compares no arms. NAN is what is not known.
 */

/* Idle time is counted in ticks of 10 ms: of less time in all it is no share. */
enum { CURVE_IDLE_LEAST_MS = 500 };

struct curve_point {
	size_t subject;
	int64_t tasks;
	size_t n;			 /* ok runs */
	double primary;			 /* figure of the primary */
	double throughput;		 /* of all tasks together, 1/s */
	double per_task;		 /* of that, a task's part */
	double scaling;			 /* per_task over that of the first point, by round */
	size_t rounds;			 /* which scaling is the median of */
	double fairness;		 /* slowest over fastest task */
	double cpu_ns;			 /* CPU time an operation */
	double idle_used, idle_machine;	 /* share of the time of CPUs, all runs together */
	int64_t cpus_used, cpus_machine; /* 0: not known */
};

struct curve_points {
	const struct curve *curve; /* borrowed from the experiment, as the metrics */
	const struct metric *primary;
	const struct metric *rate; /* what throughput is of; NULL: the workload has no rate */
	bool of_one_task;	   /* the first point has one task: scaling is against that */
	struct curve_point *list;
	size_t count;
};

void curve_points_done(struct curve_points *p);

/* The result is the caller's. */
struct curve_points curve_points_describe(const struct experiment *e, const struct entries *runs,
					  const struct curve *c, int arm);

#endif
