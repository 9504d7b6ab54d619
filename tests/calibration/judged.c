// SPDX-License-Identifier: GPL-2.0-or-later
#include "judged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],\"metrics\":["
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,\"help\":\"\"}]}";

static struct experiment *experiment_of(enum plan plan, size_t pairs)
{
	static struct experiment *e;
	struct error err;

	if (!e) {
		json_t *object = NULL;

		e = experiment_new();
		e->alpha = .05;
		e->margin = .02;
		e->seed = 1;
		e->subjects = memory_alloc(sizeof(*e->subjects));
		e->subject_count = 1;
		if (!json_parse(description_text, strlen(description_text), &object, &err) ||
		    !description_from_json(object, &e->subjects[0].description, &err))
			abort();
		json_decref(object);
		e->subjects[0].params[ARM_A] = json_object();
		e->subjects[0].params[ARM_B] = json_object();
		e->subjects[0].primary = "cost";
	}
	e->plan = plan;
	e->pairs = (int64_t)pairs;
	e->planned_pairs = plan == PLAN_DECIDED ? e->pairs : 0;
	return e;
}

static struct run *run_of(double figure)
{
	json_t *record __free(json) =
		json_pack("{s:s,s:s,s:[{s:s,s:i,s:i,s:{s:I}}],s:[]}", "outcome", "ok", "reason", "",
			  "tasks", "role", "task", "task", 0, "window_ns", 1, "counters", "cost",
			  (json_int_t)llround(1e9 * figure), "series");
	struct run *run = NULL;
	struct error err;

	if (!run_from_record(record, &run, &err))
		abort();
	return run;
}

struct judgement *judged(enum plan plan, size_t pairs, const double *a, const double *b, size_t n,
			 enum judge_when when)
{
	struct entries runs __cleanup(entries_done) = {0};

	for (size_t i = 0; i < n; i++) {
		entries_add(&runs,
			    (struct entry){.pair = (int64_t)i, .arm = ARM_A, .run = run_of(a[i])});
		entries_add(&runs,
			    (struct entry){.pair = (int64_t)i, .arm = ARM_B, .run = run_of(b[i])});
	}
	return judge(experiment_of(plan, pairs), &runs, when);
}

int judged_claim(const struct metric_verdict *v)
{
	if (v->verdict == VERDICT_REGRESSED || v->worse)
		return 1;
	return v->verdict == VERDICT_IMPROVED ? -1 : 0;
}
