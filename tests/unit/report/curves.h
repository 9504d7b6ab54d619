/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_REPORT_CURVES_H
#define CONTEND_TESTS_UNIT_REPORT_CURVES_H

#include "arms.h"

/*
 * Findings of workloads with several numbers of tasks, which the judge judges: no verdict is made
 * up.
 */

/*
 * The description of a fixture with the parameter that makes a curve. Static, until the next call.
 */
static inline const char *with_tasks(const char *description)
{
	static char with[4096];
	static const char none[] = "\"params\":[]";
	const char *at = strstr(description, none);

	assert_non_null(at);
	snprintf(
		with, sizeof(with),
		"%.*s\"params\":[{\"name\":\"tasks\",\"type\":\"count\",\"preset\":\"1\",\"low\":1,"
		"\"high\":4096,\"help\":\"\"}]%s",
		(int)(at - description), description, at + strlen(none));
	return with;
}

static inline void curve_subjects(struct fixture *x, const char *description, const char *both,
				  const int *tasks, size_t count, const char *asked, int64_t cpus)
{
	size_t first = x->e->subject_count;

	for (size_t i = 0; i < count; i++) {
		char *point __free(memory) = text_format("{\"tasks\":\"%d\"}", tasks[i]);

		fixture_subject(x, with_tasks(description), both, point, point);
		for (int arm = 0; arm < x->e->arm_count; arm++) {
			const char *label = x->e->labels[arm];
			const char *kernel = strchr(label, '=');

			if (kernel)
				json_object_set_new(x->e->subjects[first + i].params[arm], "kernel",
						    json_text(kernel + 1));
		}
	}
	experiment_add_curve(x->e, first, count, asked, cpus);
}

/* Of the last `runs` runs how long CPUs were idle: those used, of 2, and all 4 of the machine. */
static inline void curve_idle(struct fixture *x, size_t runs, int64_t cpus, double share)
{
	for (size_t i = x->runs.count - runs; i < x->runs.count; i++) {
		json_t *record = x->runs.list[i].run->record;

		json_object_set_new(
			record, "idle",
			json_pack("{s:I, s:{s:I, s:I}, s:{s:I, s:I}}", "span_ns",
				  (json_int_t)2000000000, "used", "cpus", (json_int_t)cpus,
				  "idle_ns", (json_int_t)((double)cpus * share * 2e9), "machine",
				  "cpus", (json_int_t)4, "idle_ns",
				  (json_int_t)((4 - (double)cpus * (1 - share)) * 2e9)));
	}
}

enum { CURVE_POINTS = 4 };

static const int curve_tasks[CURVE_POINTS] = {1, 2, 4, 8};

/* What a task of so many makes: fewer, the more wait for one lock. */
static inline struct fixture_run curve_figures(size_t point)
{
	static const int64_t operations[CURVE_POINTS] = {2345678, 1876000, 1172000, 492000};

	return (struct fixture_run){
		.operations = operations[point],
		.tasks = (unsigned int)curve_tasks[point],
		.note = curve_tasks[point] > 4 ? "task: 8 tasks on 4 CPUs" : NULL,
	};
}

/* Three runs of each point of one arm, of which one was not ok. */
static void curve_run(struct fixture *x)
{
	fixture_experiment(x, PLAN_SINGLE, 3, "", "",
			   "contend run brk1 tasks=1,2,4,8 mode=thread --runs 3");
	x->e->arm_count = 1;
	curve_subjects(x, fixture_brk1, "{\"mode\":\"thread\"}", curve_tasks, CURVE_POINTS,
		       "25%,50%,100%,8", 4);
	for (int64_t pair = 0; pair < 3; pair++) {
		for (size_t i = 0; i < CURVE_POINTS; i++) {
			struct fixture_run r = curve_figures(i);
			bool fails = i == 3 && pair == 1;

			r.operations = (int64_t)fixture_jitter(x, (double)r.operations, 0.01);
			fixture_add(x, i, pair, ARM_A, &r, fails ? OUTCOME_INVALID : OUTCOME_OK,
				    fails ? "task 5 was measured for 2.31 s instead of 2.00 s"
					  : "");
			curve_idle(x, fails ? 0 : 1, i < 2 ? (int64_t)i + 1 : 4,
				   i == 2 ? 0.125 : 0.004);
		}
	}
	x->e->id = 41;
	x->end = "planned end";
}

/* One run of each point, none of them with one task, about a latency, and of too short windows. */
static void curve_latency(struct fixture *x)
{
	static const int tasks[] = {2, 4};
	struct fixture_run r = fixture_smaps;

	fixture_experiment(x, PLAN_SINGLE, 1, "", "", "contend run proc_maps tasks=2,4");
	x->e->arm_count = 1;
	curve_subjects(x, fixture_proc_maps, "{}", tasks, 2, "2,4", 0);
	fixture_add(x, 0, 0, ARM_A, &r, OUTCOME_OK, "");
	r.p50_ns *= 1.8;
	r.scans = r.scans * 3 / 4;
	fixture_add(x, 1, 0, ARM_A, &r, OUTCOME_OK, "");
	x->e->id = 42;
	x->end = "planned end";
}

/* Pairs of each point: B loses where many wait, and uses more CPU time there. */
static void curve_pairs(struct fixture *x, size_t first, int64_t pairs)
{
	static const double losses[CURVE_POINTS] = {1, 0.985, 0.93, 0.90};

	for (size_t i = 0; i < CURVE_POINTS; i++) {
		struct fixture_run a = curve_figures(i), b = a;

		b.operations = (int64_t)((double)b.operations * losses[i]);
		fixture_pairs(x, first + i, 0, pairs, &a, &b);
		curve_idle(x, 2 * (size_t)pairs, i < 2 ? (int64_t)i + 1 : 4, 0.01);
	}
}

static void curve_ab(struct fixture *x)
{
	struct fixture_run r = curve_figures(2);

	fixture_experiment(
		x, PLAN_PAIRS, 12, "kernel=6.17", "kernel=6.18",
		"contend ab brk1 tasks=1,2,4,8 --a kernel=6.17 --b kernel=6.18 --pairs 12 "
		"--seed 4021");
	curve_subjects(x, fixture_brk1, "{}", curve_tasks, CURVE_POINTS, "1,2,4,8", 0);
	curve_pairs(x, 0, 11);
	for (size_t i = 0; i < CURVE_POINTS; i++) {
		r = curve_figures(i);
		fixture_add(x, i, 11, ARM_A, &r, OUTCOME_OK, "");
		fixture_add(x, i, 11, ARM_B, &r, i == 2 ? OUTCOME_FAILED : OUTCOME_OK,
			    i == 2 ? "task 3: brk: cannot move the break up" : "");
	}
	x->e->looked = 12;
	x->j = judge(x->e, &x->runs, JUDGE_END);
	x->status = judgement_status(x->j, false);
	x->e->id = 43;
	x->end = "planned end";
}

/* Two workloads, one of them a curve, with looks: a point of it could not be done. */
static void curve_several(struct fixture *x)
{
	struct fixture_run a = fixture_smaps, b = fixture_maps, r = curve_figures(3);

	fixture_experiment(x, PLAN_DECIDED, 40, "kernel=6.17", "kernel=6.18",
			   "contend ab brk1 proc_maps brk1.tasks=1,2,4,8 --a kernel=6.17 "
			   "--b kernel=6.18 --seed 4021");
	curve_subjects(x, fixture_brk1, "{}", curve_tasks, CURVE_POINTS, "1,2,4,8", 0);
	fixture_subject(x, fixture_proc_maps, "{}", "{\"kernel\":\"6.17\"}",
			"{\"kernel\":\"6.18\"}");
	curve_pairs(x, 0, 9);
	fixture_pairs(x, 4, 0, 9, &a, &b);
	for (int64_t pair = 9; pair < 12; pair++) {
		fixture_add(x, 3, pair, ARM_A, &r, OUTCOME_OK, "");
		fixture_add(x, 3, pair, ARM_B, &r, OUTCOME_CRASHED, "task 1: killed by SIGSEGV");
	}
	x->j = judge(x->e, &x->runs, JUDGE_LOOK);
	x->status = judgement_status(x->j, false);
	x->e->id = 44;
	x->end = "gave up";
}

/* A plan that was cut: nothing of its figures. */
static void curve_blind(struct fixture *x)
{
	fixture_experiment(x, PLAN_PAIRS, 12, "", "",
			   "contend ab brk1 tasks=1,2,4,8 --pairs 12 --seed 4021");
	curve_subjects(x, fixture_brk1, "{}", curve_tasks, CURVE_POINTS, "1,2,4,8", 0);
	curve_pairs(x, 0, 4);
	x->j = judge(x->e, &x->runs, JUDGE_LOOK);
	x->e->id = 45;
	x->end = "interrupted";
	x->status = 5;
}

/* Three arms: B is as A, C loses where many wait. */
static void curve_arms(struct fixture *x)
{
	static const int tasks[] = {1, 4};

	fixture_experiment(x, PLAN_PAIRS, 8, "kernel=6.17", "kernel=6.18",
			   "contend ab brk1 tasks=1,4 --a kernel=6.17 --b kernel=6.18 "
			   "--c kernel=6.18-v2 --pairs 8 --seed 4021");
	curve_subjects(x, fixture_brk1, "{}", tasks, 2, "1,4", 0);
	fixture_arm(x, "kernel=6.18-v2", "{\"kernel\":\"6.18-v2\"}");
	for (size_t i = 0; i < 2; i++) {
		struct fixture_run a = curve_figures(2 * i), c = a;
		const struct fixture_run *const figures[] = {&a, &a, &c};

		c.operations = c.operations * (i ? 90 : 100) / 100;
		fixture_blocks(x, i, 0, 8, figures);
		for (size_t k = x->runs.count - 24; k < x->runs.count; k++)
			x->runs.list[k].arms = 0;
	}
	x->e->looked = 8;
	x->j = judge(x->e, &x->runs, JUDGE_END);
	x->status = judgement_status(x->j, false);
	x->e->id = 46;
	x->end = "planned end";
}

#endif
