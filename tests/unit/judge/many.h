/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_JUDGE_MANY_H
#define CONTEND_TESTS_UNIT_JUDGE_MANY_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "judge/judge.h"

/*
 * A workload of as many metrics as a test wants: `m0`, the primary, to `mN`, all better when lower,
 * each the total of the counter of its name. A run lacks the counter of a figure that is NAN.
 */
enum { MANY_METRICS = 26, MANY_NAME = 24 };

static inline char *many_description(size_t metrics)
{
	struct text t = {0};

	text_puts(&t, "{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
		      "\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],\"metrics\":[");
	for (size_t m = 0; m < metrics; m++)
		text_printf(&t,
			    "%s{\"name\":\"m%zu\",\"unit\":\"ns\",\"better\":\"lower\","
			    "\"summary\":\"total\",\"of\":\"task.m%zu\",\"primary\":%s,"
			    "\"multitask\":false,\"help\":\"\"}",
			    m ? "," : "", m, m, m ? "false" : "true");
	text_puts(&t, "]}");
	return text_take(&t);
}

static inline struct experiment *many_experiment(enum plan plan, int64_t pairs, size_t subjects,
						 size_t metrics)
{
	char *text __free(memory) = many_description(metrics);
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(text, strlen(text), &object, &err));
	e->plan = plan;
	e->pairs = pairs;
	e->alpha = 0.05;
	e->margin = 0.02;
	e->subjects = memory_array(subjects, sizeof(*e->subjects));
	e->subject_count = subjects;
	for (size_t i = 0; i < subjects; i++) {
		assert_true(description_from_json(object, &e->subjects[i].description, &err));
		e->subjects[i].params[ARM_A] = json_object();
		e->subjects[i].params[ARM_B] = json_object();
		e->subjects[i].primary = "m0";
	}
	return e;
}

/* A run with these figures, which are rounded to integers as counters are. */
static inline void many_add(struct entries *runs, size_t subject, int64_t pair, int arm,
			    const double *figures, size_t metrics)
{
	json_t *record __free(json) = json_pack(
		"{s:s, s:s, s:[{s:s, s:i, s:i, s:{}}], s:[]}", "outcome", "ok", "reason", "",
		"tasks", "role", "task", "task", 0, "window_ns", 1, "counters", "series");
	json_t *counters =
		json_object_get(json_array_get(json_object_get(record, "tasks"), 0), "counters");
	struct run *run = NULL;
	struct error err;

	for (size_t m = 0; m < metrics; m++) {
		char name[MANY_NAME];

		snprintf(name, sizeof(name), "m%zu", m);
		if (!isnan(figures[m]))
			json_object_set_new(counters, name,
					    json_integer((json_int_t)llrint(figures[m])));
	}
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	entries_add(runs, (struct entry){.subject = subject, .pair = pair, .arm = arm, .run = run});
}

/* A pair whose differences are these, as logarithms. */
static inline void many_pair(struct entries *runs, size_t subject, int64_t pair, const double *d,
			     size_t metrics)
{
	double a[MANY_METRICS], b[MANY_METRICS];

	for (size_t m = 0; m < metrics; m++) {
		a[m] = 1e9;
		b[m] = 1e9 * exp(d[m]);
	}
	many_add(runs, subject, pair, ARM_A, a, metrics);
	many_add(runs, subject, pair, ARM_B, b, metrics);
}

static inline double many_normal(struct random *r)
{
	/* Box and Muller; the logarithm never sees 0. */
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

#endif
