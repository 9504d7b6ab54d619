// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/target.h"

#include "base/clock.h"
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

static struct run *ask_run(const struct target *t, const struct wire_request *request,
			   int64_t limit_ns, const struct target_watch *watch)
{
	json_t *answer __free(json) = NULL;
	struct error err = {0};
	struct run *run;
	bool crashed;

	if (!t->ask(request, limit_ns, watch, &answer, &crashed, &err))
		return run_without_record(outcome_of(err.code, crashed), err.text);
	if (!run_from_record(answer, &run, &err)) {
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
