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
};

/*
 * A metric of a workload. `of` names a series or a counter as "role.name" ("writer.latency",
 * "writer.operations"), `per` the divisor of SUMMARY_RATIO. Its label for reading is the name with
 * blanks for underscores.
 *
 * As JSON: {"name","unit","better","summary","of","per" (SUMMARY_RATIO only),"primary","multitask",
 * "help"}, `better` and `summary` by their words.
 */
struct metric {
	const char *name;
	const char *unit; /* "ns", "bytes", "1/s", "ratio", "ns/op" … */
	enum better better;
	enum summary summary;
	const char *of;
	const char *per; /* NULL unless SUMMARY_RATIO */
	bool primary;	 /* one per workload */
	bool multitask;	 /* only where the role has more than one task */
	const char *help;
};

extern const char *const better_words[];
extern const char *const summary_words[];

/* Smallest number of samples for which a summary may be printed; 0: any. See run_figure(). */
unsigned int summary_least_samples(enum summary summary);

/* A new JSON object for a metric. */
json_t *metric_to_json(const struct metric *m);

/* The strings of *ret are borrowed from the object. */
bool metric_from_json(const json_t *object, struct metric *ret, struct error *err);

#endif
