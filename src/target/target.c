// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/target.h"

#include "base/clock.h"
#include "base/memory.h"
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

void descriptions_free(struct description **list)
{
	if (!list)
		return;
	for (struct description **d = list; *d; d++)
		description_free(*d);
	free(list);
}

static bool read_descriptions(json_t *answer, struct description **list, struct error *err)
{
	json_t *workloads, *object;
	size_t i;

	if (!json_get_array(answer, "workloads", &workloads, err))
		return false;
	json_array_foreach(workloads, i, object) {
		if (!description_from_json(object, &list[i], err))
			return error_wrap(err, "workload %zu", i + 1);
		for (size_t j = 0; j < i; j++) {
			if (text_equal(list[j]->name, list[i]->name))
				return error_set(err, ERROR_DATA, "workload %s is there twice",
						 list[i]->name);
		}
	}
	return true;
}

bool target_describe(const struct target *t, struct description ***ret, struct error *err)
{
	const struct wire_request request = {.job = WIRE_DESCRIBE, .id = "describe"};
	const struct target_watch watch = {.stop_fd = -1};
	json_t *answer __free(json) = NULL;
	struct description **list __free(descriptions) = NULL;
	bool crashed;

	if (!t->ask(&request, DESCRIBE_SECONDS * NS_PER_SEC, &watch, &answer, &crashed, err))
		return error_wrap(err, "ask the agent what it has");
	list = memory_array(json_array_size(json_object_get(answer, "workloads")) + 1,
			    sizeof(struct description *));
	if (!read_descriptions(answer, list, err)) {
		err->code = ERROR_DATA;
		return error_wrap(err, "agent's answer");
	}
	*ret = take(list);
	return true;
}

const struct target *const *target_all(void)
{
	return target_table;
}
