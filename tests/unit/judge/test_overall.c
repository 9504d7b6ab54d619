// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/overall.h"

#include "many.h"

#include "stats/sign_flip.h"

enum { WORKLOADS = 4 };

static struct experiment *made(enum plan plan, size_t workloads)
{
	struct experiment *e = many_experiment(plan, 40, workloads, 1);

	/* Every second is better when higher. */
	for (size_t i = 1; i < workloads; i += 2)
		e->subjects[i].description->metrics[0].better = BETTER_HIGHER;
	return e;
}

static void add(struct entries *runs, size_t workload, int64_t pair, double worsening)
{
	double d = workload % 2 ? -worsening : worsening;

	many_pair(runs, workload, pair, &d, 1);
}

static double worsening_of(size_t workload, int pair)
{
	static const double centres[WORKLOADS] = {0.10, -0.04, 0.02, 0.03};

	return centres[workload] + 0.01 * ((pair * 5 + (int)workload * 3) % 8 - 3.5);
}

static bool near(double value, double wanted, double by)
{
	return fabs(value - wanted) <= by;
}

/* Of B/A and A/B: the mean of the worsenings of each round, tested as differences are. */
static void mean_of_worsenings(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, WORKLOADS);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	struct interval interval;
	const struct overall *o;
	double means[8], sum = 0;

	(void)state;
	for (int k = 0; k < 8; k++) {
		means[k] = 0;
		for (size_t w = 0; w < WORKLOADS; w++) {
			add(&runs, w, k, worsening_of(w, k));
			means[k] += worsening_of(w, k) / WORKLOADS;
		}
		sum += means[k];
	}
	j = judge(e, &runs, JUDGE_END);
	o = j->overall[ARM_B];
	assert_null(o->why_not);
	assert_int_equal(o->workloads, WORKLOADS);
	assert_int_equal(o->rounds, 8);
	assert_int_equal(o->v.pairs, 8);
	assert_int_equal(o->v.rule, RULE_SIGN_FLIP);
	assert_true(near(o->v.estimate, expm1(sum / 8), 1e-8));
	interval = sign_flip_interval(means, 8, 0.05, 0);
	assert_true(near(o->v.interval.low, expm1(interval.low), 1e-8));
	assert_true(near(o->v.interval.high, expm1(interval.high), 1e-8));
	assert_true(near(o->v.p, sign_flip_p(means, 8, 0), 1e-12));
	/* No verdict goes by it: the workload that regressed decides. */
	assert_int_equal(j->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(judgement_status(j, false), 1);
}

/* The same workload ten times says what it says once; ones without any change do not sharpen it. */
static void more_workloads_do_not_sharpen_it(void **state)
{
	struct judgement *j[3] = {NULL};
	static const size_t counts[] = {2, 10, 10};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct experiment *e __free(experiment) =
			many_experiment(PLAN_PAIRS, 40, counts[i], 1);
		struct entries runs __cleanup(entries_done) = {0};

		for (int k = 0; k < 8; k++) {
			for (size_t w = 0; w < counts[i]; w++) {
				double d = i == 2 && w > 1 ? 0 : worsening_of(2, k);

				many_pair(&runs, w, k, &d, 1);
			}
		}
		j[i] = judge(e, &runs, JUDGE_END);
	}
	for (int i = 1; i < 3; i++) {
		const struct metric_verdict *two = &j[0]->overall[ARM_B]->v,
					    *ten = &j[i]->overall[ARM_B]->v;
		double share = i == 1 ? 1 : 0.2;

		assert_int_equal(ten->pairs, 8);
		assert_true(ten->p == two->p);
		assert_true(near(log1p(ten->estimate), share * log1p(two->estimate), 1e-8));
		assert_true(near(log1p(ten->interval.low), share * log1p(two->interval.low), 1e-8));
	}
	for (int i = 0; i < 3; i++)
		judgement_free(j[i]);
}

/* A round lacks a pair: it is left out. One workload rests: rounds end with it. */
static void incomplete_rounds(void **state)
{
	struct experiment *planned __free(experiment) = made(PLAN_PAIRS, 2);
	struct experiment *decided __free(experiment) = made(PLAN_DECIDED, 2);
	struct entries holes __cleanup(entries_done) = {0}, rest __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL, *looks __free(judgement) = NULL;
	const struct overall *o;

	(void)state;
	for (int k = 0; k < 10; k++) {
		if (k != 3)
			add(&holes, 0, k, worsening_of(0, k));
		if (k != 5)
			add(&holes, 1, k, worsening_of(1, k));
		if (k < 7)
			add(&rest, 0, k, worsening_of(0, k));
		add(&rest, 1, k, worsening_of(1, k));
	}
	j = judge(planned, &holes, JUDGE_END);
	o = j->overall[ARM_B];
	assert_null(o->why_not);
	assert_int_equal(o->rounds, 10);
	assert_int_equal(o->v.pairs, 8);
	looks = judge(decided, &rest, JUDGE_LOOK);
	o = looks->overall[ARM_B];
	assert_null(o->why_not);
	assert_int_equal(o->rounds, 7);
	assert_int_equal(o->v.pairs, 7);
	assert_int_equal(o->v.rule, RULE_E_PROCESS);
	/* One number that only one of them has tells nothing of a round. */
	assert_true(isfinite(o->v.interval.low) && isfinite(o->v.interval.high));
}

static void all_or_none(void **state)
{
	static const char *const reasons[] = {
		"made has figures of zero, and so no ratio",
		"made was given up",
		"3 of 8 rounds have a figure of each workload",
		"made has figures in too few pairs",
		"made has no better direction",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;

		if (i == 4)
			e->subjects[2].description->metrics[0].better = BETTER_NEITHER;
		for (int k = 0; k < 8; k++) {
			double none = i == 0 && k == 7 ? -INFINITY : i == 3 && k > 1 ? NAN : 0;

			if (i != 2 || k < 5 || k == 7)
				add(&runs, 0, k, worsening_of(0, k));
			if (i != 2 || k >= 3)
				add(&runs, 1, k, worsening_of(1, k));
			if (i != 1)
				many_pair(&runs, 2, k, &none, 1);
		}
		for (int k = 0; i == 1 && k < 3; k++) {
			for (int arm = 0; arm < 2; arm++)
				entries_add(&runs, (struct entry){.subject = 2,
								  .pair = k,
								  .arm = arm,
								  .run = run_without_record(
									  OUTCOME_FAILED, "no")});
		}
		j = judge(e, &runs, JUDGE_END);
		assert_string_equal(j->overall[ARM_B]->why_not, reasons[i]);
	}
}

static void when_there_is_one(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 2);
	struct experiment *one __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *blind __free(judgement) = NULL, *alone __free(judgement) = NULL;
	struct judgement *extended __free(judgement) = NULL;

	(void)state;
	for (int k = 0; k < 10; k++) {
		add(&runs, 0, k, worsening_of(0, k));
		add(&runs, 1, k, worsening_of(1, k));
	}
	blind = judge(e, &runs, JUDGE_LOOK);
	assert_null(blind->overall[ARM_B]);
	alone = judge(one, &runs, JUDGE_END);
	assert_null(alone->overall[ARM_B]);
	e->looked = 8;
	extended = judge(e, &runs, JUDGE_END);
	assert_int_equal(extended->first_end, 8);
	assert_int_equal(extended->overall[ARM_B]->v.pairs, 8);
	assert_int_equal(extended->overall[ARM_B]->v.rule, RULE_SIGN_FLIP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_of_worsenings),
		cmocka_unit_test(more_workloads_do_not_sharpen_it),
		cmocka_unit_test(incomplete_rounds),
		cmocka_unit_test(all_or_none),
		cmocka_unit_test(when_there_is_one),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
