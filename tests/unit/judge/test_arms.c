// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More than two arms: which runs are a comparison's, what becomes of arms that fail, the families,
 * and how often any verdict is false.
 */
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
#include "experiments.h"
#include "judge/judge.h"
#include "stats/blocks.h"
#include "stats/family.h"

/* Two metrics that are made of one another, and one that is not. */
static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":["
	"{\"name\":\"n\",\"type\":\"count\",\"preset\":\"1\",\"help\":\"\"}],\"metrics\":["
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"work\",\"unit\":\"1\",\"better\":\"higher\",\"summary\":\"total\","
	"\"of\":\"task.work\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"heat\",\"unit\":\"1\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.heat\",\"primary\":false,\"multitask\":false,\"help\":\"\"}]}";

static struct experiment *made(enum plan plan, int arms, size_t subjects)
{
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	e->plan = plan;
	e->arm_count = arms;
	e->pairs = 10;
	e->alpha = 0.05;
	e->margin = 0.02;
	e->subjects = memory_array(subjects, sizeof(*e->subjects));
	e->subject_count = subjects;
	for (size_t i = 0; i < subjects; i++) {
		assert_true(description_from_json(object, &e->subjects[i].description, &err));
		for (int arm = 0; arm < arms; arm++)
			e->subjects[i].params[arm] = json_object();
		e->subjects[i].primary = "cost";
	}
	return e;
}

static void add(struct entries *runs, size_t subject, int64_t block, int arm, double cost,
		double work, double heat)
{
	char *text __free(memory) =
		text_format("{\"outcome\":\"ok\",\"reason\":\"\",\"tasks\":[{\"role\":\"task\","
			    "\"task\":0,\"window_ns\":1,\"counters\":{\"cost\":%.0f,\"work\":%.0f,"
			    "\"heat\":%.0f}}],\"series\":[]}",
			    1e6 * cost, 1e6 * work, 1e6 * heat);
	json_t *record __free(json) = NULL;
	struct run *run = NULL;
	struct error err;

	assert_true(json_parse(text, strlen(text), &record, &err));
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	entries_add(runs,
		    (struct entry){.subject = subject, .pair = block, .arm = arm, .run = run});
}

static void add_bad(struct entries *runs, int64_t block, int arm, enum outcome outcome)
{
	entries_add(runs, (struct entry){.pair = block,
					 .arm = arm,
					 .run = run_without_record(outcome, "as the test says")});
}

/* A figure near 1 that is not the same in any two runs. */
static double noisy(int64_t block, int arm)
{
	return 1 + 0.001 * (double)((block * 7 + arm * 5) % 11);
}

static void add_block(struct entries *runs, size_t subject, int64_t block, const double *costs,
		      int arms)
{
	for (int arm = 0; arm < arms; arm++) {
		double cost = costs[arm] * noisy(block, arm);

		add(runs, subject, block, arm, cost, 2 / cost, noisy(block * 3, arm));
	}
}

static const struct comparison *of_arm(const struct judgement *j, size_t subject, int arm)
{
	size_t i = 0;

	while (i + 1 < j->comparison_count &&
	       (j->comparisons[i].index != subject || j->comparisons[i].arm != arm))
		i++;
	assert_int_equal(j->comparisons[i].index, subject);
	assert_int_equal(j->comparisons[i].arm, arm);
	return &j->comparisons[i];
}

/* ---- what is compared ---- */

static void each_arm_is_compared_with_a(void **state)
{
	static const double costs[] = {1, 1.2, 0.8, 1};
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 4, 2);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	json_object_set_new(e->subjects[0].params[ARM_B], "n", json_string("2"));
	json_object_set_new(e->subjects[0].params[ARM_C], "n", json_string("1"));
	for (int block = 0; block < 10; block++) {
		add_block(&runs, 1, block, costs, 4);
		add_block(&runs, 0, block, costs, 4);
	}
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(j->comparison_count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct comparison *c = &j->comparisons[i];

		assert_int_equal(c->index, i / 3);
		assert_int_equal(c->arm, ARM_B + (int)(i % 3));
		assert_ptr_equal(c->subject, &e->subjects[c->index]);
		assert_int_equal(c->pairs, 10);
		assert_int_equal(c->runs[ARM_A], 10);
		assert_int_equal(c->runs[c->arm], 10);
		/* Nothing of the others, and n=1 is the default. */
		for (int arm = ARM_B; arm < ARM_MOST; arm++)
			assert_true(arm == c->arm || !c->runs[arm]);
		assert_int_equal(c->aa, i > 0);
		assert_true(c->metrics[0].a[3] == j->comparisons[0].metrics[0].a[3]);
		assert_float_equal(c->metrics[0].b[3] / c->metrics[0].a[3],
				   costs[c->arm] * noisy(3, c->arm) / noisy(3, ARM_A), 1e-6);
	}
	assert_false(j->aa);
	assert_int_equal(of_arm(j, 0, ARM_B)->metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(of_arm(j, 0, ARM_C)->metrics[0].verdict, VERDICT_IMPROVED);
	assert_int_equal(of_arm(j, 1, ARM_D)->metrics[0].verdict, VERDICT_CLEARED);
	/* Any that regressed. */
	assert_int_equal(judgement_status(j, false), 1);
}

/* One that failed costs its own comparison a pair, and the others nothing. */
static void a_failed_run_drops_its_own_pair(void **state)
{
	static const double costs[] = {1, 1, 1};
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int block = 0; block < 9; block++)
		add_block(&runs, 0, block, costs, 3);
	add(&runs, 0, 9, ARM_A, 1, 1, 1);
	add(&runs, 0, 9, ARM_B, 1, 1, 1);
	add_bad(&runs, 9, ARM_C, OUTCOME_INVALID);
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(of_arm(j, 0, ARM_B)->pairs, 10);
	assert_int_equal(of_arm(j, 0, ARM_B)->dropped, 0);
	assert_int_equal(of_arm(j, 0, ARM_C)->pairs, 9);
	assert_int_equal(of_arm(j, 0, ARM_C)->dropped, 1);
	assert_string_equal(of_arm(j, 0, ARM_C)->first_drop,
			    "pair 10, C: invalid: as the test says");
}

/* ---- arms that can do no more ---- */

static void one_arm_crashes(void **state)
{
	static const double costs[] = {1, 0.8};
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int block = 0; block < 10; block++) {
		add_block(&runs, 0, block, costs, 2);
		if (block < 3)
			add_bad(&runs, block, ARM_C, OUTCOME_CRASHED);
		/* Afterwards it was not run again. */
		for (size_t i = runs.count - 2; block >= 3 && i < runs.count; i++)
			runs.list[i].arms = 1U << ARM_A | 1U << ARM_B;
	}
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(comparison_finding(of_arm(j, 0, ARM_B)), FINDING_IMPROVED);
	assert_int_equal(comparison_finding(of_arm(j, 0, ARM_C)), FINDING_CRASHES);
	assert_string_equal(of_arm(j, 0, ARM_C)->why_not, "crashed: as the test says");
	assert_int_equal(of_arm(j, 0, ARM_B)->pairs, 10);
	assert_int_equal(of_arm(j, 0, ARM_C)->dropped, 3);
	assert_true(j->crashes);
	assert_int_equal(judgement_status(j, false), 1);
}

static void nothing_is_possible_without_a(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int block = 0; block < 3; block++) {
		add_bad(&runs, block, ARM_A, OUTCOME_FAILED);
		add(&runs, 0, block, ARM_B, 1, 1, 1);
		add_bad(&runs, block, ARM_C, OUTCOME_CRASHED);
	}
	j = judge(e, &runs, JUDGE_LOOK);
	assert_int_equal(comparison_finding(of_arm(j, 0, ARM_B)), FINDING_IMPOSSIBLE);
	assert_int_equal(comparison_finding(of_arm(j, 0, ARM_C)), FINDING_IMPOSSIBLE);
	assert_int_equal(judgement_status(j, false), 4);
}

/* A fails when B has its verdict and rests: that is no failure beside B. */
static void what_came_after_an_arm_rests_is_not_its(void **state)
{
	static const double costs[] = {1, 1.2, 1};
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int block = 0; block < 8; block++)
		add_block(&runs, 0, block, costs, 3);
	for (int block = 8; block < 11; block++) {
		add_bad(&runs, block, ARM_A, OUTCOME_FAILED);
		add(&runs, 0, block, ARM_C, 1, 1, 1);
		for (size_t i = runs.count - 2; i < runs.count; i++)
			runs.list[i].arms = 1U << ARM_A | 1U << ARM_C;
	}
	j = judge(e, &runs, JUDGE_LOOK);
	assert_int_equal(of_arm(j, 0, ARM_B)->failures_in_row[ARM_A], 0);
	assert_int_equal(comparison_finding(of_arm(j, 0, ARM_B)), FINDING_REGRESSED);
	assert_true(of_arm(j, 0, ARM_C)->impossible);
}

/* ---- families ---- */

/* One workload's primaries: what stats/blocks.h makes of all figures. */
static void primaries_of_a_plan_are_closed_tests(void **state)
{
	static const double costs[] = {1, 1.004, 0.998};
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	double y[3 * 10], p[2];

	(void)state;
	for (int block = 0; block < 10; block++)
		add_block(&runs, 0, block, costs, 3);
	j = judge(e, &runs, JUDGE_END);
	for (int arm = ARM_B; arm <= ARM_C; arm++) {
		const struct metric_verdict *m = of_arm(j, 0, arm)->metrics;

		for (int block = 0; block < 10; block++) {
			y[block] = log(m->a[block]);
			y[arm * 10 + block] = log(m->b[block]);
		}
	}
	blocks_compare(y, 3, 10, e->seed, p);
	for (int arm = ARM_B; arm <= ARM_C; arm++) {
		const struct metric_verdict *m = of_arm(j, 0, arm)->metrics;

		assert_int_equal(m->correction, CORRECTION_BLOCKS);
		assert_int_equal(m->comparisons, 2);
		assert_float_equal(m->p_adjusted, p[arm - ARM_B], 1e-12);
		assert_true(m->p_adjusted >= m->p);
	}
}

/* Two workloads: closed tests in each, and Holm's between them. */
static void workloads_are_groups(void **state)
{
	static const double first[] = {1, 1.01, 1}, second[] = {1, 1.003, 0.997};
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3, 2);
	struct experiment *one __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct entries of_first __cleanup(entries_done) = {0};
	struct entries of_second __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	struct judgement *alone[2] = {NULL, NULL};
	static const size_t groups[] = {0, 0, 1, 1};
	double within[4], wanted[4];

	(void)state;
	for (int block = 0; block < 10; block++) {
		add_block(&runs, 0, block, first, 3);
		add_block(&runs, 1, block, second, 3);
		add_block(&of_first, 0, block, first, 3);
		add_block(&of_second, 0, block, second, 3);
	}
	j = judge(e, &runs, JUDGE_END);
	alone[0] = judge(one, &of_first, JUDGE_END);
	alone[1] = judge(one, &of_second, JUDGE_END);
	for (int i = 0; i < 4; i++)
		within[i] = alone[i / 2]->comparisons[i % 2].metrics[0].p_adjusted;
	family_adjust_groups(within, groups, 4, wanted);
	for (int i = 0; i < 4; i++) {
		assert_float_equal(j->comparisons[i].metrics[0].p_adjusted, wanted[i], 1e-12);
		assert_int_equal(j->comparisons[i].metrics[0].comparisons, 4);
	}
	judgement_free(alone[0]);
	judgement_free(alone[1]);
}

static void others_are_a_family_of_all_arms(void **state)
{
	static const double costs[] = {1, 1.1, 1};
	struct experiment *planned __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct experiment *decided __free(experiment) = made(PLAN_DECIDED, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *end __free(judgement) = NULL;
	struct judgement *look __free(judgement) = NULL;

	(void)state;
	for (int block = 0; block < 10; block++)
		add_block(&runs, 0, block, costs, 3);
	end = judge(planned, &runs, JUDGE_END);
	look = judge(decided, &runs, JUDGE_LOOK);
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 1; k < 3; k++) {
			const struct metric_verdict *m = &end->comparisons[i].metrics[k];

			assert_int_equal(m->comparisons, 4);
			assert_int_equal(m->correction, CORRECTION_MAX_T);
			assert_true(m->p_adjusted >= m->p);
			m = &look->comparisons[i].metrics[k];
			assert_int_equal(m->comparisons, 4);
			assert_int_equal(m->correction, CORRECTION_HOLM);
		}
		assert_int_equal(look->comparisons[i].metrics[0].comparisons, 2);
		assert_int_equal(look->comparisons[i].metrics[0].correction, CORRECTION_HOLM);
	}
}

/* Permutation tests have no steps: a plan that was judged has used all of its alpha. */
static void no_plan_of_several_arms_is_extended(void **state)
{
	static const double costs[] = {1, 1, 1};
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};

	(void)state;
	for (int block = 0; block < 6; block++)
		add_block(&runs, 0, block, costs, 3);
	e->pairs = 6;
	e->looked = 6;
	assert_int_equal(judge_extension_needs(e, &runs), 0);
}

/*
 * One that somebody extended all the same is judged as it was, also where one arm has its verdict.
 */
static void an_extension_of_several_arms_keeps_what_it_has(void **state)
{
	static const double costs[] = {1, 1.2, 1}, later[] = {1, 0.8, 1.2};
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3, 1);
	struct entries runs __cleanup(entries_done) = {0};

	(void)state;
	for (int block = 0; block < 10; block++)
		add_block(&runs, 0, block, costs, 3);
	e->pairs = 20;
	e->looked = 10;
	assert_int_equal(judge_extension_needs(e, &runs), 0);
	for (int block = 10; block < 20; block++) {
		struct judgement *j __free(judgement) = NULL;

		add_block(&runs, 0, block, later, 3);
		j = judge(e, &runs, JUDGE_END);
		assert_int_equal(of_arm(j, 0, ARM_B)->metrics[0].verdict, VERDICT_REGRESSED);
		assert_int_equal(of_arm(j, 0, ARM_C)->metrics[0].verdict, VERDICT_CLEARED);
	}
}

/* ---- how often it errs ---- */

static double normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/*
 * Of many experiments how many have a false verdict of a primary; of their workloads, each of which
 * is a family, how many have one of another metric.
 */
struct errors {
	int primaries, others, power;
};

/*
 * Logarithms of figures: a block's own, and a run's with a sd of 1.5 %. B differs from A by
 * `shift`, the other arms do not: a verdict regressed or improved on one of them is false, and so
 * is any on heat.
 */
static struct errors simulate(enum plan plan, int arms, size_t subjects, int blocks, int n,
			      double shift, uint64_t stream)
{
	struct experiment *e __free(experiment) = made(plan, arms, subjects);
	struct errors errors = {0};
	struct random random;

	e->pairs = blocks;
	random_seed(&random, 1, stream);
	for (int i = 0; i < n; i++) {
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;
		bool false_primary = false, false_other[2] = {false, false};

		e->seed = (uint64_t)i;
		for (int k = 0; k < blocks * (int)subjects; k++) {
			double drift = 0.05 * normal(&random);

			for (int arm = 0; arm < arms; arm++) {
				double cost = exp(drift + 0.015 * normal(&random) +
						  (arm == ARM_B ? shift : 0));

				add(&runs, (size_t)(k % (int)subjects), k / (int)subjects, arm,
				    cost, exp(0.015 * normal(&random)) / cost,
				    exp(drift + 0.015 * normal(&random)));
			}
		}
		j = judge(e, &runs, JUDGE_END);
		for (size_t c = 0; c < j->comparison_count; c++) {
			for (size_t m = 0; m < 3; m++) {
				const struct comparison *own = &j->comparisons[c];
				enum verdict verdict = own->metrics[m].verdict;
				bool rejected = verdict == VERDICT_REGRESSED ||
						verdict == VERDICT_IMPROVED ||
						own->metrics[m].worse;
				bool differs = shift != 0 && own->arm == ARM_B && m < 2;

				if (!m && differs)
					errors.power += rejected;
				else if (!differs && rejected)
					*(m ? &false_other[own->index] : &false_primary) = true;
			}
		}
		errors.primaries += false_primary;
		errors.others += false_other[0] + false_other[1];
	}
	print_message("# %s, %d arms, %zu workloads, %d blocks, B %+.1f%%: of %d any false primary "
		      "%d, other %d; B found %d\n",
		      plan_words[plan], arms, subjects, blocks, 100 * expm1(shift), n,
		      errors.primaries, errors.others, errors.power);
	return errors;
}

static void a_family_errs_in_five_percent(void **state)
{
	enum { N = 200 };
	static const struct {
		enum plan plan;
		int arms;
		size_t subjects;
		int blocks;
		double shift;
	} cases[] = {
		{PLAN_PAIRS, 3, 1, 8, 0},    {PLAN_PAIRS, 3, 1, 8, 0.05},
		{PLAN_PAIRS, 4, 2, 8, 0},    {PLAN_PAIRS, 4, 1, 10, 0.05},
		{PLAN_DECIDED, 3, 1, 20, 0}, {PLAN_DECIDED, 3, 1, 20, 0.05},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		/* With looks each experiment takes as many tests as blocks. */
		int n = experiments(cases[i].plan == PLAN_PAIRS ? N : N / 4);
		struct errors errors = simulate(cases[i].plan, cases[i].arms, cases[i].subjects,
						cases[i].blocks, n, cases[i].shift, i);

		assert_in_range(errors.primaries, 0, experiments_most(n, .05));
		assert_in_range(errors.others, 0,
				experiments_most(n * (int)cases[i].subjects, .05));
		if (cases[i].shift != 0)
			assert_true(errors.power >= experiments_least(n, .95));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_arm_is_compared_with_a),
		cmocka_unit_test(a_failed_run_drops_its_own_pair),
		cmocka_unit_test(one_arm_crashes),
		cmocka_unit_test(nothing_is_possible_without_a),
		cmocka_unit_test(what_came_after_an_arm_rests_is_not_its),
		cmocka_unit_test(primaries_of_a_plan_are_closed_tests),
		cmocka_unit_test(workloads_are_groups),
		cmocka_unit_test(others_are_a_family_of_all_arms),
		cmocka_unit_test(no_plan_of_several_arms_is_extended),
		cmocka_unit_test(an_extension_of_several_arms_keeps_what_it_has),
		cmocka_unit_test(a_family_errs_in_five_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
