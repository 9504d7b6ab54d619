/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_METRIC_H
#define CONTEND_MODEL_METRIC_H

#include "model/json.h"

enum better {
	BETTER_LOWER,
	BETTER_HIGHER,
	BETTER_NEITHER, /* described, never judged */
};

/* How a run's samples and counters become its one figure of a metric. */
enum summary {
	SUMMARY_P50, /* quantiles, mean and maximum of a series */
	SUMMARY_P95,
	SUMMARY_P99,
	SUMMARY_P999,
	SUMMARY_MAX,
	SUMMARY_MEAN,
	SUMMARY_RATE,	  /* a counter per second: each task over its own window, then summed */
	SUMMARY_RATIO,	  /* a counter over another one, each summed over the tasks */
	SUMMARY_TOTAL,	  /* a counter summed over the tasks */
	SUMMARY_FAIRNESS, /* slowest over fastest task in a counter's rate: 1 is fair */
	SUMMARY_READING,  /* read from what a program printed, on the judging side */
};

/* The reader of a metric that a regular expression finds in an output. */
#define METRIC_READER_PATTERN "pattern"

/*
 * A metric of a workload. `of` names a series or a counter as "role.name" ("writer.latency",
 * "writer.operations"), `per` the divisor of SUMMARY_RATIO. Its label for reading is the name with
 * blanks for underscores.
 *
 * As JSON: {"name","unit","better","summary","of","per" (SUMMARY_RATIO only),"reader","pattern",
 * "scale" (SUMMARY_READING only), "primary","multitask","help"}, `better` and `summary` by their
 * words.
 */
struct metric {
	const char *name;
	const char *unit; /* "ns", "bytes", "1/s", "ratio", "ns/op" … */
	enum better better;
	enum summary summary;
	const char *of;
	const char *per; /* NULL unless SUMMARY_RATIO */
	/*
	 * SUMMARY_READING: who reads it from the outputs of the role that `of` begins with:
	 * METRIC_READER_PATTERN, with the expression (base/pattern.h) and the factor from what is
	 * printed to the unit. Else NULL.
	 */
	const char *reader;
	const char *pattern;
	double scale;
	bool primary;	/* one per workload */
	bool multitask; /* only where the role has more than one task */
	const char *help;
};

/*
 * For a list of metrics: the five that are made of a series of latencies, NAME_p50 to NAME_max, a
 * shift of which shows where in the distribution something happened. WHAT completes "median
 * time ...". METRIC_QUANTILES_PRIMARY: the one of that summary is the primary.
 */
#define METRIC_QUANTILES(NAME, OF, WHAT) METRIC_QUANTILES_PRIMARY(NAME, OF, WHAT, -1)
#define METRIC_QUANTILES_PRIMARY(NAME, OF, WHAT, PRIMARY)                                          \
	METRIC_QUANTILE(NAME "_p50", SUMMARY_P50, OF, PRIMARY, "median time " WHAT),               \
		METRIC_QUANTILE(NAME "_p95", SUMMARY_P95, OF, PRIMARY,                             \
				"95th percentile of the same"),                                    \
		METRIC_QUANTILE(NAME "_p99", SUMMARY_P99, OF, PRIMARY,                             \
				"99th percentile of the same"),                                    \
		METRIC_QUANTILE(NAME "_p999", SUMMARY_P999, OF, PRIMARY,                           \
				"99.9th percentile of the same"),                                  \
		METRIC_QUANTILE(NAME "_max", SUMMARY_MAX, OF, PRIMARY, "longest of the window")
#define METRIC_QUANTILE(NAME, SUMMARY, OF, PRIMARY, HELP)                                         \
	{                                                                                          \
		NAME, "ns", BETTER_LOWER, SUMMARY, OF, .primary = (PRIMARY) == (SUMMARY),          \
		.help = (HELP)                                                                     \
	}

extern const char *const better_words[];
extern const char *const summary_words[];

/* The quantile of a summary of a series; 0: it is none. */
double summary_quantile_of(enum summary summary);

/*
 * True for metrics of one series that differ in how far out in its distribution they look:
 * quantiles and the maximum. They are read together.
 */
bool metric_shares_shift(const struct metric *a, const struct metric *b);

/* Smallest number of samples for which a summary may be printed; 0: any. See run_figure(). */
unsigned int summary_least_samples(enum summary summary);

/* A new JSON object for a metric. */
json_t *metric_to_json(const struct metric *m);

/* The strings of *ret are borrowed from the object. */
bool metric_from_json(const json_t *object, struct metric *ret, struct error *err);

#endif
