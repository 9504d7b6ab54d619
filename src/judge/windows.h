/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_WINDOWS_H
#define CONTEND_JUDGE_WINDOWS_H

#include "judge/pairs.h"

/*
 * What of the spread of a metric's differences comes from within the runs, which longer windows
 * make less, and what lies between them, which only more pairs do (docs/planning.md).
 */
enum windows_source {
	WINDOWS_UNKNOWN,
	/*
	 * A rate of operations: the slices of the runs' windows, in WINDOWS_BATCHES batches.
	 * Batches are taken for independent, so what lasts longer than one counts as between runs.
	 */
	WINDOWS_SLICES,
	/*
	 * A quantile of latencies: the order-statistic interval of each run's histogram, which
	 * takes latencies for independent. Where they are not, more lies within the runs than this
	 * says.
	 */
	WINDOWS_QUANTILES,
};

extern const char *const windows_source_words[];

enum { WINDOWS_BATCHES = 4 };

struct windows {
	enum windows_source source;
	const char *why_not;  /* WINDOWS_UNKNOWN: static */
	size_t pairs;	      /* that tell */
	const char *left_out; /* why the first one that does not, does not: static; NULL: all do */
	/* Variances of d (log) with windows as they are; their sum is that of d, but for chance. */
	double between, within;
	double p;	   /* WINDOWS_SLICES: of "nothing lies between runs" (F test); else NAN */
	int64_t window_ns; /* as asked for: median */
	int64_t fixed_ns;  /* what else a run takes: start, warm-up, end; median */
	/*
	 * The window at which a mean of given precision takes the least time (Kalibera and Jones);
	 * not below a batch, for what is shorter was not seen. INFINITY: the longer the better.
	 */
	double cheapest_ns;
};

/* d: the differences of those pairs whose figures are known, whose sd is spread. */
struct windows windows_find(const struct pairs *pairs, const struct metric *m, double spread);

/* By what the sd of d would change with windows of another length: a factor. */
double windows_sd_factor(const struct windows *w, double window_ns);

#endif
