// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/target.h"

#include "base/clock.h"
#include "base/text.h"
#include "target/list.h"

enum { DESCRIBE_SECONDS = 10 };

static enum outcome outcome_of(enum error_code code, bool crashed)
{
	if (crashed)
		return OUTCOME_CRASHED;
	switch (code) {
	case ERROR_TIMEOUT:
		return OUTCOME_TIMEOUT;
	case ERROR_INTERRUPTED:
		return OUTCOME_INTERRUPTED;
	case ERROR_UNSUPPORTED:
		return OUTCOME_UNSUPPORTED;
	default:
		return OUTCOME_FAILED;
	}
}

/* A hostile answer may have anything there. */
static const char *value_of(const json_t *value)
{
	return json_is_string(value) ? json_string_value(value) : "(no value)";
}

static bool check_param(const json_t *answered, const char *name, const json_t *asked,
			struct error *err)
{
	const json_t *value = json_object_get(answered, name);

	return json_equal(value, asked) ||
	       error_set(err, ERROR_DATA, "it is about %s=%.100s, and %s=%.100s was asked for",
			 name, value_of(value), name, value_of(asked));
}

/* Refuses an answer about something else, as far as it says what it is about. */
static bool check_asked(const json_t *answer, const struct wire_request *request, struct error *err)
{
	const char *workload = json_string_value(json_object_get(answer, "workload"));
	const json_t *params = json_object_get(answer, "params");

	if (workload && !text_equal(workload, request->workload))
		return error_set(err, ERROR_DATA, "it is about %.100s, and %s was asked for",
				 workload, request->workload);
	/* Iterated by hand: the macro of jansson casts const away. */
	for (void *at = params ? json_object_iter((json_t *)(uintptr_t)request->params) : NULL; at;
	     at = json_object_iter_next((json_t *)(uintptr_t)request->params, at)) {
		if (!check_param(params, json_object_iter_key(at), json_object_iter_value(at), err))
			return false;
	}
	return true;
}

static struct run *ask_run(const struct target *t, const struct wire_request *request,
			   int64_t limit_ns, const struct target_watch *watch)
{
	json_t *answer __free(json) = NULL;
	struct error err = {0};
	struct run *run;
	bool crashed;

	if (!t->ask(request, limit_ns, watch, &answer, &crashed, &err))
		return run_without_record(outcome_of(err.code, crashed), err.text);
	if (!check_asked(answer, request, &err) || !run_from_record(answer, &run, &err)) {
		error_wrap(&err, "agent's answer");
		return run_without_record(OUTCOME_FAILED, err.text);
	}
	return run;
}

struct run *target_run(const struct target *t, const struct wire_request *request, int64_t limit_ns,
		       const struct target_watch *watch)
{
	int64_t started_ns = clock_wall_ns();
	struct run *run = ask_run(t, request, limit_ns, watch);

	run->started_ns = started_ns;
	run->ended_ns = clock_wall_ns();
	return run;
}

bool target_describe(const struct target *t, int stop_fd, struct inventory *ret,
		     struct agent_identity *ret_agent, struct error *err)
{
	const struct wire_request request = {.job = WIRE_DESCRIBE, .id = "describe"};
	struct agent_identity agent = {""};
	const struct target_watch watch = {.stop_fd = stop_fd, .agent = &agent};
	json_t *answer __free(json) = NULL;
	bool crashed;

	if (!t->ask(&request, DESCRIBE_SECONDS * NS_PER_SEC, &watch, &answer, &crashed, err))
		return error_wrap(err, "ask the agent what it has");
	if (!inventory_from_json(answer, ret, err))
		return error_wrap(err, "agent's answer");
	if (ret_agent)
		*ret_agent = agent;
	return true;
}

const struct target *const *target_all(void)
{
	return target_table;
}
