/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_WITHIN_H
#define CONTEND_JUDGE_WITHIN_H

#include "model/description.h"
#include "model/run.h"
#include "stats/interval.h"

/*
 * How well one run knows a quantile of its own latencies: an interval between two of its samples.
 * It takes these for independent draws and says nothing about other runs, so nothing is ever judged
 * by it. The rules are in docs/method.md.
 */

/* Of a metric of the run. */
struct within {
	bool known; /* it is a quantile, and of enough samples: what follows is set */
	/*
	 * Every sample is at hand (`raw`): the ends are samples, and the value is the very one,
	 * where a histogram knows its bucket. Otherwise the ends are those of the buckets, further
	 * out.
	 */
	bool exact;
	double value;
	struct interval interval; /* bounded on both sides; in the metric's unit */
	double coverage; /* P(it covers), by the binomial: at least `level`; ends further out add */
};

/*
 * The samples that an interval bounded on both sides takes at that level: more than the figure does
 * (summary_least_samples()). 0: the summary is no quantile.
 */
int64_t within_least_samples(enum summary summary, double level);

/* One for each metric of the description, in its order. Owned by the caller: free(). */
struct within *within_run(const struct run *r, const struct description *d, double level);

#endif
