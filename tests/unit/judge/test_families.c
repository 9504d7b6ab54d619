// SPDX-License-Identifier: GPL-2.0-or-later
#include "many.h"

#include "experiments.h"
#include "judge/families.h"
#include "stats/family.h"
#include "stats/sign_flip.h"

static struct judgement *judged(const struct experiment *e, const struct entries *runs)
{
	struct judgement *j = judge(e, runs, JUDGE_END);

	assert_int_equal(j->comparisons[0].metric_count, e->subjects[0].description->metric_count);
	return j;
}

/*
 * All up together: the one pattern of signs and its mirror are as far, 2 of 2^6, for all of them.
 */
static void twelve_may_be_rejected_by_six_pairs(void **state)
{
	struct experiment *e __free(experiment) = many_experiment(PLAN_PAIRS, 6, 1, 13);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int k = 0; k < 6; k++) {
		double d[13];

		for (size_t m = 0; m < 13; m++)
			d[m] = 0.1 + 0.01 * (double)((k * 5 + (int)m * 7) % 11);
		many_pair(&runs, 0, k, d, 13);
	}
	j = judged(e, &runs);
	assert_int_equal(j->comparisons[0].metrics[0].correction, CORRECTION_NONE);
	for (size_t m = 1; m < 13; m++) {
		const struct metric_verdict *v = &j->comparisons[0].metrics[m];

		assert_int_equal(v->correction, CORRECTION_MAX_T);
		assert_int_equal(v->comparisons, 12);
		assert_float_equal(v->p, 2.0 / 64, 0);
		assert_float_equal(v->p_adjusted, 2.0 / 64, 0);
		assert_int_equal(v->verdict, VERDICT_REGRESSED);
	}
}

/* m1 and m2 are alike but for a factor: they are one to max-T, where Holm would double p. */
static void a_copy_costs_nothing(void **state)
{
	static const double d[] = {.02, .03, -.01, .05, .04, .02, .06, -.005};
	struct experiment *e __free(experiment) = many_experiment(PLAN_PAIRS, 8, 1, 3);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct metric_verdict *v;
	double alone;

	(void)state;
	for (int k = 0; k < 8; k++) {
		const double both[] = {0.01 * k - 0.03, d[k], d[k] * 2};

		many_pair(&runs, 0, k, both, 3);
	}
	j = judged(e, &runs);
	v = j->comparisons[0].metrics;
	alone = sign_flip_p(d, 8, 0);
	assert_float_equal(v[1].p, alone, 0);
	assert_float_equal(v[1].p_adjusted, alone, 0);
	assert_float_equal(v[2].p_adjusted, alone, 0);
	assert_int_equal(v[1].comparisons, 2);
}

/* Pairs are matched by their numbers, not by their place among those with a figure. */
static void missing_pairs_keep_their_place(void **state)
{
	struct experiment *e __free(experiment) = many_experiment(PLAN_PAIRS, 9, 1, 3);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	struct metric_verdict *family[2];
	double *matrix __free(memory) = NULL;
	int64_t *numbers __free(memory) = NULL;
	size_t pairs;

	(void)state;
	for (int k = 0; k < 9; k++) {
		double sign = k % 2 ? -1 : 1;
		const double all[] = {0, k == 0 ? NAN : 0.01 * sign * (k + 1),
				      k == 8 ? NAN : 0.01 * sign * (k + 1)};

		many_pair(&runs, 0, 100 + 3 * k, all, 3);
	}
	j = judged(e, &runs);
	for (size_t i = 0; i < 2; i++) {
		family[i] = &j->comparisons[0].metrics[1 + i];
		assert_int_equal(family[i]->pairs, 8);
		assert_int_equal(family[i]->refused, 1);
	}
	matrix = families_differences(family, 2, &pairs, &numbers);
	assert_int_equal(pairs, 9);
	for (size_t k = 0; k < 9; k++)
		assert_int_equal(numbers[k], 100 + 3 * (int)k);
	assert_true(isnan(matrix[0]) && isnan(matrix[9 + 8]));
	for (size_t k = 1; k < 8; k++)
		assert_float_equal(matrix[k], matrix[9 + k], 1e-9);
	assert_float_equal(matrix[8], 0.09, 1e-8);
	assert_float_equal(matrix[9], 0.01, 1e-8);
}

/* One with figures in five of eight pairs is counted, undecided, and in nobody's way. */
static void few_figures_are_in_nobodys_way(void **state)
{
	struct experiment *e __free(experiment) = many_experiment(PLAN_PAIRS, 8, 1, 4);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct metric_verdict *v;

	(void)state;
	for (int k = 0; k < 8; k++) {
		const double d[] = {0, 0.1 + 0.01 * k, 0.1 + 0.01 * (k * 3 % 8), k < 5 ? 0.1 : NAN};

		many_pair(&runs, 0, k, d, 4);
	}
	j = judged(e, &runs);
	v = j->comparisons[0].metrics;
	assert_int_equal(v[3].rule, RULE_PAIRED_T);
	assert_int_equal(v[3].comparisons, 3);
	assert_float_equal(v[3].p_adjusted, 1, 0);
	assert_int_equal(v[3].verdict, VERDICT_UNDECIDED);
	assert_float_equal(v[1].p_adjusted, 2.0 / 256, 0);
	assert_float_equal(v[2].p_adjusted, 2.0 / 256, 0);
}

/* Under looks, with fewer than six pairs, and alone. */
static void what_is_corrected_how(void **state)
{
	static const struct {
		enum plan plan;
		int pairs;
		size_t metrics;
		enum judge_correction correction;
	} cases[] = {
		{PLAN_PAIRS, 8, 3, CORRECTION_MAX_T},
		{PLAN_PAIRS, 5, 3, CORRECTION_HOLM},
		{PLAN_DECIDED, 8, 3, CORRECTION_HOLM},
		{PLAN_PAIRS, 8, 2, CORRECTION_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct experiment *e __free(experiment) =
			many_experiment(cases[i].plan, 40, 2, cases[i].metrics);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;

		for (int k = 0; k < cases[i].pairs; k++) {
			const double d[] = {0.1, 0.02 * k - 0.05, 0.1};

			many_pair(&runs, 0, k, d, cases[i].metrics);
			many_pair(&runs, 1, k, d, cases[i].metrics);
		}
		j = judged(e, &runs);
		assert_int_equal(j->comparisons[0].metrics[0].correction, CORRECTION_HOLM);
		assert_int_equal(j->comparisons[0].metrics[0].comparisons, 2);
		assert_int_equal(j->comparisons[1].metrics[1].correction, cases[i].correction);
	}
}

/* Of 25 comparisons eight pairs reject with at most 12 of 256 patterns, as of one. */
static void a_joint_family_spends_what_one_does(void **state)
{
	struct experiment *e __free(experiment) = many_experiment(PLAN_PAIRS, 30, 1, 26);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int k = 0; k <= 8; k++) {
		double d[26];

		for (size_t m = 0; m < 26; m++)
			d[m] = 0.01 * ((k * 7 + (int)m * 5) % 9 - 4);
		many_pair(&runs, 0, k, d, 26);
	}
	e->looked = 8;
	j = judged(e, &runs);
	assert_int_equal(j->first_end, 8);
	assert_true(fabs(j->comparisons[0].metrics[25].level - (0.05 - 12.0 / 256)) < 1e-12);
	assert_int_equal(j->comparisons[0].metrics[25].correction, CORRECTION_HOLM);
}

/* ---- how often a family errs ---- */

enum { EXPERIMENTS = 500, SECONDARIES = 12 };

struct errors {
	int experiments;
	int any;		  /* experiments in which one was rejected that has no difference */
	int by_holm;		  /* the same, had Holm corrected the p of each */
	int found, found_by_holm; /* those that have one, in all experiments */
};

/*
 * `real` of the secondaries have a difference. They share a part of their noise, as metrics of one
 * run do; some are missing in some pairs, and the noise of others has heavy tails.
 */
static struct errors simulate(int pairs, size_t real, double difference, double shared,
			      uint64_t stream)
{
	struct experiment *e __free(experiment) =
		many_experiment(PLAN_PAIRS, pairs, 1, SECONDARIES + 1);
	struct errors errors = {.experiments = experiments(EXPERIMENTS)};
	struct random random;

	random_seed(&random, 1, stream);
	/*
	 * A margin that clears nothing, for `cleared` hides that it is better or worse within it.
	 */
	e->margin = 0.0001;
	for (int i = 0; i < errors.experiments; i++) {
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;
		double p[SECONDARIES], adjusted[SECONDARIES];
		bool any = false, any_by_holm = false;

		for (int k = 0; k < pairs; k++) {
			double d[SECONDARIES + 1], common = many_normal(&random);

			d[0] = 0;
			for (size_t m = 1; m <= SECONDARIES; m++) {
				double own = many_normal(&random);

				if (m % 3 == 0)
					own *= exp(many_normal(&random));
				d[m] = 0.015 * (sqrt(shared) * common + sqrt(1 - shared) * own);
				d[m] += m <= real ? difference : 0;
				if (m % 4 == 0 && random_unit(&random) < 0.2)
					d[m] = NAN;
			}
			many_pair(&runs, 0, k, d, SECONDARIES + 1);
		}
		j = judge(e, &runs, JUDGE_END);
		for (size_t m = 0; m < SECONDARIES; m++)
			p[m] = j->comparisons[0].metrics[m + 1].p;
		family_adjust_holm(p, SECONDARIES, adjusted);
		for (size_t m = 0; m < SECONDARIES; m++) {
			enum verdict verdict = j->comparisons[0].metrics[m + 1].verdict;
			bool rejected = verdict == VERDICT_REGRESSED || verdict == VERDICT_IMPROVED;
			bool rejected_by_holm = adjusted[m] <= e->alpha;

			if (m < real) {
				errors.found += rejected;
				errors.found_by_holm += rejected_by_holm;
				continue;
			}
			any |= rejected;
			any_by_holm |= rejected_by_holm;
		}
		errors.any += any;
		errors.by_holm += any_by_holm;
	}
	print_message("# %d pairs, %zu of %d differ by %.1f %%, %.0f %% of noise shared: false in "
		      "%d of %d experiments, Holm %d; found %.1f %%, Holm %.1f %%\n",
		      pairs, real, SECONDARIES, 100 * difference, 100 * shared, errors.any,
		      errors.experiments, errors.by_holm,
		      real ? 100.0 * errors.found / (double)real / errors.experiments : 0,
		      real ? 100.0 * errors.found_by_holm / (double)real / errors.experiments : 0);
	return errors;
}

static void no_more_than_alpha_is_rejected_falsely(void **state)
{
	const int n = experiments(EXPERIMENTS), most = experiments_most(n, .05);
	struct errors e;

	(void)state;
	e = simulate(8, 0, 0, 0.5, 1);
	assert_in_range(e.any, experiments_least(n, .04), most);
	e = simulate(8, 0, 0, 0.95, 2);
	/* Metrics that move together: Holm, which counts each, spends little. */
	assert_true(e.any <= most && e.any >= e.by_holm);
	e = simulate(6, 0, 0, 0.5, 3);
	assert_true(e.any <= most && e.by_holm == 0);
	/* With some that differ the others keep their level: it is a step-down. */
	e = simulate(8, 6, 0.03, 0.5, 4);
	assert_true(e.any <= most);
	assert_true(e.found > e.found_by_holm);
	e = simulate(6, 6, 0.03, 0.5, 5);
	assert_true(e.any <= most);
	/* Of six, a quarter or more; Holm cannot. */
	assert_true(e.found > 3 * n / 2 && e.found_by_holm == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twelve_may_be_rejected_by_six_pairs),
		cmocka_unit_test(a_copy_costs_nothing),
		cmocka_unit_test(missing_pairs_keep_their_place),
		cmocka_unit_test(few_figures_are_in_nobodys_way),
		cmocka_unit_test(what_is_corrected_how),
		cmocka_unit_test(a_joint_family_spends_what_one_does),
		cmocka_unit_test(no_more_than_alpha_is_rejected_falsely),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
