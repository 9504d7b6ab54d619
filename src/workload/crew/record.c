// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/record.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/crew/params.h"
#include "workload/crew/slices.h"

/*
 * How much longer than asked a task may have been measured for. It always is a little longer: until
 * the last task has begun its own window, and until its last operation has ended. Rates are taken
 * over each task's own window, so they bear that; maxima are compared by the controller only where
 * the windows agree within 1 %. Beyond this something else was going on (a machine that stood
 * still, operations as long as the window), and what the tasks did together is not what was asked.
 */
static const double LONGER_RATIO = 0.10;
enum { LONGER_NS = 20000000 };

static bool is_done(const struct slot *slot)
{
	return atomic_load(&slot->state) == TASK_DONE;
}

/* "ENOENT (No such file or directory)"; of a negative number the signal, "a child killed by SIGSEGV" */
static char *errno_text(int number)
{
	const char *name = number < 0 ? sigabbrev_np(-number) : strerrorname_np(number);
	char words[128];

	if (number < 0)
		return text_format("a child killed by %s%s", name ? "SIG" : "an unknown signal",
				   name ? name : "");
	return text_format("%s (%s)", name ? name : "no errno",
			   strerror_r(number, words, sizeof(words)));
}

static bool check_failures(const struct role *role, unsigned int task, const struct slot *slot,
			   struct error *err)
{
	uint64_t good = slices_successes(role, &slot->tally), bad = slot->tally.failures;

	if (bad <= good)
		return true;
	char *reason __free(memory) = errno_text(slot->tally.first_errno);

	return error_set(err, ERROR_SYSTEM,
			 "%s %u: %llu of %llu operations failed, the first one with %s", role->name,
			 task, (unsigned long long)bad, (unsigned long long)(good + bad), reason);
}

/* Tasks that take turns begin and end their windows late by each other's turns. */
static bool check_window(const struct cast *cast, const struct placement *placement, size_t r,
			 unsigned int task, const struct slot *slot, struct error *err)
{
	const struct role *role = &cast->workload->roles[r];
	unsigned int tasks = placement->roles[r].tasks, cpus = placement->roles[r].distinct;
	int64_t asked = cast_integer(cast, "window");
	int64_t measured = slot->end.clock_ns - slot->begin.clock_ns;
	uint64_t operations = slices_successes(role, &slot->tally);
	double mean = (double)measured / (double)operations;
	bool last = (double)(measured - asked) <= 2 * mean;
	char is[UNITS_TEXT], should[UNITS_TEXT], takes[UNITS_TEXT];

	if (measured >= asked && (double)measured <= (double)asked * (1 + LONGER_RATIO) + LONGER_NS)
		return true;
	units_format(mean, "ns", takes);
	/* Where the last operation explains it the machine is not to blame. */
	error_set(err, ERROR_DATA, "%s %u was measured for %s instead of %s%s%s%s", role->name,
		  task, units_format((double)measured, "ns", is),
		  units_format((double)asked, "ns", should), last ? ": its operations take " : "",
		  last ? takes : "", last ? " each, a window must be a multiple of that" : "");
	if (tasks > cpus)
		error_wrap(err,
			   "%u tasks take turns on %u CPU%s, for which a longer window= has more "
			   "room",
			   tasks, cpus, cpus == 1 ? "" : "s");
	return false;
}

static bool check_task(const struct cast *cast, const struct placement *placement, size_t r,
		       unsigned int task, const struct slot *slot, struct error *err)
{
	const struct role *role = &cast->workload->roles[r];
	int cpu = placement->roles[r].cpus[task];

	if (slot->stray != STRAY_NONE)
		return error_set(
			err, ERROR_DATA,
			"%s %u was pinned to CPU %d, but at the %s of its window it was on "
			"CPU %d and could run on %d CPUs",
			role->name, task, cpu, slot->stray == STRAY_BEGIN ? "begin" : "end",
			slot->stray_cpu, slot->stray_allowed);
	if (!slices_successes(role, &slot->tally))
		return error_set(
			err, ERROR_DATA, "%s %u completed no operation in its window of %lld ms",
			role->name, task,
			(long long)((slot->end.clock_ns - slot->begin.clock_ns) / NS_PER_MS));
	return check_window(cast, placement, r, task, slot, err);
}

enum outcome record_check(const struct cast *cast, const struct placement *placement,
			  const struct stage_map *map, struct error *err)
{
	for (size_t r = 0; cast->workload->roles[r].name; r++) {
		const struct role *role = &cast->workload->roles[r];

		for (unsigned int k = 0; k < placement->roles[r].tasks; k++) {
			const struct slot *slot = stage_slot(map, r, k);

			/* Failures first: they explain an empty window better than its being so. */
			if (!check_failures(role, k, slot, err))
				return OUTCOME_FAILED;
			if (!check_task(cast, placement, r, k, slot, err))
				return OUTCOME_INVALID;
		}
	}
	return OUTCOME_OK;
}

__attribute__((format(printf, 2, 3))) static void note(json_t *notes, const char *format, ...)
{
	struct text t __text = {0};
	va_list args;

	va_start(args, format);
	text_vprintf(&t, format, args);
	va_end(args);
	json_array_append_new(notes, json_text(text_string(&t)));
}

/*
 * Above this share of its window a task was kept from its CPU by others so long that its rate and
 * its latencies tell of them as well.
 */
static const double STARVED_RATIO = 0.05;

static void note_starved(json_t *notes, const struct role *role, unsigned int task,
			 const struct slot *slot)
{
	int64_t window_ns = slot->end.clock_ns - slot->begin.clock_ns;
	int64_t delay_ns = slot->end.run_delay_ns - slot->begin.run_delay_ns;

	if (slot->begin.run_delay_ns < 0 || slot->end.run_delay_ns < 0 ||
	    (double)delay_ns < STARVED_RATIO * (double)window_ns)
		return;
	/* A delay counts when it ends, also the part of it that was before the window. */
	note(notes, "%s %u: could not run for %.0f %% of its window, its CPU was taken by others",
	     role->name, task, 100 * fmin(1, (double)delay_ns / (double)window_ns));
}

/* Short windows may be longer than asked by more than their ratio; it is said. */
static void note_longer(json_t *notes, const struct cast *cast, const struct role *role,
			unsigned int task, const struct slot *slot)
{
	int64_t asked_ns = cast_integer(cast, "window");
	int64_t measured_ns = slot->end.clock_ns - slot->begin.clock_ns;
	char is[UNITS_TEXT], should[UNITS_TEXT];

	if ((double)measured_ns <= (double)asked_ns * (1 + LONGER_RATIO))
		return;
	note(notes, "%s %u: measured for %s instead of %s", role->name, task,
	     units_format((double)measured_ns, "ns", is),
	     units_format((double)asked_ns, "ns", should));
}

/* Adds up what the tasks of a role that have ended came to. */
static struct role_sum sum_role(const struct cast *cast, const struct placement *placement,
				const struct stage_map *map, size_t r)
{
	const struct role *role = &cast->workload->roles[r];
	struct role_sum sum = {0};
	double total_ns[OPERATION_MAX] = {0};
	double recorded[OPERATION_MAX] = {0};

	for (unsigned int k = 0; k < placement->roles[r].tasks; k++) {
		const struct slot *slot = stage_slot(map, r, k);

		if (!is_done(slot))
			continue;
		sum.tasks++;
		sum.window_ns += slot->end.clock_ns - slot->begin.clock_ns;
		sum.cpu_ns += slot->end.cpu_ns - slot->begin.cpu_ns;
		sum.tally.failures += slot->tally.failures;
		for (unsigned int i = 0; i < OPERATION_MAX; i++) {
			sum.tally.operations[i] += slot->tally.operations[i];
			sum.tally.counters[i] += slot->tally.counters[i];
		}
		for (unsigned int i = 0; role->operations[i].name; i++) {
			int series = stage_series(map, r, role->operations[i].series);
			const struct histogram *h =
				series < 0 ? NULL
					   : stage_histogram(map, r, k, (unsigned int)series);

			total_ns[i] += h ? (double)h->sum : 0;
			recorded[i] += h ? (double)h->count : 0;
		}
	}
	for (unsigned int i = 0; i < OPERATION_MAX; i++)
		sum.mean_ns[i] = recorded[i] > 0 ? total_ns[i] / recorded[i] : 0;
	sum.window_ns /= sum.tasks ? sum.tasks : 1;
	return sum;
}

/* What the workload itself has to say. */
static void note_own(json_t *notes, const struct cast *cast, const struct placement *placement,
		     const struct stage_map *map, size_t r)
{
	const struct role *role = &cast->workload->roles[r];
	struct text words __text = {0};
	struct role_sum sum;

	if (!role->note || !map->stage)
		return;
	sum = sum_role(cast, placement, map, r);
	if (sum.tasks)
		role->note(&sum, &words);
	if (words.length)
		note(notes, "%s: %s", role->name, words.bytes);
}

static bool share_cpu(const struct placement *placement, size_t a, size_t b)
{
	for (unsigned int i = 0; i < placement->roles[a].tasks; i++) {
		for (unsigned int k = 0; k < placement->roles[b].tasks; k++) {
			if (placement->roles[a].cpus[i] == placement->roles[b].cpus[k])
				return true;
		}
	}
	return false;
}

/* Roles that meet on a CPU because there are too few, not because they are meant to. */
static void note_shared(json_t *notes, const struct cast *cast, const struct placement *placement,
			size_t r)
{
	const struct role *roles = cast->workload->roles;

	for (size_t other = 0; other < r; other++) {
		if (share_cpu(placement, r, other) && (roles[r].apart || !roles[r].beside))
			note(notes, "%s and %s share a CPU, there are too few: they take turns",
			     roles[other].name, roles[r].name);
	}
}

static void note_role(json_t *notes, const struct cast *cast, const struct placement *placement,
		      const struct stage_map *map, size_t r)
{
	const struct role *role = &cast->workload->roles[r];
	uint64_t all = 0, bad = 0, unstarted = 0;
	int first_errno = 0;

	if (placement->roles[r].tasks > placement->roles[r].distinct)
		note(notes, "%s: %u tasks on %u CPU%s", role->name, placement->roles[r].tasks,
		     placement->roles[r].distinct, placement->roles[r].distinct == 1 ? "" : "s");
	note_shared(notes, cast, placement, r);
	if (placement->roles[r].tasks && cast_rate(cast, role) > 0 &&
	    cast_number(cast, "delay") > 0)
		note(notes, "%s: delay= does not apply, it is paced", role->name);
	for (unsigned int k = 0; map->stage && k < placement->roles[r].tasks; k++) {
		const struct slot *slot = stage_slot(map, r, k);

		if (!is_done(slot))
			continue;
		note_starved(notes, role, k, slot);
		note_longer(notes, cast, role, k, slot);
		all += slices_successes(role, &slot->tally) + slot->tally.failures;
		bad += slot->tally.failures;
		unstarted += slot->unstarted;
		if (!first_errno)
			first_errno = slot->tally.first_errno;
	}
	if (bad) {
		char *reason __free(memory) = errno_text(first_errno);

		note(notes, "%s: %llu of %llu operations failed, the first one with %s", role->name,
		     (unsigned long long)bad, (unsigned long long)all, reason);
	}
	note_own(notes, cast, placement, map, r);
	all += unstarted;
	/* One that was due at the very end says nothing. */
	if (unstarted > 1 && unstarted * 100 > all)
		note(notes,
		     "%s: %llu of %llu operations due in the window had not begun at its end: it "
		     "had fallen behind its rate, and then latencies grow with the window",
		     role->name, (unsigned long long)unstarted, (unsigned long long)all);
}

json_t *record_notes(const struct cast *cast, const struct placement *placement,
		     const struct stage_map *map)
{
	json_t *notes = json_array();

	for (size_t r = 0; cast->workload->roles[r].name; r++)
		note_role(notes, cast, placement, map, r);
	return notes;
}

static void set_count(json_t *object, const char *key, int64_t value)
{
	json_object_set_new(object, key, json_integer(value));
}

static json_t *counters(const struct cast *cast, const struct role *role, const struct slot *slot)
{
	json_t *object = json_object();

	set_count(object, "operations", (int64_t)slices_successes(role, &slot->tally));
	set_count(object, "failures", (int64_t)slot->tally.failures);
	for (unsigned int i = 0; role->operations[i].name; i++)
		set_count(object, role->operations[i].name, (int64_t)slot->tally.operations[i]);
	for (unsigned int i = 0; role->counters[i].name; i++) {
		const struct counter *c = &role->counters[i];

		if (!c->state && (!c->timed || cast_switch(cast, "record")))
			set_count(object, c->name, (int64_t)slot->tally.counters[i]);
	}
	return object;
}

static json_t *task(const struct cast *cast, const struct placement *placement,
		    const struct stage_map *map, size_t r, unsigned int k)
{
	const struct role *role = &cast->workload->roles[r];
	const struct slot *slot = stage_slot(map, r, k);
	const struct stamp *a = &slot->begin, *b = &slot->end;
	bool paced = cast_rate(cast, role) > 0;
	json_t *object = json_object();

	json_object_set_new(object, "role", json_text(role->name));
	set_count(object, "task", k);
	set_count(object, "cpu", placement->roles[r].cpus[k]);
	set_count(object, "pid", slot->pid);
	set_count(object, "window_ns", b->clock_ns - a->clock_ns);
	/* Of a paced task without what it spun between operations. */
	set_count(object, "cpu_ns", paced ? slot->operations_cpu_ns : b->cpu_ns - a->cpu_ns);
	if (!paced && a->system_ns >= 0 && b->system_ns >= a->system_ns)
		set_count(object, "system_ns", b->system_ns - a->system_ns);
	set_count(object, "voluntary_switches", b->voluntary_switches - a->voluntary_switches);
	set_count(object, "involuntary_switches",
		  b->involuntary_switches - a->involuntary_switches);
	set_count(object, "minor_faults", b->minor_faults - a->minor_faults);
	set_count(object, "major_faults", b->major_faults - a->major_faults);
	if (a->run_delay_ns >= 0 && b->run_delay_ns >= a->run_delay_ns)
		set_count(object, "run_delay_ns", b->run_delay_ns - a->run_delay_ns);
	for (unsigned int i = 0; role->counters[i].name; i++) {
		if (role->counters[i].state)
			set_count(object, role->counters[i].name, (int64_t)slot->tally.counters[i]);
	}
	json_object_set_new(object, "counters", counters(cast, role, slot));
	return object;
}

json_t *record_tasks(const struct cast *cast, const struct placement *placement,
		     const struct stage_map *map)
{
	json_t *tasks = json_array();

	for (size_t r = 0; map->stage && cast->workload->roles[r].name; r++) {
		for (unsigned int k = 0; k < placement->roles[r].tasks; k++) {
			if (is_done(stage_slot(map, r, k)))
				json_array_append_new(tasks, task(cast, placement, map, r, k));
		}
	}
	return tasks;
}

static json_t *raw_values(const struct raw *raw)
{
	json_t *values = json_array();

	for (uint64_t i = 0; i < raw->count; i++)
		json_array_append_new(values, json_integer(raw->values[i]));
	return values;
}

static json_t *series(const struct cast *cast, const struct placement *placement,
		      const struct stage_map *map, size_t r, unsigned int s)
{
	struct histogram *sum __free(memory) = memory_alloc(sizeof(*sum));
	json_t *object = json_object();
	json_t *raws = json_array();

	for (unsigned int k = 0; k < placement->roles[r].tasks; k++) {
		const struct raw *raw = stage_raw(map, r, k, s);

		if (!is_done(stage_slot(map, r, k)))
			continue;
		histogram_merge(sum, stage_histogram(map, r, k, s));
		if (raw)
			json_array_append_new(raws, raw_values(raw));
	}
	json_object_set_new(object, "role", json_text(cast->workload->roles[r].name));
	json_object_set_new(object, "name", json_text(map->roles[r].series[s]));
	json_object_set_new(object, "unit", json_text("ns"));
	json_object_set_new(object, "histogram", histogram_to_json(sum));
	if (map->raw_room)
		json_object_set(object, "raw", raws);
	json_decref(raws);
	return object;
}

json_t *record_series(const struct cast *cast, const struct placement *placement,
		      const struct stage_map *map)
{
	json_t *all = json_array();

	for (size_t r = 0; map->stage && cast->workload->roles[r].name; r++) {
		for (unsigned int s = 0;
		     placement->roles[r].tasks && s < map->roles[r].series_count; s++)
			json_array_append_new(all, series(cast, placement, map, r, s));
	}
	return all;
}
