// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "made.h"
#include "model/histogram.h"
#include "model/run.h"

/*
 * A record as the agent writes it. The two writers watched for different times: rates are each
 * task's own.
 */
static const char record_text[] =
	"{'outcome':'ok','reason':'','workload':'proc_maps',"
	"'params':{'file':'maps','window':'2s'},"
	"'window_ns':2000000000,'started_ns':1700000000000000000,'elapsed_ns':4500000000,"
	"'tasks':["
	"{'role':'writer','task':0,'cpu':0,'window_ns':2000000000,'cpu_ns':500000000,"
	"'voluntary_switches':3,'involuntary_switches':4,'minor_faults':100,'major_faults':0,"
	"'counters':{'operations':1000,'failures':0,'map':400}},"
	"{'role':'writer','task':1,'cpu':-1,'window_ns':1000000000,'cpu_ns':250000000,"
	"'voluntary_switches':5,'involuntary_switches':6,'minor_faults':50,'major_faults':2,"
	"'counters':{'operations':300,'failures':13,'map':100}},"
	"{'role':'reader','task':0,'cpu':1,'window_ns':4000000000,'cpu_ns':3000000000,"
	"'counters':{'operations':0,'scans':40,'cpu_ns':7}}],"
	"'series':[],"
	"'machine':{'window_ns':2500000000,'counters':{'pswpout':50},'orig_data_bytes':400},"
	"'notes':['3 readers share 1 CPU'],'host':{'kernel':'6.18'},'later':[null]}";

/* `each` times every value from 1 to `largest`. */
static json_t *series_new(const char *role, const char *name, int64_t largest, int each)
{
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	json_t *series = json_object();

	for (int64_t value = 1; value <= largest; value++) {
		for (int i = 0; i < each; i++)
			histogram_record(h, value);
	}
	json_object_set_new(series, "role", json_string(role));
	json_object_set_new(series, "name", json_string(name));
	json_object_set_new(series, "unit", json_string("ns"));
	json_object_set_new(series, "histogram", histogram_to_json(h));
	return series;
}

static json_t *record_new(void)
{
	json_t *record = made(record_text);
	json_t *series = json_object_get(record, "series");

	json_array_append_new(series, series_new("writer", "latency", 120, 1));
	json_array_append_new(series, series_new("writer", "unmap", 250, 12));
	json_array_append_new(series, series_new("reader", "latency", 0, 0));
	return record;
}

static struct run *run_of(json_t *record)
{
	struct run *r = NULL;
	struct error err;

	if (!run_from_record(record, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

static void test_from_record(void **state)
{
	json_t *record = record_new();
	struct run *r __free(run) = run_of(record);

	(void)state;
	assert_int_equal(r->outcome, OUTCOME_OK);
	assert_string_equal(r->reason, "");
	assert_ptr_equal(r->record, record);
	assert_int_equal(r->started_ns, 0);
	assert_int_equal(r->ended_ns, 0);
	/* It has a reference of its own: the caller's is still there to be given up. */
	json_decref(record);
	assert_string_equal(json_string_value(json_object_get(r->record, "workload")), "proc_maps");
}

static void test_without_record(void **state)
{
	char reason[] = "the agent's answer was cut";
	struct run *r __free(run) = run_without_record(OUTCOME_CRASHED, reason);
	struct metric m = {.summary = SUMMARY_P50, .of = "writer.latency"};
	struct error err;
	double value;

	(void)state;
	reason[0] = '?';
	assert_int_equal(r->outcome, OUTCOME_CRASHED);
	assert_string_equal(r->reason, "the agent's answer was cut");
	assert_null(r->record);
	assert_false(run_figure(r, &m, &value, &err));
	assert_string_equal(err.text, "crashed: the agent's answer was cut");
	assert_int_equal(run_figure_count(r, &m), 0);
	assert_int_equal(run_window_ns(r, "writer"), 0);
	run_free(NULL);
}

/* A run that was not ok may lack everything but what it came to. */
static void test_not_ok(void **state)
{
	json_t *record __free(json) = made("{'outcome':'invalid','reason':'reader 0 did nothing'}");
	json_t *partial __free(json) =
		made("{'outcome':'interrupted','reason':'stopped','tasks':[{'role':'writer',"
		     "'task':0,'window_ns':0,'counters':{}}],'series':[]}");
	struct run *r __free(run) = run_of(record);
	struct run *p __free(run) = run_of(partial);
	struct metric m = {.summary = SUMMARY_RATE, .of = "writer.operations"};
	struct error err;
	double value;

	(void)state;
	assert_int_equal(r->outcome, OUTCOME_INVALID);
	assert_string_equal(r->reason, "reader 0 did nothing");
	assert_false(run_figure(r, &m, &value, &err));
	assert_string_equal(err.text, "invalid: reader 0 did nothing");
	assert_int_equal(p->outcome, OUTCOME_INTERRUPTED);
	assert_false(run_figure(p, &m, &value, &err));
	assert_int_equal(run_window_ns(p, "writer"), 0);
}

static struct metric metric_of(enum summary summary, const char *of, const char *per)
{
	return (struct metric){.name = "x", .unit = "", .summary = summary, .of = of, .per = per};
}

static void figure(const struct run *r, enum summary summary, const char *of, const char *per,
		   double expected, int64_t count)
{
	struct metric m = metric_of(summary, of, per);
	struct error err;
	double value;

	if (!run_figure(r, &m, &value, &err))
		fail_msg("%s: %s", of, err.text);
	if (fabs(value - expected) > 1e-12 * fabs(expected))
		fail_msg("%s of %s is %.17g", summary_words[summary], of, value);
	assert_int_equal(run_figure_count(r, &m), count);
}

static void no_figure(const struct run *r, enum summary summary, const char *of, const char *per,
		      const char *why)
{
	struct metric m = metric_of(summary, of, per);
	struct error err;
	double value = -77;

	if (run_figure(r, &m, &value, &err))
		fail_msg("%s of %s is %.17g", summary_words[summary], of, value);
	assert_true(value == -77);
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, why);
}

/* 1 to 120 once each, and 1 to 250 twelve times each: ranks can be counted by hand. */
static void test_series_figures(void **state)
{
	json_t *record __free(json) = record_new();
	struct run *r __free(run) = run_of(record);

	(void)state;
	figure(r, SUMMARY_P50, "writer.latency", NULL, 60, 120);
	figure(r, SUMMARY_P95, "writer.latency", NULL, 114, 120);
	figure(r, SUMMARY_MAX, "writer.latency", NULL, 120, 120);
	figure(r, SUMMARY_MEAN, "writer.latency", NULL, 60.5, 120);
	figure(r, SUMMARY_P50, "writer.unmap", NULL, 125, 3000);
	figure(r, SUMMARY_P95, "writer.unmap", NULL, 238, 3000);  /* rank 2850 / 12 = 237.5 */
	figure(r, SUMMARY_P99, "writer.unmap", NULL, 248, 3000);  /* rank 2970 / 12 = 247.5 */
	figure(r, SUMMARY_P999, "writer.unmap", NULL, 250, 3000); /* rank 2997 */
	figure(r, SUMMARY_MAX, "writer.unmap", NULL, 250, 3000);
	figure(r, SUMMARY_MEAN, "writer.unmap", NULL, 125.5, 3000);
}

static void test_series_refusals(void **state)
{
	json_t *record __free(json) = record_new();
	struct run *r __free(run) = run_of(record);

	(void)state;
	no_figure(r, SUMMARY_P99, "writer.latency", NULL, "p99 needs 299 samples, has 120");
	no_figure(r, SUMMARY_P999, "writer.latency", NULL, "p99.9 needs 2995 samples, has 120");
	no_figure(r, SUMMARY_P50, "reader.latency", NULL, "reader.latency has no samples");
	no_figure(r, SUMMARY_MAX, "reader.latency", NULL, "reader.latency has no samples");
	no_figure(r, SUMMARY_MEAN, "reader.latency", NULL, "reader.latency has no samples");
	no_figure(r, SUMMARY_P50, "writer.wait", NULL, "no series writer.wait was recorded");
	no_figure(r, SUMMARY_P50, "writ.latency", NULL, "no series writ.latency was recorded");
	no_figure(r, SUMMARY_P50, "writer.latenc", NULL, "no series writer.latenc was recorded");
	no_figure(r, SUMMARY_P50, "latency", NULL, "'latency' is not role.name");
	/* A counter is no series. */
	no_figure(r, SUMMARY_P50, "writer.operations", NULL,
		  "no series writer.operations was recorded");
}

static void test_least_samples(void **state)
{
	static const struct {
		enum summary summary;
		const char *too_few;
	} cases[] = {
		{SUMMARY_P50, "p50 needs 6 samples, has 5"},
		{SUMMARY_P95, "p95 needs 59 samples, has 58"},
		{SUMMARY_P99, "p99 needs 299 samples, has 298"},
		{SUMMARY_P999, "p99.9 needs 2995 samples, has 2994"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int least = (int)summary_least_samples(cases[i].summary);
		json_t *record __free(json) = made("{'outcome':'ok','reason':'','tasks':[],"
						   "'series':[]}");
		json_t *series = json_object_get(record, "series");
		struct run *r __free(run) = NULL;

		json_array_append_new(series, series_new("writer", "few", 1, least - 1));
		json_array_append_new(series, series_new("writer", "enough", 1, least));
		r = run_of(record);
		no_figure(r, cases[i].summary, "writer.few", NULL, cases[i].too_few);
		figure(r, cases[i].summary, "writer.enough", NULL, 1, least);
	}
}

static void test_counter_figures(void **state)
{
	json_t *record __free(json) = record_new();
	struct run *r __free(run) = run_of(record);

	(void)state;
	/* 1000 in 2 s and 300 in 1 s. */
	figure(r, SUMMARY_RATE, "writer.operations", NULL, 800, 1300);
	figure(r, SUMMARY_RATE, "writer.map", NULL, 300, 500);
	figure(r, SUMMARY_RATE, "reader.scans", NULL, 10, 40);
	figure(r, SUMMARY_RATE, "reader.operations", NULL, 0, 0);
	figure(r, SUMMARY_TOTAL, "writer.operations", NULL, 1300, 1300);
	figure(r, SUMMARY_TOTAL, "writer.failures", NULL, 13, 13);
	figure(r, SUMMARY_RATIO, "writer.failures", "writer.operations", 0.01, 1300);
	/* Over two roles. */
	figure(r, SUMMARY_RATIO, "writer.operations", "reader.scans", 32.5, 40);
	/* 500/s against 300/s: not 1000 against 300. */
	figure(r, SUMMARY_FAIRNESS, "writer.operations", NULL, 0.6, 1300);
	/* 200/s against 100/s. */
	figure(r, SUMMARY_FAIRNESS, "writer.map", NULL, 0.5, 500);
	figure(r, SUMMARY_FAIRNESS, "writer.failures", NULL, 0, 13);

	/* Other counts of a task. */
	figure(r, SUMMARY_RATIO, "writer.cpu_ns", "writer.operations", 750000000 / 1300.0, 1300);
	figure(r, SUMMARY_TOTAL, "writer.voluntary_switches", NULL, 8, 8);
	figure(r, SUMMARY_TOTAL, "writer.involuntary_switches", NULL, 10, 10);
	figure(r, SUMMARY_RATE, "writer.minor_faults", NULL, 100, 150);
	figure(r, SUMMARY_TOTAL, "writer.major_faults", NULL, 2, 2);
	/* CPU time a second of window, by its own unit. */
	figure(r, SUMMARY_RATE, "writer.cpu_ns", NULL, 5e8, 750000000);
	/* What the machine counted, over its own window, and what it is. */
	figure(r, SUMMARY_RATE, "machine.pswpout", NULL, 20, 50);
	figure(r, SUMMARY_RATIO, "machine.pswpout", "reader.scans", 1.25, 40);
	figure(r, SUMMARY_RATIO, "machine.orig_data_bytes", "machine.pswpout", 8, 50);
	/* A counter of the workload's goes before a count of the crew's. */
	/* Behind ns are operations: the reader had none, the writers some. */
	figure(r, SUMMARY_TOTAL, "reader.cpu_ns", NULL, 7, 0);
	figure(r, SUMMARY_TOTAL, "writer.cpu_ns", NULL, 750000000, 1300);
}

static void test_counter_refusals(void **state)
{
	json_t *record __free(json) = record_new();
	struct run *r __free(run) = run_of(record);

	(void)state;
	no_figure(r, SUMMARY_RATE, "watcher.operations", NULL,
		  "watcher.operations: no task has this role");
	no_figure(r, SUMMARY_RATE, "writer.scans", NULL, "writer.scans: no such counter");
	no_figure(r, SUMMARY_RATE, "reader.minor_faults", NULL,
		  "reader.minor_faults: no such counter");
	no_figure(r, SUMMARY_TOTAL, "writer.cpu", NULL, "writer.cpu: no such counter");
	no_figure(r, SUMMARY_TOTAL, "writer.task", NULL, "writer.task: no such counter");
	no_figure(r, SUMMARY_TOTAL, "writer.role", NULL,
		  "writer.role: field 'role' is not an integer");
	no_figure(r, SUMMARY_TOTAL, "writer.counters", NULL,
		  "writer.counters: field 'counters' is not an integer");
	no_figure(r, SUMMARY_RATIO, "writer.operations", "reader.operations",
		  "reader.operations is zero");
	no_figure(r, SUMMARY_RATIO, "writer.operations", "writer.none",
		  "writer.none: no such counter");
	no_figure(r, SUMMARY_RATE, "machine.pswpin", NULL, "machine.pswpin: no such counter");
	no_figure(r, SUMMARY_RATE, "machines.pswpout", NULL,
		  "machines.pswpout: no task has this role");
	no_figure(r, SUMMARY_RATIO, "writer.operations", NULL, "a ratio without a divisor");
	no_figure(r, SUMMARY_FAIRNESS, "reader.scans", NULL, "reader.scans: one task only");
	no_figure(r, SUMMARY_FAIRNESS, "writer.operations.x", NULL,
		  "writer.operations.x: no such counter");
}

static void test_multitask(void **state)
{
	json_t *record __free(json) = record_new();
	struct run *r __free(run) = run_of(record);
	struct metric m = metric_of(SUMMARY_RATE, "reader.scans", NULL);
	struct error err;
	double value;

	(void)state;
	assert_true(run_figure(r, &m, &value, &err));
	m.multitask = true;
	assert_false(run_figure(r, &m, &value, &err));
	m.of = "writer.operations";
	assert_true(run_figure(r, &m, &value, &err));
}

static void test_idle_fairness(void **state)
{
	json_t *record __free(json) =
		made("{'outcome':'ok','reason':'','series':[],'tasks':["
		     "{'role':'w','task':0,'window_ns':1,'counters':{'n':0}},"
		     "{'role':'w','task':1,'window_ns':1,'counters':{'n':0}}]}");
	struct run *r __free(run) = run_of(record);

	(void)state;
	no_figure(r, SUMMARY_FAIRNESS, "w.n", NULL, "w.n is zero");
	figure(r, SUMMARY_RATE, "w.n", NULL, 0, 0);
}

static void test_host_found(void **state)
{
	json_t *record __free(json) =
		made("{'outcome':'ok','reason':'','series':[],'tasks':[],"
		     "'host':{'thp':'always','swappiness':60},'host_before':{'thp':'never'}}");
	struct run *r __free(run) = run_of(record);
	json_t *found __free(json) = run_host_found(r);
	json_t *expected __free(json) = made("{'thp':'never','swappiness':60}");

	(void)state;
	assert_true(json_equal(found, expected));
	/* The run's own stays what it was. */
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(r->record, "host"), "thp")),
		"always");
}

/* Numbers as large as JSON can write them. */
static void test_large_counters(void **state)
{
	json_t *record __free(json) = made("{'outcome':'ok','reason':'','series':[],'tasks':["
					   "{'role':'w','task':0,'window_ns':9223372036854775807,"
					   "'counters':{'n':9223372036854775807}},"
					   "{'role':'w','task':1,'window_ns':1,"
					   "'counters':{'n':9223372036854775807}}]}");
	struct run *r __free(run) = run_of(record);

	(void)state;
	figure(r, SUMMARY_TOTAL, "w.n", NULL, 0x1p64, INT64_MAX);
	figure(r, SUMMARY_RATE, "w.n", NULL, 0x1p63 * 1e9 + 1e9, INT64_MAX);
	figure(r, SUMMARY_FAIRNESS, "w.n", NULL, 0x1p-63, INT64_MAX);
	assert_int_equal(run_window_ns(r, "w"), INT64_MAX);
}

static void test_window(void **state)
{
	json_t *record __free(json) = record_new();
	struct run *r __free(run) = run_of(record);

	(void)state;
	assert_int_equal(run_window_ns(r, "writer"), 2000000000);
	assert_int_equal(run_window_ns(r, "reader"), 4000000000);
	assert_int_equal(run_window_ns(r, "read"), 0);
	assert_int_equal(run_window_ns(r, ""), 0);
}

/*
 * Changes one place of a record, "tasks/0/window_ns": NULL takes it away, otherwise takes the value.
 */
static void edit(json_t *at, const char *path, json_t *value)
{
	char *steps __free(memory) = memory_string(path);
	char *step = strtok(steps, "/");
	char *next;

	while ((next = strtok(NULL, "/"))) {
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(step))
				       : json_object_get(at, step);
		assert_non_null(at);
		step = next;
	}
	if (json_is_array(at))
		assert_int_equal(json_array_set_new(at, (size_t)atoi(step), value), 0);
	else if (value)
		assert_int_equal(json_object_set_new(at, step, value), 0);
	else
		assert_int_equal(json_object_del(at, step), 0);
}

static void refuse(const char *path, json_t *value, const char *why)
{
	json_t *record __free(json) = record_new();
	struct run *r = NULL;
	struct error err;

	edit(record, path, value);
	if (run_from_record(record, &r, &err))
		fail_msg("%s: taken", path);
	assert_null(r);
	assert_int_equal(err.code, ERROR_DATA);
	if (!text_equal(err.text, why))
		fail_msg("%s: '%s', not '%s'", path, err.text, why);
}

static json_t *repeated(json_t *value, size_t times)
{
	json_t *array = json_array();

	for (size_t i = 0; i < times; i++)
		json_array_append(array, value);
	json_decref(value);
	return array;
}

static void test_record_refuses(void **state)
{
	json_t *double_series = record_new();
	json_t *no_object __free(json) = json_array();
	struct run *r = NULL;
	struct error err;

	(void)state;
	assert_false(run_from_record(no_object, &r, &err));
	assert_false(run_from_record(NULL, &r, &err));

	refuse("outcome", NULL, "run record: field 'outcome' is not a string");
	refuse("outcome", json_string("fine"), "run record: field 'outcome': unknown word 'fine'");
	refuse("reason", NULL, "run record: field 'reason' is not a string");
	refuse("reason", json_string("x"), "run record: outcome 'ok' with a reason");
	refuse("outcome", json_string("failed"), "run record: outcome 'failed' without a reason");

	refuse("tasks", NULL, "run record: field 'tasks' is not an array");
	refuse("tasks", json_object(), "run record: field 'tasks' is not an array");
	refuse("tasks/0", json_null(), "run record: task 0: field 'role' is not a string");
	refuse("tasks/1/role", NULL, "run record: task 1: field 'role' is not a string");
	refuse("tasks/1/role", json_string("a.b"),
	       "run record: task 1: field 'role' is not a name (letters, digits, _ and -)");
	refuse("tasks/1/task", json_integer(-1), "run record: task 1: field 'task' is negative");
	refuse("tasks/1/window_ns", NULL,
	       "run record: task 1: field 'window_ns' is not an integer");
	refuse("tasks/1/window_ns", json_integer(0),
	       "run record: task 1: field 'window_ns' is zero");
	refuse("tasks/1/window_ns", json_integer(-1),
	       "run record: task 1: field 'window_ns' is negative");
	refuse("tasks/1/window_ns", json_real(1e9),
	       "run record: task 1: field 'window_ns' is not an integer");
	refuse("tasks/0/cpu", json_integer(-2), "run record: task 0: field 'cpu' is negative");
	refuse("tasks/0/cpu_ns", json_integer(-1),
	       "run record: task 0: field 'cpu_ns' is negative");
	refuse("tasks/0/major_faults", json_string("0"),
	       "run record: task 0: field 'major_faults' is not an integer");
	refuse("tasks/0/counters", NULL, "run record: task 0: field 'counters' is not an object");
	refuse("tasks/0/counters/map", json_integer(-1),
	       "run record: task 0: counters: field 'map' is negative");
	refuse("tasks/0/counters/map", json_real(1),
	       "run record: task 0: counters: field 'map' is not an integer");

	refuse("machine/window_ns", json_integer(0),
	       "run record: machine: field 'window_ns' is zero");
	refuse("machine/counters", NULL, "run record: machine: field 'counters' is not an object");
	refuse("machine/counters/pswpout", json_integer(-1),
	       "run record: machine: counters: field 'pswpout' is negative");

	refuse("series", NULL, "run record: field 'series' is not an array");
	refuse("series/1/role", NULL, "run record: series 1: field 'role' is not a string");
	refuse("series/1/name", json_string(""),
	       "run record: series 1: field 'name' is not a name (letters, digits, _ and -)");
	refuse("series/1/unit", json_string("us"), "run record: series 1: unit 'us', not ns");
	refuse("series/1/histogram", NULL,
	       "run record: series 1: field 'histogram' is not an object");
	refuse("series/1/histogram/count", json_integer(2999),
	       "run record: series 1: histogram: bucket 249: counts do not add up");
	refuse("series/1/raw", json_object(), "run record: series 1: field 'raw' is not an array");
	refuse("series/1/raw", made("[1]"), "run record: series 1: field 'raw': 0 is not an array");
	refuse("series/1/raw", made("[[1],[2,-3]]"),
	       "run record: series 1: field 'raw': 1, 1 is not a count");
	refuse("series/1/raw", made("[['1']]"),
	       "run record: series 1: field 'raw': 0, 0 is not a count");
	json_array_append(json_object_get(double_series, "series"),
			  json_array_get(json_object_get(double_series, "series"), 1));
	assert_false(run_from_record(double_series, &r, &err));
	assert_string_equal(err.text, "run record: series 3: another writer.unmap");
	json_decref(double_series);

	refuse("workload", json_string("a b"),
	       "run record: field 'workload' is not a name (letters, digits, _ and -)");
	refuse("params", json_array(), "run record: field 'params' is not an object");
	refuse("params/file", json_integer(1),
	       "run record: field 'params': 'file' is not a string");
	refuse("window_ns", json_integer(-1), "run record: field 'window_ns' is negative");
	refuse("started_ns", json_real(1), "run record: field 'started_ns' is not an integer");
	refuse("elapsed_ns", json_integer(-1), "run record: field 'elapsed_ns' is negative");
	refuse("notes", json_string("x"), "run record: field 'notes' is not an array");
	refuse("notes/0", json_integer(1), "run record: note 0 is not a string");
	refuse("host", json_string("x"), "run record: field 'host' is not an object");
	refuse("host", json_pack("{s:i}", "memory_bytes", -1),
	       "run record: host: 'memory_bytes' cannot be so");
	refuse("host", json_pack("{s:f}", "steal_ratio", 1e308),
	       "run record: host: 'steal_ratio' cannot be so");
	refuse("idle", json_string("x"), "run record: idle: field 'idle' is not an object");
	refuse("idle", made("{'span_ns':1,'used':{'cpus':1,'idle_ns':0}}"),
	       "run record: idle: field 'machine' is not an object");
	refuse("idle", made("{'span_ns':1,'used':{'cpus':1,'idle_ns':-1}}"),
	       "run record: idle: field 'idle_ns' is negative");
	json_t *many = json_object();

	for (int i = 0; i < 1025; i++) {
		char *key __free(memory) = text_format("f%d", i);

		json_object_set_new(many, key, json_integer(-i));
	}
	refuse("host", many, "run record: host has 1025 facts, more than 1024");
	assert_null(r);
}

static void test_caps(void **state)
{
	json_t *record __free(json) = record_new();
	json_t *task = made("{'role':'w','task':0,'window_ns':1,'counters':{}}");
	struct run *r __free(run) = NULL;

	(void)state;
	json_incref(task);
	refuse("tasks", repeated(task, 4097), "run record: more than 4096 tasks");
	edit(record, "tasks", repeated(task, 4096));
	refuse("series", repeated(json_object(), 65), "run record: more than 64 series");
	refuse("series/0/raw", repeated(json_array(), 4097),
	       "run record: series 0: field 'raw' has more than 4096 tasks");
	edit(record, "series/0/raw", made("[[1,2,3],[],[0]]"));
	r = run_of(record);
}

/*
 * Damaged bytes, as a guest may send them: whatever they are taken for, nothing goes wrong with it.
 * The sanitizers watch.
 */
static void test_damage(void **state)
{
	json_t *record __free(json) = record_new();
	char *line __free(memory) = json_line(record);
	char *bytes __free(memory) = memory_string(line);
	static const char alphabet[] = "0123456789-+.eE\"{}[],:nulltrefas \\";
	size_t length = strlen(line);
	int parsed = 0, taken = 0;
	struct random random;

	(void)state;
	random_seed(&random, 4021, 0);
	for (int i = 0; i < 20000; i++) {
		json_t *damaged __free(json) = NULL;
		struct run *r __free(run) = NULL;
		struct error err;

		memcpy(bytes, line, length);
		for (uint64_t n = 1 + random_below(&random, 3); n; n--)
			bytes[random_below(&random, length)] =
				alphabet[random_below(&random, sizeof(alphabet) - 1)];
		if (!json_parse(bytes, length, &damaged, &err))
			continue;
		parsed++;
		if (!run_from_record(damaged, &r, &err))
			continue;
		taken++;
		for (int summary = SUMMARY_P50; summary <= SUMMARY_FAIRNESS; summary++) {
			struct metric m = metric_of((enum summary)summary, "writer.latency",
						    "writer.operations");
			double value = 0;

			if (run_figure(r, &m, &value, &err))
				assert_true(isfinite(value));
			m.of = "writer.operations";
			if (run_figure(r, &m, &value, &err))
				assert_true(isfinite(value));
			assert_true(run_figure_count(r, &m) >= 0);
		}
		assert_true(run_window_ns(r, "writer") >= 0);
	}
	assert_true(parsed > 1000);
	assert_true(taken > 100);
}

/* Single latencies are handed out where they are all there. */
static void test_raw_values(void **state)
{
	json_t *record __free(json) = record_new();
	json_t *series = json_array_get(json_object_get(record, "series"), 0);
	json_t *raw = made("[[],[]]");
	struct run *r __free(run) = run_of(record);
	size_t count = 0;

	(void)state;
	assert_null(run_raw_values(r, "writer.latency", &count));
	json_object_set_new(series, "raw", raw);
	for (int64_t i = 120; i > 1; i--)
		json_array_append_new(json_array_get(raw, i % 2 == 0), json_integer(i));
	assert_null(run_raw_values(r, "writer.latency", &count));
	json_array_append_new(json_array_get(raw, 0), json_integer(1));

	double *values __free(memory) = run_raw_values(r, "writer.latency", &count);

	assert_non_null(values);
	assert_int_equal(count, 120);
	/* A task after the other, in their order. */
	assert_true(values[0] == 119 && values[59] == 1 && values[60] == 120 && values[119] == 2);
	assert_null(run_raw_values(r, "writer.unmap", &count));
	assert_null(run_raw_values(r, "writer.nothing", &count));
	run_drop_raw(r);
	assert_null(run_raw_values(r, "writer.latency", &count));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_record),
		cmocka_unit_test(test_without_record),
		cmocka_unit_test(test_not_ok),
		cmocka_unit_test(test_series_figures),
		cmocka_unit_test(test_series_refusals),
		cmocka_unit_test(test_least_samples),
		cmocka_unit_test(test_counter_figures),
		cmocka_unit_test(test_counter_refusals),
		cmocka_unit_test(test_multitask),
		cmocka_unit_test(test_idle_fairness),
		cmocka_unit_test(test_host_found),
		cmocka_unit_test(test_large_counters),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_record_refuses),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_raw_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
