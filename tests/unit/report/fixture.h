/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_REPORT_FIXTURE_H
#define CONTEND_TESTS_UNIT_REPORT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "judge/explore.h"
#include "judge/looks.h"
#include "judge/overall.h"
#include "model/histogram.h"
#include "report/report.h"

/*
 * Findings that are made up: an experiment, runs with whole records, and a judgement that is filled
 * by hand, so that a report is tested on every kind of verdict without the rules that lead there.
 * The figures in the verdicts are those of the runs; estimates and p-values are what each fixture
 * says, and plausible only.
 */
struct fixture {
	struct experiment *e;
	struct entries runs;
	struct judgement *j; /* NULL: a single run */
	struct history history;
	const char *end;
	int status;
	struct random random;
};

static inline void fixture_done(struct fixture *x)
{
	judgement_free(x->j);
	history_done(&x->history);
	entries_done(&x->runs);
	experiment_free(x->e);
}

static inline struct findings fixture_findings(const struct fixture *x)
{
	return (struct findings){
		.experiment = x->e,
		.runs = &x->runs,
		.judgement = x->j,
		.history = &x->history,
		.end = x->end,
		.status = x->status,
		.version = "0.1.0",
	};
}

/* ---- the experiment ---- */

/* As the workload of that name would describe itself, but for its parameters. */
static const char fixture_proc_maps[] =
	"{\"name\":\"proc_maps\",\"summary\":"
	"\"a reader of another process's maps beside its mmap/munmap writer\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"writer\",\"help\":\"\"},{\"name\":\"reader\",\"help\":\"\"}],"
	"\"params\":[],\"metrics\":["
	"{\"name\":\"writer_latency_p50\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"p50\","
	"\"of\":\"writer.latency\",\"primary\":true,\"multitask\":false,"
	"\"help\":\"median time of a writer's call\"},"
	"{\"name\":\"writer_latency_p99\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"p99\","
	"\"of\":\"writer.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"writer_latency_max\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"max\","
	"\"of\":\"writer.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"writer_stalls\",\"unit\":\"stalls\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"writer.stalls\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"reader_scans\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"rate\","
	"\"of\":\"reader.scans\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"reader_scan_size\",\"unit\":\"bytes/scan\",\"better\":\"neither\","
	"\"summary\":\"ratio\",\"of\":\"reader.bytes\",\"per\":\"reader.scans\",\"primary\":false,"
	"\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"writer_fairness\",\"unit\":\"ratio\",\"better\":\"higher\","
	"\"summary\":\"fairness\",\"of\":\"writer.operations\",\"primary\":false,"
	"\"multitask\":true,\"help\":\"\"}]}";

static const char fixture_brk1[] =
	"{\"name\":\"brk1\",\"summary\":\"the program break, one page up and down\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],\"metrics\":["
	"{\"name\":\"operations\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"rate\","
	"\"of\":\"task.operations\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"cpu_time\",\"unit\":\"ns/op\",\"better\":\"lower\",\"summary\":\"ratio\","
	"\"of\":\"task.cpu_ns\",\"per\":\"task.operations\",\"primary\":false,\"multitask\":false,"
	"\"help\":\"\"},"
	"{\"name\":\"fairness\",\"unit\":\"ratio\",\"better\":\"higher\",\"summary\":\"fairness\","
	"\"of\":\"task.operations\",\"primary\":false,\"multitask\":true,\"help\":\"\"}]}";

/* The description of brk1 under another name. Static, until the next call. */
static inline const char *like_brk1(const char *name, const char *summary)
{
	static char description[2048];
	const char *rest = strstr(fixture_brk1, "\"needs\"");

	snprintf(description, sizeof(description), "{\"name\":\"%s\",\"summary\":\"%s\",%s", name,
		 summary, rest);
	return description;
}

static inline void fixture_subject(struct fixture *x, const char *description, const char *both,
				   const char *a, const char *b)
{
	json_t *object __free(json) = NULL;
	const char *given[] = {a, b};
	struct subject s = {0};
	struct error err;

	if (!json_parse(description, strlen(description), &object, &err) ||
	    !description_from_json(object, &s.description, &err))
		fail_msg("%s", err.text);
	for (int arm = 0; arm < x->e->arm_count; arm++) {
		json_t *more __free(json) = NULL;

		assert_true(json_parse(both, strlen(both), &s.params[arm], &err));
		assert_true(json_parse(given[arm], strlen(given[arm]), &more, &err));
		json_object_update(s.params[arm], more);
	}
	s.primary = description_primary(s.description)->name;
	x->e->subjects =
		memory_grow(x->e->subjects, (x->e->subject_count + 1) * sizeof(*x->e->subjects));
	x->e->subjects[x->e->subject_count++] = s;
}

static inline void fixture_experiment(struct fixture *x, enum plan plan, int64_t pairs,
				      const char *label_a, const char *label_b, const char *command)
{
	x->e = experiment_new();
	x->e->plan = plan;
	x->e->arm_count = plan == PLAN_SINGLE ? 1 : 2;
	x->e->pairs = pairs;
	x->e->planned_pairs = plan == PLAN_DECIDED ? pairs : 0;
	x->e->margin = 0.02;
	x->e->alpha = 0.05;
	x->e->seed = 4021;
	x->e->created_ns = INT64_C(1760000000000000000);
	x->e->labels[ARM_A] = memory_string(label_a);
	if (x->e->arm_count > 1)
		x->e->labels[ARM_B] = memory_string(label_b);
	x->e->command = memory_string(command);
	random_seed(&x->random, 1, 0);
}

/* ---- runs ---- */

/* What a run of a workload came to. */
struct fixture_run {
	double p50_ns, p99_ns, max_ns;
	int64_t samples; /* 0: no series */
	int64_t stalls, scans, scan_bytes;
	int64_t failures;
	int64_t switches;   /* involuntary ones of a writer */
	int64_t window_ns;  /* 0: two seconds */
	unsigned int tasks; /* of brk1 */
	int64_t operations; /* a task */
	const char *note;
	const char *host; /* NULL: the usual one */
};

/* What a run of proc_maps with file=smaps and one with file=maps are like. */
static const struct fixture_run fixture_smaps = {
	.p50_ns = 27600,
	.p99_ns = 10.17e6,
	.max_ns = 18.5e6,
	.samples = 2000,
	.stalls = 30,
	.scans = 3220,
	.scan_bytes = 84000,
};
static const struct fixture_run fixture_maps = {
	.p50_ns = 8610,
	.p99_ns = 8.14e6,
	.max_ns = 17.1e6,
	.samples = 2001,
	.stalls = 28,
	.scans = 31640,
	.scan_bytes = 21000,
};

static const char fixture_host[] =
	"{\"kernel\":\"6.18.44\",\"version\":\"#1 SMP PREEMPT_DYNAMIC\",\"machine\":\"x86_64\","
	"\"cpus_online\":\"0-1\",\"cpus_allowed\":\"0-1\",\"cpu_model\":\"AMD EPYC 7B13\","
	"\"hypervisor\":\"KVM\",\"memory_bytes\":8323559424,\"page_bytes\":4096,"
	"\"clocksource\":\"tsc\",\"thp\":\"madvise\",\"load1\":0.25}";

/* A figure that differs from run to run by at most so much. */
static inline double fixture_jitter(struct fixture *x, double value, double ratio)
{
	return value * (1 + ratio * (2 * random_unit(&x->random) - 1));
}

static inline json_t *fixture_series(const struct fixture_run *r)
{
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	json_t *buckets;

	/* The rank of p99 lies in the middle of those that are as slow as it. */
	for (int64_t i = 0; i < r->samples; i++)
		histogram_record(h, (int64_t)(i == 0			? r->max_ns
					      : i <= r->samples / 50	? r->p99_ns
					      : i <= r->samples * 3 / 4 ? r->p50_ns
									: r->p50_ns * 0.9));
	buckets = histogram_to_json(h);
	return json_pack("[{s:s, s:s, s:s, s:o}]", "role", "writer", "name", "latency", "unit",
			 "ns", "histogram", buckets);
}

static inline json_t *fixture_task(const char *role, unsigned int number, int64_t window_ns,
				   int64_t operations, int64_t failures)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I}}", "role",
			 role, "task", (json_int_t)number, "cpu", (json_int_t)(number % 2), "pid",
			 (json_int_t)(1000 + number), "window_ns", (json_int_t)window_ns, "cpu_ns",
			 (json_int_t)(window_ns / 5 * 4), "voluntary_switches", (json_int_t)12,
			 "involuntary_switches", (json_int_t)3, "minor_faults", (json_int_t)40,
			 "major_faults", (json_int_t)0, "counters", "operations",
			 (json_int_t)operations, "failures", (json_int_t)failures);
}

static inline void fixture_count(json_t *task, const char *name, int64_t value)
{
	json_object_set_new(json_object_get(task, "counters"), name, json_integer(value));
}

static inline json_t *fixture_tasks(const struct fixture_run *r, int64_t window_ns)
{
	json_t *tasks = json_array();

	for (unsigned int i = 0; i < r->tasks; i++) {
		json_t *task = fixture_task("task", i, window_ns, r->operations + i, r->failures);

		fixture_count(task, "grow", (r->operations + i) / 2);
		fixture_count(task, "shrink", (r->operations + i) / 2);
		json_array_append_new(tasks, task);
	}
	if (!r->tasks) {
		json_t *writer = fixture_task("writer", 0, window_ns, r->samples, r->failures);
		json_t *reader = fixture_task("reader", 0, window_ns, r->scans, 0);

		json_object_set_new(reader, "cpu", json_integer(1));
		if (r->switches)
			json_object_set_new(writer, "involuntary_switches",
					    json_integer(r->switches));
		fixture_count(writer, "stalls", r->stalls);
		fixture_count(reader, "scans", r->scans);
		fixture_count(reader, "bytes", r->scans * r->scan_bytes);
		json_array_append_new(tasks, writer);
		json_array_append_new(tasks, reader);
	}
	return tasks;
}

static inline json_t *fixture_record(const struct fixture_run *r, enum outcome outcome,
				     const char *reason)
{
	int64_t window_ns = r->window_ns ? r->window_ns : INT64_C(2000000000);
	const char *said = r->host ? r->host : fixture_host;
	json_t *record = json_object();
	json_t *host = NULL;
	struct error err;

	assert_true(json_parse(said, strlen(said), &host, &err));
	json_object_set_new(record, "outcome", json_text(outcome_words[outcome]));
	json_object_set_new(record, "reason", json_text(reason));
	json_object_set_new(record, "window_ns", json_integer(window_ns));
	json_object_set_new(record, "tasks", fixture_tasks(r, window_ns));
	json_object_set_new(record, "series", r->samples ? fixture_series(r) : json_array());
	json_object_set_new(record, "notes",
			    r->note ? json_pack("[o]", json_text(r->note)) : json_array());
	json_object_set_new(record, "host", host);
	return record;
}

static inline void fixture_add(struct fixture *x, size_t subject, int64_t pair, int arm,
			       const struct fixture_run *r, enum outcome outcome,
			       const char *reason)
{
	json_t *record __free(json) = fixture_record(r, outcome, reason);
	bool first = (pair + arm) % 3 != 0;
	struct error err;
	struct run *run;

	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	run->started_ns = x->e->created_ns + (int64_t)x->runs.count * 2200000000;
	run->ended_ns = run->started_ns + 2180000000;
	entries_add(&x->runs, (struct entry){
				      .id = (int64_t)x->runs.count + 1,
				      .subject = subject,
				      .pair = pair,
				      .arm = arm,
				      .first = first,
				      .run = run,
			      });
}

/* Pairs of ok runs around two sets of figures. */
static inline void fixture_pairs(struct fixture *x, size_t subject, int64_t first, int64_t pairs,
				 const struct fixture_run *a, const struct fixture_run *b)
{
	for (int64_t i = first; i < first + pairs; i++) {
		for (int arm = 0; arm < 2; arm++) {
			struct fixture_run r = arm == ARM_A ? *a : *b;

			r.p50_ns = fixture_jitter(x, r.p50_ns, 0.02);
			r.p99_ns = fixture_jitter(x, r.p99_ns, 0.2);
			r.max_ns = fixture_jitter(x, r.max_ns, 0.3);
			r.scans = (int64_t)fixture_jitter(x, (double)r.scans, 0.03);
			r.operations = (int64_t)fixture_jitter(x, (double)r.operations, 0.01);
			fixture_add(x, subject, i, arm, &r, OUTCOME_OK, "");
		}
	}
}

/* ---- the judgement ---- */

static inline void fixture_judgement(struct fixture *x)
{
	x->j = memory_alloc(sizeof(*x->j));
	x->j->comparison_count = x->e->subject_count * ((size_t)x->e->arm_count - 1);
	x->j->comparisons = memory_array(x->j->comparison_count, sizeof(*x->j->comparisons));
	x->j->aa = true;
	x->j->finished = true;
	for (size_t i = 0; i < x->j->comparison_count; i++) {
		struct comparison *v = &x->j->comparisons[i];

		v->index = i / ((size_t)x->e->arm_count - 1);
		v->arm = ARM_B + (int)(i % ((size_t)x->e->arm_count - 1));
		v->subject = &x->e->subjects[v->index];
		v->aa = subject_is_aa(v->subject, v->arm);
		x->j->aa &= v->aa;
		v->metrics =
			memory_array(v->subject->description->metric_count, sizeof(*v->metrics));
		for (size_t k = 0; k < x->runs.count; k++) {
			const struct entry *e = &x->runs.list[k];

			if (e->subject != v->index || (e->arm != ARM_A && e->arm != v->arm))
				continue;
			v->runs[e->arm]++;
			v->failed[e->arm] += e->run->outcome != OUTCOME_OK;
		}
	}
}

/* What the judge finds by exploring a subject's runs, with the last digits taken off, as below. */
static inline void fixture_explore(struct fixture *x, size_t subject)
{
	struct judgement *whole __free(judgement) = judge(x->e, &x->runs, JUDGE_END);
	struct exploration *explored = take(whole->comparisons[subject].explored);

	for (size_t i = 0; i < explored->count; i++) {
		struct metric_verdict *v = &explored->list[i].v;

		v->estimate = rint(v->estimate * 1e9) / 1e9;
		v->middle_a = rint(v->middle_a * 1e9) / 1e9;
		v->middle_b = rint(v->middle_b * 1e9) / 1e9;
	}
	x->j->comparisons[subject].explored = explored;
}

/* The same for all workloads together. */
static inline void fixture_overall(struct fixture *x)
{
	struct judgement *whole __free(judgement) = judge(x->e, &x->runs, JUDGE_END);

	for (int arm = ARM_B; arm < x->e->arm_count; arm++) {
		struct metric_verdict *v = &whole->overall[arm]->v;

		v->estimate = rint(v->estimate * 1e9) / 1e9;
		v->interval.low = rint(v->interval.low * 1e9) / 1e9;
		v->interval.high = rint(v->interval.high * 1e9) / 1e9;
		x->j->overall[arm] = take(whole->overall[arm]);
	}
}

static inline const struct run *fixture_find(const struct fixture *x, size_t subject, int64_t pair,
					     int arm)
{
	for (size_t i = 0; i < x->runs.count; i++) {
		const struct entry *e = &x->runs.list[i];

		if (e->subject == subject && e->pair == pair && e->arm == arm)
			return e->run;
	}
	return NULL;
}

static inline int fixture_by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double fixture_median(const double *values, size_t count)
{
	double *sorted __free(memory) = memory_array(count, sizeof(*sorted));

	if (!count)
		return NAN;
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), fixture_by_size);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* What a fixture says of a metric. */
struct fixture_verdict {
	const char *metric;
	enum verdict verdict;
	enum judge_rule rule;
	double low, high; /* the interval, on the scale of the metric */
	double p, p_adjusted;
	size_t comparisons;
	int64_t more_pairs;
	double evidence, clearing, bound; /* 0: NAN */
	enum sequential_part by;
	size_t at, cleared_at;
	bool worse;
	enum judge_correction correction; /* NONE: the usual one */
	const char *remark, *refusal;
};

static inline double nan_unless(double value)
{
	return value != 0 ? value : NAN;
}

/* Adds a metric's verdict; its figures are those of the pairs whose runs are both ok. */
static inline struct metric_verdict *fixture_verdict_of(struct fixture *x, size_t subject, int arm,
							int64_t pairs, struct fixture_verdict said)
{
	size_t others = (size_t)x->e->arm_count - 1;
	struct comparison *s = &x->j->comparisons[subject * others + (size_t)(arm - ARM_B)];
	struct metric_verdict *v = &s->metrics[s->metric_count++];
	double sum = 0, squares = 0;

	*v = (struct metric_verdict){
		.metric = description_metric(s->subject->description, said.metric),
		.rule = said.rule,
		.interval = {said.low, said.high},
		.p = said.p,
		.p_adjusted = said.p_adjusted ? said.p_adjusted : said.p,
		.comparisons = said.comparisons,
		.level = x->e->alpha,
		.evidence = nan_unless(said.evidence),
		.clearing = nan_unless(said.clearing),
		.bound = nan_unless(said.bound),
		.verdict = said.verdict,
		.worse = said.worse,
		.more_pairs = said.more_pairs,
		.remark = said.remark,
		.refusal = memory_string(said.refusal),
	};
	assert_non_null(v->metric);
	v->rejected_by = said.by;
	v->rejected_at = said.at;
	v->cleared_at = said.cleared_at;
	/* Of a budget that so many pairs would have fitted into. */
	if (said.rule == RULE_SEQUENTIAL)
		v->plan = sequential_plan(x->e->pairs ? (size_t)x->e->pairs : 30, x->e->seed);
	v->primary = text_equal(said.metric, s->subject->primary);
	if (said.comparisons > 1)
		v->correction = v->primary || judge_rule_is_sequential(said.rule) ||
						pairs < JUDGE_LEAST_PAIRS
					? CORRECTION_HOLM
					: CORRECTION_MAX_T;
	if (said.correction)
		v->correction = said.correction;
	v->a = memory_array((size_t)pairs, sizeof(*v->a));
	v->b = memory_array((size_t)pairs, sizeof(*v->b));
	s->pairs = 0;
	for (int64_t i = 0; i < pairs; i++) {
		const struct run *a = fixture_find(x, subject, i, ARM_A);
		const struct run *b = fixture_find(x, subject, i, arm);
		struct error why;

		if (!a || !b || a->outcome != OUTCOME_OK || b->outcome != OUTCOME_OK)
			continue;
		s->pairs++;
		if (!run_figure(a, v->metric, &v->a[v->pairs], &why) ||
		    !run_figure(b, v->metric, &v->b[v->pairs], &why)) {
			v->refused++;
			continue;
		}
		v->samples_a = run_figure_count(a, v->metric);
		v->samples_b = run_figure_count(b, v->metric);
		if (v->a[v->pairs] <= 0 || v->b[v->pairs] <= 0)
			v->scale = SCALE_DIFFERENCE;
		v->pairs++;
	}
	for (size_t i = 0; i < v->pairs; i++) {
		double d = v->scale == SCALE_LOG ? log(v->b[i] / v->a[i]) : v->b[i] - v->a[i];

		sum += d;
		squares += d * d;
	}
	v->looks_spent = looks_spent(&v->plan, v->pairs);
	v->middle_a = fixture_median(v->a, v->pairs);
	v->middle_b = fixture_median(v->b, v->pairs);
	v->estimate = sum / (double)v->pairs;
	v->spread =
		v->pairs > 1 ? sqrt((squares - sum * v->estimate) / (double)(v->pairs - 1)) : NAN;
	if (v->scale == SCALE_LOG)
		v->estimate = expm1(v->estimate);
	/* Another libm or compiler may come to another last digit. */
	v->estimate = rint(v->estimate * 1e9) / 1e9;
	v->spread = rint(v->spread * 1e9) / 1e9;
	v->sign_flip =
		said.rule == RULE_SIGN_FLIP ? v->interval : (struct interval){-INFINITY, INFINITY};
	/* Somewhat narrower, so that the two can be told apart. */
	v->paired_t = (struct interval){said.low + (said.high - said.low) * 0.05,
					said.high - (said.high - said.low) * 0.05};
	if (isnan(v->paired_t.low) || isnan(v->paired_t.high) || !isfinite(v->paired_t.low))
		v->paired_t = (struct interval){-INFINITY, INFINITY};
	return v;
}

/* The same of arm B. */
static inline struct metric_verdict *fixture_verdict(struct fixture *x, size_t subject,
						     int64_t pairs, struct fixture_verdict said)
{
	return fixture_verdict_of(x, subject, ARM_B, pairs, said);
}

#endif
