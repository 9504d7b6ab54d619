// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/run_record.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/counters.h"
#include "model/fingerprint.h"
#include "model/histogram.h"
#include "model/run.h"
#include "model/slices.h"

static bool check_optional_count(const json_t *object, const char *key, struct error *err)
{
	int64_t ignored;

	return !json_object_get(object, key) || json_get_count(object, key, &ignored, err);
}

static bool check_counters(const json_t *task, struct error *err)
{
	json_t *counters, *value;
	const char *name;

	if (!json_get_object(task, "counters", &counters, err))
		return false;
	json_object_foreach(counters, name, value) {
		int64_t ignored;

		if (!json_get_count(counters, name, &ignored, err))
			return error_wrap(err, "counters");
	}
	return true;
}

static bool check_task(const json_t *task, bool ok, struct error *err)
{
	int64_t number, window_ns;
	const char *role;

	if (!json_get_name(task, "role", &role, err) ||
	    !json_get_count(task, "task", &number, err) ||
	    !json_get_count(task, "window_ns", &window_ns, err) || !check_counters(task, err))
		return false;
	/* A run that was cut short may have tasks that never came to their window. */
	if (ok && !window_ns)
		return error_set(err, ERROR_DATA, "field 'window_ns' is zero");
	for (size_t i = 0; counters_of_tasks[i]; i++) {
		if (!check_optional_count(task, counters_of_tasks[i], err))
			return false;
	}
	/* -1: not bound to one CPU. */
	if (json_object_get(task, "cpu")) {
		if (!json_get_integer(task, "cpu", &number, err))
			return false;
		if (number < -1)
			return error_set(err, ERROR_DATA, "field 'cpu' is negative");
	}
	return true;
}

static bool check_tasks(const json_t *record, bool ok, struct error *err)
{
	json_t *tasks, *task;
	size_t i;

	if (!ok && !json_object_get(record, "tasks"))
		return true;
	if (!json_get_array(record, "tasks", &tasks, err))
		return false;
	if (json_array_size(tasks) > RUN_TASKS_MAX)
		return error_set(err, ERROR_DATA, "more than %d tasks", RUN_TASKS_MAX);
	json_array_foreach(tasks, i, task) {
		if (!check_task(task, ok, err))
			return error_wrap(err, "task %zu", i);
	}
	return true;
}

/* The single latencies, an array a task. */
static bool check_raw(const json_t *series, struct error *err)
{
	json_t *raw, *one, *value;
	size_t i, j;

	if (!json_object_get(series, "raw"))
		return true;
	if (!json_get_array(series, "raw", &raw, err))
		return false;
	if (json_array_size(raw) > RUN_TASKS_MAX)
		return error_set(err, ERROR_DATA, "field 'raw' has more than %d tasks",
				 RUN_TASKS_MAX);
	json_array_foreach(raw, i, one) {
		if (!json_is_array(one))
			return error_set(err, ERROR_DATA, "field 'raw': %zu is not an array", i);
		json_array_foreach(one, j, value) {
			if (!json_is_integer(value) || json_integer_value(value) < 0)
				return error_set(err, ERROR_DATA,
						 "field 'raw': %zu, %zu is not a count", i, j);
		}
	}
	return true;
}

bool run_record_place_parse(const char *text, struct run_record_place *ret, struct error *err)
{
	const char *dot = strchr(text, '.');

	if (!dot)
		return error_set(err, ERROR_DATA, "'%s' is not role.name", text);
	*ret = (struct run_record_place){
		.role = text, .role_length = (size_t)(dot - text), .name = dot + 1};
	return true;
}

bool run_record_is_machine(const struct run_record_place *at)
{
	return at->role_length == strlen("machine") && text_starts(at->role, "machine.");
}

bool run_record_has_role(const json_t *object, const char *role, size_t length)
{
	const char *own = json_string_value(json_object_get(object, "role"));

	return own && strlen(own) == length && !memcmp(own, role, length);
}

const json_t *run_record_find_series(const json_t *list, size_t count,
				     const struct run_record_place *at)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *series = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(series, "name"));

		if (name && text_equal(name, at->name) &&
		    run_record_has_role(series, at->role, at->role_length))
			return series;
	}
	return NULL;
}

static bool check_one_series(const json_t *list, size_t index, struct histogram *scratch,
			     struct error *err)
{
	const json_t *series = json_array_get(list, index);
	const char *role, *name, *unit;
	struct run_record_place at;
	json_t *buckets;

	if (!json_get_name(series, "role", &role, err) ||
	    !json_get_name(series, "name", &name, err) ||
	    !json_get_string(series, "unit", &unit, err) ||
	    !json_get_object(series, "histogram", &buckets, err) ||
	    !histogram_from_json(buckets, scratch, err) || !check_raw(series, err))
		return false;
	if (!text_equal(unit, "ns"))
		return error_set(err, ERROR_DATA, "unit '%s', not ns", unit);
	at = (struct run_record_place){.role = role, .role_length = strlen(role), .name = name};
	if (run_record_find_series(list, index, &at))
		return error_set(err, ERROR_DATA, "another %s.%s", role, name);
	return true;
}

static bool check_series(const json_t *record, bool ok, struct error *err)
{
	struct histogram *scratch __free(memory) = NULL;
	json_t *list;

	if (!ok && !json_object_get(record, "series"))
		return true;
	if (!json_get_array(record, "series", &list, err))
		return false;
	if (json_array_size(list) > RUN_SERIES_MAX)
		return error_set(err, ERROR_DATA, "more than %d series", RUN_SERIES_MAX);
	scratch = memory_alloc(sizeof(*scratch));
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (!check_one_series(list, i, scratch, err))
			return error_wrap(err, "series %zu", i);
	}
	return true;
}

static bool check_notes(const json_t *record, struct error *err)
{
	json_t *notes, *note;
	size_t i;

	if (!json_object_get(record, "notes"))
		return true;
	if (!json_get_array(record, "notes", &notes, err))
		return false;
	json_array_foreach(notes, i, note) {
		if (!json_is_string(note))
			return error_set(err, ERROR_DATA, "note %zu is not a string", i);
	}
	return true;
}

/* Reports go through all facts, and name those that differ: no machine has as many. */
enum { HOST_FACTS_MAX = 1024 };

/* name: "host" or "host_before"; a record may have neither. */
static bool check_host(const json_t *record, const char *name, struct error *err)
{
	const char *key;
	json_t *host, *value;

	if (!json_object_get(record, name))
		return true;
	if (!json_get_object(record, name, &host, err))
		return false;
	if (json_object_size(host) > HOST_FACTS_MAX)
		return error_set(err, ERROR_DATA, "%s has %zu facts, more than %d", name,
				 json_object_size(host), HOST_FACTS_MAX);
	json_object_foreach(host, key, value) {
		if (!fingerprint_is_possible(key, value))
			return error_set(err, ERROR_DATA, "%s: '%.100s' cannot be so", name, key);
	}
	return true;
}

static bool check_share(const json_t *idle, const char *key, struct error *err)
{
	int64_t cpus, idle_ns;
	json_t *share;

	return json_get_object(idle, key, &share, err) &&
	       json_get_count(share, "cpus", &cpus, err) &&
	       json_get_count(share, "idle_ns", &idle_ns, err);
}

static bool check_idle(const json_t *record, struct error *err)
{
	int64_t span_ns;
	json_t *idle;

	if (!json_object_get(record, "idle"))
		return true;
	if (!json_get_object(record, "idle", &idle, err) ||
	    !json_get_count(idle, "span_ns", &span_ns, err) || !check_share(idle, "used", err) ||
	    !check_share(idle, "machine", err))
		return error_wrap(err, "idle");
	return true;
}

/* What the machine counted: as a task without a number. */
static bool check_machine(const json_t *record, bool ok, struct error *err)
{
	int64_t window_ns;
	json_t *machine;

	if (!json_object_get(record, "machine"))
		return true;
	if (!json_get_object(record, "machine", &machine, err) ||
	    !json_get_count(machine, "window_ns", &window_ns, err) || !check_counters(machine, err))
		return error_wrap(err, "machine");
	return !ok || window_ns || error_set(err, ERROR_DATA, "machine: field 'window_ns' is zero");
}

/* What says more about the run, and no figure is made of. */
static bool check_rest(const json_t *record, struct error *err)
{
	const char *name;
	json_t *ignored;

	if (json_object_get(record, "workload") && !json_get_name(record, "workload", &name, err))
		return false;
	if (json_object_get(record, "params") && !json_get_strings(record, "params", &ignored, err))
		return false;
	if (!check_host(record, "host", err) || !check_host(record, "host_before", err))
		return false;
	return check_optional_count(record, "window_ns", err) &&
	       check_optional_count(record, "started_ns", err) &&
	       check_optional_count(record, "elapsed_ns", err) && slices_check(record, err) &&
	       check_notes(record, err) && check_idle(record, err);
}

bool run_record_check(const json_t *record, bool ok, struct error *err)
{
	return check_tasks(record, ok, err) && check_series(record, ok, err) &&
	       check_machine(record, ok, err) && check_rest(record, err);
}
