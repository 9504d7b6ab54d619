// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/curve.h"
#include "judge/curve_points.h"

#include "many.h"

#include "base/clock.h"
#include "stats/sign_flip.h"

/*
 * A curve of 1, 2 and 4 tasks, whose primary is a rate. What a round came to is made up: the
 * figures that a test expects are calculated beside it from the same numbers.
 */
enum { POINTS = 3, ROUNDS = 8 };

static const int64_t tasks_of[POINTS] = {1, 2, 4};

static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],"
	"\"params\":[{\"name\":\"tasks\",\"type\":\"count\",\"preset\":\"1\",\"low\":1,"
	"\"high\":64,\"help\":\"\"}],"
	"\"metrics\":[{\"name\":\"operations\",\"unit\":\"1/s\",\"better\":\"higher\","
	"\"summary\":\"rate\",\"of\":\"task.operations\",\"primary\":true,\"multitask\":false,"
	"\"help\":\"\"},"
	"{\"name\":\"stalls\",\"unit\":\"1\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.stalls\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"task_fairness\",\"unit\":\"ratio\",\"better\":\"higher\","
	"\"summary\":\"fairness\",\"of\":\"task.operations\",\"primary\":false,"
	"\"multitask\":true,\"help\":\"\"}]}";

static struct experiment *made(enum plan plan, const char *primary)
{
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	e->plan = plan;
	e->pairs = plan == PLAN_SINGLE ? ROUNDS : 40;
	e->arm_count = plan == PLAN_SINGLE ? 1 : 2;
	e->alpha = 0.05;
	e->margin = 0.02;
	e->subjects = memory_array(POINTS, sizeof(*e->subjects));
	e->subject_count = POINTS;
	for (size_t i = 0; i < POINTS; i++) {
		struct subject *s = &e->subjects[i];

		assert_true(description_from_json(object, &s->description, &err));
		for (int arm = ARM_A; arm <= ARM_B; arm++)
			s->params[arm] =
				json_pack("{s:o}", "tasks", json_sprintf("%d", (int)tasks_of[i]));
		s->primary = description_metric(s->description, primary)->name;
	}
	experiment_add_curve(e, 0, POINTS, "1,2,4", 0);
	return e;
}

/* A run of a point, whose tasks are alike but for the last one, which has `share` of the others. */
struct made_run {
	double rate; /* of all tasks, 1/s */
	double share;
	int64_t idle_ns; /* of 2 CPUs in 1 s; < 0: not known */
	int stalls;
};

static void add(struct entries *runs, size_t point, int64_t pair, int arm, const struct made_run *r)
{
	json_t *record __free(json) = json_pack("{s:s, s:s, s:[], s:[]}", "outcome", "ok", "reason",
						"", "tasks", "series");
	double tasks = (double)tasks_of[point];
	double each = r->rate / (tasks - 1 + r->share);
	struct run *run = NULL;
	struct error err;

	for (int64_t k = 0; k < tasks_of[point]; k++) {
		double own = tasks > 1 && k == tasks_of[point] - 1 ? each * r->share : each;

		if (tasks_of[point] == 1)
			own = r->rate;
		json_array_append_new(
			json_object_get(record, "tasks"),
			json_pack("{s:s, s:I, s:I, s:I, s:{s:I, s:i}}", "role", "task", "task",
				  (json_int_t)k, "window_ns", (json_int_t)NS_PER_SEC, "cpu_ns",
				  (json_int_t)llrint(2 * own), "counters", "operations",
				  (json_int_t)llrint(own), "stalls", r->stalls));
	}
	if (r->idle_ns >= 0)
		json_object_set_new(record, "idle",
				    json_pack("{s:I, s:{s:i, s:I}, s:{s:i, s:I}}", "span_ns",
					      (json_int_t)NS_PER_SEC, "used", "cpus", 2, "idle_ns",
					      (json_int_t)r->idle_ns, "machine", "cpus", 4,
					      "idle_ns", (json_int_t)(2 * NS_PER_SEC)));
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	entries_add(runs, (struct entry){.subject = point, .pair = pair, .arm = arm, .run = run});
}

/* The rate of A in a round: it varies from round to round, alike at all points. */
static double rate_of_a(size_t point, int pair)
{
	static const double shares[POINTS] = {1, 1.6, 2};

	return 1e9 * shares[point] * (1 + 0.03 * (pair % 5));
}

/* log(B/A): its centre differs from point to point, and a different noise each. */
static double difference(size_t point, int pair)
{
	static const double centres[POINTS] = {0.00, -0.06, -0.12};

	return centres[point] + 0.002 * ((pair * 5 + (int)point * 3) % 8 - 3.5);
}

static void add_pair(struct entries *runs, size_t point, int pair)
{
	struct made_run a = {.rate = rate_of_a(point, pair), .share = 0.5, .idle_ns = -1};
	struct made_run b = a;

	b.rate *= exp(difference(point, pair));
	add(runs, point, pair, ARM_A, &a);
	add(runs, point, pair, ARM_B, &b);
}

static void expect_near(double value, double wanted, double by)
{
	if (!(fabs(value - wanted) <= by))
		fail_msg("%.17g is not %.17g", value, wanted);
}

/* Of each round the mean over the points, tested as differences are; and a verdict. */
static void the_mean(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, "operations");
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct curve_verdict *cv;
	double means[ROUNDS], sum = 0;
	struct interval interval;

	(void)state;
	for (int k = 0; k < ROUNDS; k++) {
		means[k] = 0;
		for (size_t i = 0; i < POINTS; i++) {
			add_pair(&runs, i, k);
			means[k] += difference(i, k) / POINTS;
		}
		sum += means[k];
	}
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(j->curve_count, 1);
	cv = curve_verdict_of(j, &e->curves[0], ARM_B);
	assert_ptr_equal(cv, &j->curves[0]);
	assert_null(cv->mean->why_not);
	assert_int_equal(cv->mean->v.pairs, ROUNDS);
	/* Not inverted: less of a rate is less. */
	expect_near(cv->mean->v.estimate, expm1(sum / ROUNDS), 1e-8);
	interval = sign_flip_interval(means, ROUNDS, 0.05, 0);
	expect_near(cv->mean->v.interval.low, expm1(interval.low), 1e-8);
	expect_near(cv->mean->v.interval.high, expm1(interval.high), 1e-8);
	expect_near(cv->mean->v.p, sign_flip_p(means, ROUNDS, 0), 1e-12);
	assert_int_equal(cv->mean->v.verdict, VERDICT_REGRESSED);
	assert_int_equal(cv->mean->v.comparisons, 1);
	for (size_t k = 0; k < ROUNDS; k++)
		assert_int_equal(cv->mean->v.numbers[k], k);
	/* The points are one family, and the exit status goes by them. */
	for (size_t i = 0; i < POINTS; i++)
		assert_int_equal(j->comparisons[i].metrics[0].comparisons, POINTS);
	assert_int_equal(j->comparisons[0].metrics[0].verdict, VERDICT_CLEARED);
	assert_int_equal(j->comparisons[2].metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(judgement_status(j, false), 1);
	/* One workload: there is no other to take a mean with. */
	assert_null(j->overall[ARM_B]);
}

/* A task's part over that of one task; its change is d of the point less d of the first. */
static void the_scaling(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, "operations");
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct curve_verdict *cv;

	(void)state;
	for (int k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < POINTS; i++)
			add_pair(&runs, i, k);
	}
	j = judge(e, &runs, JUDGE_END);
	cv = &j->curves[0];
	assert_int_equal(cv->scaling_count, POINTS - 1);
	for (size_t i = 1; i < POINTS; i++) {
		const struct metric_verdict *v = &cv->scalings[i - 1];
		double d[ROUNDS], sum = 0;

		for (int k = 0; k < ROUNDS; k++) {
			d[k] = difference(i, k) - difference(0, k);
			sum += d[k];
			/* 1.6 of 2 tasks, 2 of 4. */
			expect_near(v->a[k], i == 1 ? 0.8 : 0.5, 1e-6);
			expect_near(v->b[k], (i == 1 ? 0.8 : 0.5) * exp(d[k]), 1e-6);
		}
		assert_int_equal(v->pairs, ROUNDS);
		expect_near(v->estimate, expm1(sum / ROUNDS), 1e-7);
		expect_near(v->p, sign_flip_p(d, ROUNDS, 0), 1e-12);
		assert_int_equal(v->comparisons, POINTS - 1);
		expect_near(v->p_adjusted, 2 * v->p, 1e-12);
		assert_int_equal(v->verdict, VERDICT_REGRESSED);
	}
}

/* Rounds that a point lacks are left out of both, and a point that was given up ends the mean. */
static void holes(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, "operations");
	struct entries runs __cleanup(entries_done) = {0}, none __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL, *failed __free(judgement) = NULL;

	(void)state;
	for (int k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < POINTS; i++) {
			if (k == (int)i + 1)
				continue;
			add_pair(&runs, i, k);
			if (i < 2)
				add_pair(&none, i, k);
		}
	}
	for (int k = 0; k < 3; k++) {
		for (int arm = ARM_A; arm <= ARM_B; arm++)
			entries_add(&none,
				    (struct entry){.subject = 2,
						   .pair = k,
						   .arm = arm,
						   .run = run_without_record(OUTCOME_FAILED, "x")});
	}
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(j->curves[0].mean->v.pairs, ROUNDS - 3);
	/* Without rounds 1 and 2; 1 and 3. */
	assert_int_equal(j->curves[0].scalings[0].pairs, ROUNDS - 2);
	assert_int_equal(j->curves[0].scalings[1].pairs, ROUNDS - 2);
	assert_int_equal(j->curves[0].scalings[1].numbers[1], 2);
	failed = judge(e, &none, JUDGE_END);
	assert_string_equal(failed->curves[0].mean->why_not, "tasks=4 was given up");
	assert_int_equal(failed->curves[0].mean->v.verdict, VERDICT_NONE);
	assert_int_equal(failed->curves[0].scalings[1].verdict, VERDICT_NONE);
	assert_int_equal(failed->curves[0].scalings[0].pairs, ROUNDS - 2);
	/* A point that regressed comes before one that could not be done. */
	assert_int_equal(judgement_status(failed, false), 1);
}

/* A figure of zero has no ratio; and what is no rate is not shared out over the tasks. */
static void of_another_primary(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, "stalls");
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < POINTS; i++) {
			struct made_run r = {.rate = 1e6,
					     .share = 1,
					     .idle_ns = -1,
					     .stalls = i == 2 && k == 5 ? 0 : 3};

			add(&runs, i, k, ARM_A, &r);
			add(&runs, i, k, ARM_B, &r);
		}
	}
	j = judge(e, &runs, JUDGE_END);
	assert_string_equal(j->curves[0].mean->why_not,
			    "tasks=4 has figures of zero, and so no ratio");
	assert_int_equal(j->curves[0].scaling.better, BETTER_LOWER);
	/* The total of two tasks is twice that of one. */
	expect_near(j->curves[0].scalings[0].a[0], 2, 1e-12);
	assert_int_equal(j->curves[0].scalings[1].pairs, ROUNDS - 1);
	assert_int_equal(j->curves[0].scalings[1].refused, 1);
	assert_string_equal(j->curves[0].scalings[1].refusal, "a figure is zero");
}

/* A curve counts once among several workloads. */
static void beside_a_workload(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, "operations");
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	double sum = 0;

	(void)state;
	/* The last point as a workload of its own. */
	e->curves[0].count = 2;
	for (int k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < POINTS; i++)
			add_pair(&runs, i, k);
		sum -= ((difference(0, k) + difference(1, k)) / 2 + difference(2, k)) / 2;
	}
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(j->overall[ARM_B]->workloads, 2);
	expect_near(j->overall[ARM_B]->v.estimate, expm1(sum / ROUNDS), 1e-8);
	assert_int_equal(j->overall[ARM_B]->v.pairs, ROUNDS);
}

/* Nothing of figures that nobody may know, and nothing that a look has no use for. */
static void blind_and_glances(void **state)
{
	struct experiment *planned __free(experiment) = made(PLAN_PAIRS, "operations");
	struct experiment *decided __free(experiment) = made(PLAN_DECIDED, "operations");
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *blind __free(judgement) = NULL, *glance __free(judgement) = NULL;
	struct judgement *look __free(judgement) = NULL;

	(void)state;
	for (int k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < POINTS; i++)
			add_pair(&runs, i, k);
	}
	blind = judge(planned, &runs, JUDGE_LOOK);
	glance = judge(decided, &runs, JUDGE_GLANCE);
	look = judge(decided, &runs, JUDGE_LOOK);
	assert_int_equal(blind->curve_count, 0);
	assert_int_equal(glance->curve_count, 0);
	assert_int_equal(look->curve_count, 1);
	assert_true(judge_rule_is_sequential(look->curves[0].mean->v.rule));
	assert_true(judge_rule_is_sequential(look->curves[0].scalings[1].rule));
}

/* Medians over the runs, scaling by round, idle time of all runs together. */
static void described(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_SINGLE, "operations");
	struct entries runs __cleanup(entries_done) = {0};
	struct curve_points p __cleanup(curve_points_done) = {0};

	(void)state;
	for (int k = 0; k < 3; k++) {
		for (size_t i = 0; i < POINTS; i++) {
			struct made_run r = {
				.rate = rate_of_a(i, k),
				.share = 0.5,
				.idle_ns = k == 2 ? -1 : (k + 1) * NS_PER_SEC / 10,
			};

			/* In turn, and the first point twice in a round that the others lack. */
			add(&runs, i, k, ARM_A, &r);
		}
	}
	for (int k = 3; k < 5; k++) {
		struct made_run r = {.rate = 9e9, .share = 1, .idle_ns = -1};

		add(&runs, 0, k, ARM_A, &r);
	}
	p = curve_points_describe(e, &runs, &e->curves[0], ARM_A);
	assert_int_equal(p.count, POINTS);
	assert_true(p.of_one_task);
	assert_ptr_equal(p.rate, p.primary);
	assert_int_equal(p.list[0].n, 5);
	assert_int_equal(p.list[1].n, 3);
	expect_near(p.list[1].throughput, 1.6e9 * 1.03, 2);
	expect_near(p.list[1].per_task, 0.8e9 * 1.03, 2);
	assert_int_equal(p.list[2].rounds, 3);
	expect_near(p.list[0].scaling, 1, 1e-12);
	expect_near(p.list[1].scaling, 0.8, 1e-8);
	expect_near(p.list[2].scaling, 0.5, 1e-8);
	assert_true(isnan(p.list[0].fairness));
	expect_near(p.list[2].fairness, 0.5, 1e-8);
	expect_near(p.list[2].cpu_ns, 2, 1e-6);
	/* 0.1 s and 0.2 s of two CPUs' 1 s each, of the two runs that know it. */
	expect_near(p.list[1].idle_used, 0.3 / 4, 1e-12);
	assert_int_equal(p.list[1].cpus_used, 2);
	expect_near(p.list[1].idle_machine, 0.5, 1e-12);
	assert_int_equal(p.list[1].cpus_machine, 4);
}

/* Of few ticks there is no share, and without runs no figure. */
static void not_known(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_SINGLE, "stalls");
	struct entries runs __cleanup(entries_done) = {0};
	struct curve_points p __cleanup(curve_points_done) = {0};
	struct made_run r = {.rate = 1e6, .share = 1, .idle_ns = 0};
	json_t *idle;

	(void)state;
	add(&runs, 1, 0, ARM_A, &r);
	idle = json_object_get(runs.list[0].run->record, "idle");
	json_object_set_new(idle, "span_ns", json_integer(499 * NS_PER_MS));
	p = curve_points_describe(e, &runs, &e->curves[0], ARM_A);
	assert_string_equal(p.rate->name, "operations");
	assert_true(isnan(p.list[1].idle_used) && isnan(p.list[1].idle_machine));
	assert_true(isnan(p.list[1].scaling));
	assert_int_equal(p.list[1].rounds, 0);
	assert_int_equal(p.list[2].n, 0);
	assert_true(isnan(p.list[2].throughput) && isnan(p.list[2].per_task) &&
		    isnan(p.list[2].primary) && isnan(p.list[2].idle_used));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mean),
		cmocka_unit_test(the_scaling),
		cmocka_unit_test(holes),
		cmocka_unit_test(of_another_primary),
		cmocka_unit_test(beside_a_workload),
		cmocka_unit_test(blind_and_glances),
		cmocka_unit_test(described),
		cmocka_unit_test(not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
