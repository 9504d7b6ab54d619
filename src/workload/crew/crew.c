// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/crew.h"

#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/text.h"
#include "kernel/host.h"
#include "workload/crew/params.h"
#include "workload/crew/record.h"
#include "workload/crew/supervise.h"

static bool make_placement(const struct cast *cast, struct placement *ret, struct error *err)
{
	struct topology topology __cleanup(topology_done) = {0};

	return topology_read("", &topology, err) && placement_make(cast, &topology, ret, err);
}

/*
 * Nice values end at 19, and setpriority() takes what is beyond for that: roles that should differ
 * would be alike, and nobody would see it.
 */
static bool check_nice(const struct cast *cast, struct error *err)
{
	enum { NICEST = 19 };
	int mine = getpriority(PRIO_PROCESS, 0);

	for (const struct role *r = cast->workload->roles; r->name; r++) {
		int above = cast_tasks(cast, r) ? cast_nice(cast, r) : 0;

		if (above && mine + above > NICEST)
			return error_set(err, ERROR_UNSUPPORTED,
					 "%s needs a nice value %d above the agent's, which is %d: "
					 "they end at %d",
					 r->name, above, mine, NICEST);
	}
	return true;
}

static bool supported(const struct cast *cast, struct placement *ret, struct error *err)
{
	if (cast->workload->supported && !cast->workload->supported(cast, err))
		return false;
	return check_nice(cast, err) && make_placement(cast, ret, err);
}

bool crew_supported(const struct workload *w, const json_t *values, struct error *err)
{
	struct param *declared __free(memory) = params_declared(w);
	struct cast cast = {.workload = w, .declared = declared, .values = values};
	struct placement placement __cleanup(placement_done) = {0};

	return supported(&cast, &placement, err);
}

/*
 * A worker, or a child of one, that the OOM killer took tells of how much memory there is here, not
 * of a kernel that crashes: such a run has failed. Any other SIGKILL may be the kernel's that died
 * in a system call of the worker.
 */
static void look_for_oom_kill(struct crew *c)
{
	if ((c->outcome != OUTCOME_CRASHED && c->outcome != OUTCOME_FAILED) ||
	    !strstr(c->reason, "killed by SIGKILL"))
		return;
	char *kills __free(memory) = oom_kills_since(&c->oom, &c->cast);

	if (!kills)
		return;
	char *before __free(memory) = c->reason;

	c->outcome = OUTCOME_FAILED;
	c->reason = text_format("%s: out of memory, %s", before, kills);
}

static void run_errand(struct crew *c)
{
	c->oom = oom_kills_read(&c->cast);
	errand_run(&c->cast, c->watch, &c->errand);
	if (c->errand.outcome != OUTCOME_OK)
		supervise_give_up(c, c->errand.outcome, "%s", c->errand.reason);
	look_for_oom_kill(c);
}

static void run(struct crew *c)
{
	struct error err;
	enum outcome outcome;

	if (!supported(&c->cast, &c->placement, &err)) {
		supervise_give_up_for(c, &err);
		return;
	}
	if (c->cast.workload->errand) {
		run_errand(c);
		return;
	}
	if (!stage_open(&c->cast, &c->placement, &c->map, &err)) {
		supervise_give_up_for(c, &err);
		return;
	}
	c->oom = oom_kills_read(&c->cast);
	machine_init(&c->machine, "", cast_memcg(&c->cast), c->cast.workload->machine);
	if (supervise(c)) {
		outcome = record_check(&c->cast, &c->placement, &c->map, &err);
		if (outcome != OUTCOME_OK)
			supervise_give_up(c, outcome, "%s", err.text);
		else if (c->cast.workload->confirm && !c->cast.workload->confirm(&c->machine, &err))
			supervise_give_up_for(c, &err);
	}
	supervise_dismiss(c);
	look_for_oom_kill(c);
}

/* What was measured is not known where its file is another one now. */
static void look_at_program(struct crew *c, const json_t *before)
{
	json_t *now __free(json) = before ? c->cast.workload->program(&c->cast) : NULL;

	if (before && !json_equal(before, now))
		supervise_give_up(c, OUTCOME_INVALID, "the program's file changed during the run");
}

/* Adds what only its code tells. */
static json_t *describe_program(const struct crew *c, json_t *program)
{
	const char *description = c->map.stage ? c->map.stage->guest.description : "";

	if (*description)
		json_object_set_new(program, "description", json_text(description));
	return program;
}

/* What an errand has brought back, in place of what loops would have recorded. */
static void add_parcel(json_t *parcel, json_t *record)
{
	static const char *const keys[] = {"tasks", "outputs", "notes"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(record, keys[i], json_object_get(parcel, keys[i]));
}

/* Runs, unless the run has an outcome already, and makes the record. Releases what the crew has. */
static json_t *make_record(struct crew *c)
{
	json_t *host = host_describe(""); /* before the run adds to the load */
	struct cpu_time before = cpu_time_read(""), after;
	int64_t started_ns = clock_wall_ns(), begin_ns = clock_now_ns();
	json_t *program = c->cast.workload->program ? c->cast.workload->program(&c->cast) : NULL;
	json_t *record = json_object();

	if (c->cast.workload->describe)
		c->cast.workload->describe(&c->cast, host);
	if (c->outcome == OUTCOME_OK)
		run(c);
	look_at_program(c, program);
	after = cpu_time_read("");
	host_add_run(host, &before, &after);
	json_object_set_new(record, "outcome", json_text(outcome_words[c->outcome]));
	json_object_set_new(record, "reason", json_text(c->reason));
	json_object_set_new(record, "workload", json_text(c->cast.workload->name));
	json_object_set_new(record, "params", params_all(&c->cast));
	if (!c->cast.workload->errand)
		json_object_set_new(record, "window_ns",
				    json_integer(cast_integer(&c->cast, "window")));
	json_object_set_new(record, "started_ns", json_integer(started_ns));
	json_object_set_new(record, "elapsed_ns", json_integer(clock_now_ns() - begin_ns));
	json_object_set_new(record, "tasks", record_tasks(&c->cast, &c->placement, &c->map));
	json_object_set_new(record, "series", record_series(&c->cast, &c->placement, &c->map));
	slices_record(&c->slices, record);
	idle_record(&c->idle, &c->placement, record);
	machine_record(&c->machine, record);
	if (program)
		json_object_set_new(record, "program", describe_program(c, program));
	json_object_set_new(record, "notes", record_notes(&c->cast, &c->placement, &c->map));
	if (c->errand.parcel)
		add_parcel(c->errand.parcel, record);
	json_object_set_new(record, "host", host);
	errand_result_done(&c->errand);
	idle_done(&c->idle);
	stage_close(&c->map);
	placement_done(&c->placement);
	free(c->members);
	free(c->polled);
	free(c->reason);
	return record;
}

json_t *crew_run(const struct workload *w, const json_t *values,
		 const struct surroundings *surroundings, const struct crew_watch *watch)
{
	struct param *declared __free(memory) = params_declared(w);
	struct crew c = {
		.cast = {.workload = w,
			 .declared = declared,
			 .values = values,
			 .surroundings = surroundings},
		.watch = watch,
		.map = STAGE_MAP_NONE,
		.slices = SLICES_NONE,
	};

	return make_record(&c);
}

json_t *crew_refuse(const struct workload *w, const json_t *values, enum outcome outcome,
		    const char *reason)
{
	struct param *declared __free(memory) = params_declared(w);
	struct crew c = {
		.cast = {.workload = w, .declared = declared, .values = values},
		.map = STAGE_MAP_NONE,
		.slices = SLICES_NONE,
		.outcome = outcome,
		.reason = memory_string(reason),
	};

	return make_record(&c);
}
