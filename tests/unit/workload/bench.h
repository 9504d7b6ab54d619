/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_WORKLOAD_BENCH_H
#define CONTEND_TESTS_WORKLOAD_BENCH_H

/* What tests that run workloads have in common. Included behind cmocka's own headers. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "model/description.h"
#include "model/run.h"
#include "workload/crew/crew.h"

static inline size_t open_descriptors(void)
{
	DIR *dir __free(dir) = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	return n;
}

/* Mappings of this process; allocates nothing. */
static inline int count_mappings(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), lines = 0;
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			lines += bytes[i] == '\n';
	}
	close(fd);
	return lines;
}

/* "a=1 b=2" to an object of strings. */
static inline json_t *values_of(const char *words)
{
	char *copy __free(memory) = text_format("%s", words);
	json_t *values = json_object();
	char *state = NULL;

	for (char *word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		*equals = '\0';
		json_object_set_new(values, word, json_string(equals + 1));
	}
	return values;
}

/*
 * Runs a workload and demands what holds for every run, whatever became of it: a record that the
 * other side takes, no child, no descriptor left.
 */
static inline struct run *run_watched(const struct workload *w, const char *words,
				      const struct crew_watch *watch)
{
	json_t *values __free(json) = values_of(words);
	size_t descriptors = open_descriptors();
	json_t *record __free(json) = NULL;
	struct run *run = NULL;
	struct error err;

	if (!crew_check(w, values, &err))
		fail_msg("%s", err.text);
	record = crew_run(w, values, NULL, watch);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(open_descriptors(), descriptors);
	if (!run_from_record(record, &run, &err)) {
		fail_msg("%s", err.text);
		abort(); /* the compiler does not know that this is never reached */
	}
	return run;
}

static inline struct run *run_workload(const struct workload *w, const char *words)
{
	return run_watched(w, words, NULL);
}

/* The outcome, and words that its reason must hold. */
static inline void assert_run(const struct run *run, enum outcome outcome, const char *words)
{
	if (run->outcome != outcome || !strstr(run->reason, words))
		fail_msg("%s: %s", outcome_words[run->outcome], run->reason);
}

/*
 * The same for a run that should be ok. On a machine that stands still meanwhile a window may be
 * too long, which the crew is right to call invalid; everything was counted all the same.
 */
static inline bool is_ok(const struct run *run)
{
	if (run->outcome == OUTCOME_INVALID && strstr(run->reason, " was measured for "))
		return false;
	assert_run(run, OUTCOME_OK, "");
	return true;
}

static inline struct run *run_done(const struct workload *w, const char *words)
{
	struct run *run = run_workload(w, words);

	is_ok(run);
	return run;
}

/* Only an ok run has figures: runs until there is one, a few times. */
static inline struct run *run_ok(const struct workload *w, const char *words)
{
	for (int i = 0; i < 20; i++) {
		struct run *run = run_workload(w, words);

		if (is_ok(run))
			return run;
		run_free(run);
	}
	fail_msg("no run with a window as asked");
	abort();
}

/* Task `index` of the record. */
static inline json_t *task_of(const struct run *run, size_t index)
{
	json_t *task = json_array_get(json_object_get(run->record, "tasks"), index);

	assert_non_null(task);
	return task;
}

static inline size_t tasks_in(const struct run *run)
{
	return json_array_size(json_object_get(run->record, "tasks"));
}

static inline int64_t counter_of(const json_t *task, const char *name)
{
	json_t *value = json_object_get(json_object_get(task, "counters"), name);

	if (!value)
		fail_msg("no counter %s", name);
	return json_integer_value(value);
}

/* The first series of a name. */
static inline json_t *series_of(const struct run *run, const char *name)
{
	json_t *series;
	size_t i;

	json_array_foreach(json_object_get(run->record, "series"), i, series) {
		if (text_equal(json_string_value(json_object_get(series, "name")), name))
			return series;
	}
	fail_msg("no series %s", name);
	abort();
}

static inline json_t *histogram_of(const struct run *run, const char *name)
{
	return json_object_get(series_of(run, name), "histogram");
}

static inline int64_t field_of(const json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	if (!json_is_integer(value))
		fail_msg("no field %s", name);
	return json_integer_value(value);
}

/* Whether a note has these words. */
static inline bool has_note(const struct run *run, const char *words)
{
	json_t *note;
	size_t i;

	json_array_foreach(json_object_get(run->record, "notes"), i, note) {
		if (strstr(json_string_value(note), words))
			return true;
	}
	return false;
}

/* Runs a workload of this build. NULL where this machine cannot, which it must say. */
static inline struct run *run_named(const char *name, const char *words)
{
	const struct workload *w = workload_find(name);
	json_t *values __free(json) = values_of(words);
	struct error err;

	assert_non_null(w);
	if (crew_supported(w, values, &err))
		return run_ok(w, words);
	struct run *run __free(run) = run_workload(w, words);

	assert_run(run, OUTCOME_UNSUPPORTED, err.text);
	return NULL;
}

static inline bool has_figure(const struct run *run, const char *workload, const char *metric,
			      double *ret_value)
{
	json_t *object __free(json) = crew_describe(workload_find(workload));
	struct description *d __free(description) = NULL;
	struct error err;

	assert_true(description_from_json(object, &d, &err));
	return run_figure(run, description_metric(d, metric), ret_value, &err);
}

static inline double figure(const struct run *run, const char *workload, const char *metric)
{
	double value = 0;

	if (!has_figure(run, workload, metric, &value))
		fail_msg("no figure of %s", metric);
	return value;
}

#endif
