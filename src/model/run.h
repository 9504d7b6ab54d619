/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_RUN_H
#define CONTEND_MODEL_RUN_H

#include "model/histogram.h"
#include "model/json.h"
#include "model/metric.h"

/*
 * One execution of one workload in one arm: the unit of replication. Its record is the JSON object
 * that the agent wrote (docs/wire.md), kept whole, so that nothing measured is lost on the way into
 * the store and figures can be computed again by a later version.
 */

enum outcome {
	OUTCOME_OK,
	OUTCOME_INVALID, /* ran, but not what was asked: a role did nothing, affinity lost … */
	OUTCOME_UNSUPPORTED, /* this machine or kernel cannot */
	OUTCOME_FAILED,	     /* something returned an error */
	OUTCOME_TIMEOUT,
	OUTCOME_INTERRUPTED,
	OUTCOME_CRASHED, /* a worker or the agent died of a signal */
};

extern const char *const outcome_words[];

/* Figures that were computed, so that whoever looks again need not go over the histograms. */
struct run_figures;

struct run {
	enum outcome outcome;
	char *reason;		      /* "" when ok */
	json_t *record;		      /* the agent's object; NULL when no whole answer came */
	int64_t started_ns, ended_ns; /* wall clock of the controller; 0 where unknown */
	struct run_figures *figures;  /* of run_figure() and run_figure_count() */
	/*
	 * What was read from the outputs of its programs (import/importer.h), "role.name" to number;
	 * no part of the record, so that an output can be read again. NULL: nothing.
	 */
	json_t *readings;
};

void run_free(struct run *r);
DEFINE_FREE(run, struct run *, run_free(_T))

/* How long it took by the wall clock; 0 where that was set back meanwhile. */
int64_t run_took_ns(const struct run *r);

/*
 * A run without a record: the agent could not be started, its answer was cut … Copies the reason.
 */
struct run *run_without_record(enum outcome outcome, const char *reason);

enum { RUN_TASKS_MAX = 4096, RUN_SERIES_MAX = 64 };

/*
 * Checks a record's shape and takes its own reference of it, as description_from_json() does.
 * Demanded are outcome and reason ("" exactly when ok) and, of an ok run, tasks and series; what
 * else docs/wire.md names is checked where present, and unknown keys are kept unread. The record
 * may come from a machine that is not trusted: strings in it may hold any character but zero.
 */
bool run_from_record(json_t *record, struct run **ret_run, struct error *err);

/*
 * Lets go of the single latencies (`raw`), of which no figure is made: a record in memory is then
 * as large as its histograms. They say more only of how well one run knows its own quantiles.
 */
void run_drop_raw(struct run *r);

/*
 * The histogram of a series ("role.name") of an ok run. False with a reason (ERROR_DATA) where there
 * is none.
 */
bool run_histogram(const struct run *r, const char *of, struct histogram *ret, struct error *err);

/*
 * The single latencies of such a series in ns, of all tasks in turn, where the record has every one
 * of them (`raw` at least as large as the count of each task): *ret_count of them, owned by the
 * caller. NULL where it has not.
 */
double *run_raw_values(const struct run *r, const char *of, size_t *ret_count);

/*
 * The figure of a metric in an ok run. False with a reason in err (ERROR_DATA) where there is none:
 * no such series (latency recording was off), fewer samples than the summary needs, a zero divisor,
 * one task where fairness between several is asked for.
 * Quantiles need enough samples for a finite one-sided 95 % bound: p50 6, p95 59, p99 299,
 * p99.9 2995 (notes in docs/method.md).
 *
 * A counter is one of a task's "counters" or, where these lack the name, another count that the task
 * has ("cpu_ns", "minor_faults" …).
 */
bool run_figure(const struct run *r, const struct metric *m, double *ret_value, struct error *err);

/*
 * The number of samples or operations behind that figure, of a ratio its divisor; 0 where it has
 * none.
 */
int64_t run_figure_count(const struct run *r, const struct metric *m);

/*
 * The longest window of a role's tasks in ns, as measured; 0: none. Maxima of two runs may be
 * compared only where these agree within 1 %: a maximum grows with the time measured.
 */
int64_t run_window_ns(const struct run *r, const char *role);

/* How long CPUs were idle around the windows of an ok run, as its record has it. */
struct run_idle {
	int64_t span_ns; /* from before the windows to after them */
	int64_t cpus;	 /* how many */
	int64_t idle_ns; /* of all of them together, in ticks of 10 ms */
};

/* of: "used", the CPUs of its tasks, or "machine", all of them. False where it is not known. */
bool run_idle(const struct run *r, const char *of, struct run_idle *ret);

/*
 * The fingerprint of the machine as the run found it: without what its setups changed, whose values
 * are in "host" ("host_before" has those of before). A new object; NULL: the record has none.
 */
json_t *run_host_found(const struct run *run);

#endif
