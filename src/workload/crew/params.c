// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/params.h"

#include <assert.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/units.h"
#include "kernel/cgroup.h"
#include "kernel/meminfo.h"
#include "workload/crew/crew.h"

enum { MODE_THREAD, MODE_PROCESS };

const struct param crew_params[] = {
	{"tasks", PARAM_COUNT, "1", .low = 1, .high = RUN_TASKS_MAX,
	 .help = "how many tasks do the same at once, each pinned to a CPU"},
	{"mode", PARAM_CHOICE, "process", .choices = "thread|process",
	 .help = "the tasks are threads of one process, which share one mm, or processes"},
	{"window", PARAM_DURATION, "1s", .low = (double)NS_PER_MS,
	 .high = 3600 * (double)NS_PER_SEC, .help = "how long is measured, after the warm-up"},
	{"warmup", PARAM_DURATION, "100ms", .high = 3600 * (double)NS_PER_SEC,
	 .help = "how long the tasks run before anything counts"},
	{"record", PARAM_SWITCH, "yes",
	 .help = "take the latency of each operation; no: only count (no latency metrics)"},
	{"raw", PARAM_COUNT, "0", .high = 1000000,
	 .help = "keep the first N latencies of each task and series besides the histogram",
	 .needs = "record=yes"},
	/* Beyond 2^53 a reader of JSON may round it. */
	{"seed", PARAM_COUNT, "1", .high = 0x1p53,
	 .help = "of all that is random in the tasks: order of operations, moments of starts"},
	{"delay", PARAM_PERCENT, "0%", .high = 10,
	 .help = "for calibration: lengthens each stretch of operations (50 us to 200 us) by this "
		 "share of the time that it took, by spinning between two operations; rates and "
		 "CPU time show it, latencies do not, and paced roles are exempt"},
	{.name = NULL},
};

/* Whether a common parameter would change anything. */
static bool is_used(const struct workload *w, const struct param *p)
{
	bool tasks = text_equal(p->name, "tasks");

	if (w->errand)
		return false;
	if (!tasks && !text_equal(p->name, "mode"))
		return true;
	for (const struct role *r = w->roles; r->name; r++) {
		if (tasks ? !r->tasks && !r->alone : r->mode == ROLE_AS_ASKED)
			return true;
	}
	return false;
}

static size_t count(const struct param *list)
{
	size_t n = 0;

	while (list && list[n].name)
		n++;
	return n;
}

/* Whether a role may be in the process that it names: see role.with. */
static bool shares_process(const struct workload *w, size_t r)
{
	const struct role *roles = w->roles;
	size_t host = r;

	while (host && roles[host].with)
		host--;
	return text_equal(roles[r].with, roles[host].name) && roles[r].mode == ROLE_THREADS &&
	       roles[host].mode == ROLE_THREADS;
}

struct param *params_declared(const struct workload *w)
{
	size_t own = count(w->params), roles = 0;
	struct param *all = memory_array(own + count(crew_params) + 1, sizeof(*all));

	/* Whatever is done with a workload begins here. */
	for (; w->roles[roles].name; roles++)
		assert(!w->roles[roles].with || shares_process(w, roles));
	assert(roles <= ROLE_MAX);
	for (size_t i = 0; i < own; i++)
		all[i] = w->params[i];
	for (const struct param *p = crew_params; p->name; p++) {
		if (is_used(w, p) && !param_find(all, p->name))
			all[own++] = *p;
	}
	return all;
}

json_t *params_all(const struct cast *cast)
{
	json_t *all = json_object();

	for (const struct param *p = cast->declared; p->name; p++)
		json_object_set_new(all, p->name, json_text(cast_string(cast, p->name)));
	return all;
}

double cast_number(const struct cast *cast, const char *name)
{
	return params_number(cast->values, cast->declared, name);
}

int64_t cast_integer(const struct cast *cast, const char *name)
{
	return params_integer(cast->values, cast->declared, name);
}

bool cast_switch(const struct cast *cast, const char *name)
{
	return cast_integer(cast, name);
}

const char *cast_string(const struct cast *cast, const char *name)
{
	return params_string(cast->values, cast->declared, name);
}

const char *cast_memcg(const struct cast *cast)
{
	return cast->surroundings ? cast->surroundings->memcg : NULL;
}

bool cast_affords(const struct cast *cast, const char *who, double bytes, struct error *err)
{
	/* Nobody is to be killed for it. */
	static const double ratio = 0.8;
	int64_t machine = meminfo_available_bytes(""), group = cgroup_read("").memory_left_bytes;
	double there = (double)(group < machine ? group : machine);
	char needed[UNITS_TEXT], available[UNITS_TEXT];

	if (bytes <= there * ratio)
		return true;
	return error_set(
		err, ERROR_UNSUPPORTED,
		"%s of %s would need %s of memory at once: %s are available%s, and %.0f %% "
		"of that may be used",
		who, cast->workload->name, units_format(bytes, "bytes", needed),
		units_format(there, "bytes", available),
		group < machine ? " below the limit of the memory cgroup" : "", 100 * ratio);
}

bool cast_whole_pages(const struct cast *cast, const char *name, struct error *err)
{
	long page = sysconf(_SC_PAGESIZE);

	if (cast_integer(cast, name) % page == 0)
		return true;
	return error_set(err, ERROR_UNSUPPORTED, "%s=%s: not whole pages of %ld bytes", name,
			 cast_string(cast, name), page);
}

unsigned int cast_tasks(const struct cast *cast, const struct role *role)
{
	if (role->tasks)
		return role->tasks(cast);
	return role->alone ? 1 : (unsigned int)cast_integer(cast, "tasks");
}

bool cast_threads(const struct cast *cast, const struct role *role)
{
	if (role->mode == ROLE_AS_ASKED)
		return cast_integer(cast, "mode") == MODE_THREAD;
	return role->mode == ROLE_THREADS;
}

bool cast_endless(const struct cast *cast, const struct role *role)
{
	return role->endless && role->endless(cast);
}

double cast_rate(const struct cast *cast, const struct role *role)
{
	return role->rate ? role->rate(cast) : 0;
}

int cast_nice(const struct cast *cast, const struct role *role)
{
	return role->nice ? role->nice(cast) : 0;
}

bool crew_declares(const struct workload *w, const char *name)
{
	struct param *declared __free(memory) = params_declared(w);

	return param_find(declared, name);
}

static bool check_value(const struct param *declared, const char *workload, const char *name,
			const json_t *value, struct error *err)
{
	const struct param *p = param_find(declared, name);
	struct nearest nearest = {.name = name};
	double ignored;

	for (const struct param *known = declared; !p && known->name; known++)
		nearest_try(&nearest, known->name);
	if (!p)
		return error_set(err, ERROR_USAGE, "%s has no parameter '%.100s'%s", workload, name,
				 nearest_hint(&nearest));
	if (!json_is_string(value))
		return error_set(err, ERROR_USAGE, "parameter '%s' is not a string", name);
	return param_check(p, json_string_value(value), &ignored, err);
}

bool crew_check(const struct workload *w, const json_t *values, struct error *err)
{
	struct param *declared __free(memory) = params_declared(w);

	/* Iterated by hand: the macro of jansson casts const away. */
	for (void *at = json_object_iter((json_t *)(uintptr_t)values); at;
	     at = json_object_iter_next((json_t *)(uintptr_t)values, at)) {
		if (!check_value(declared, w->name, json_object_iter_key(at),
				 json_object_iter_value(at), err))
			return false;
	}
	return params_check(values, declared, err);
}
