// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More pairs than were planned, by somebody who has seen what those showed: level, interval, what
 * stays, what is refused; and by simulation, that nothing is won by it under the null.
 */
#include "many.h"

#include "experiments.h"

static struct experiment *made(int64_t pairs, size_t subjects)
{
	struct experiment *e = many_experiment(PLAN_PAIRS, pairs, subjects, 1);

	e->margin = 0;
	e->seed = 1;
	return e;
}

static void add(struct entries *runs, size_t subject, int64_t pair, double d)
{
	many_pair(runs, subject, pair, &d, 1);
}

/* Differences of both signs in equal parts. */
static double undecided(int pair)
{
	static const double d[] = {0.01, -0.012, 0.011, -0.009, 0.013, -0.0125, 0.008, -0.01};

	return d[pair % 8];
}

static const struct metric_verdict *primary(const struct judgement *j)
{
	return &j->comparisons[0].metrics[0];
}

/* What the first end leaves: alpha less the attained level, 12/256 of eight pairs. */
static void level_is_what_is_left(void **state)
{
	static const struct {
		int pairs;
		double left;
	} cases[] = {
		{5, 0.05}, /* no test was made */
		{6, 0.05 - 2.0 / 64},
		{7, 0.05 - 6.0 / 128},
		{8, 0.05 - 12.0 / 256},
		{12, 0.05 - 204.0 / 4096},
		{25, 0}, /* random patterns: 5000 of 100000 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct experiment *e __free(experiment) = made(60, 1);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;

		for (int k = 0; k <= cases[i].pairs; k++)
			add(&runs, 0, k, undecided(k));
		e->looked = cases[i].pairs;
		j = judge(e, &runs, JUDGE_END);
		assert_int_equal(j->first_end, cases[i].pairs);
		assert_int_equal(primary(j)->rule, RULE_E_PROCESS);
		if (fabs(primary(j)->level - cases[i].left) > 1e-12)
			fail_msg("%d pairs leave %g", cases[i].pairs, primary(j)->level);
		assert_int_equal(primary(j)->verdict, VERDICT_UNDECIDED);
		assert_int_equal(!judge_extension_needs(e, &runs), cases[i].left == 0);
	}
}

/* By Holm a true hypothesis among three is rejected with alpha / 3 at the least. */
static void level_of_a_family(void **state)
{
	struct experiment *e __free(experiment) = made(60, 3);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (int k = 0; k <= 8; k++)
			add(&runs, i, k, undecided(k));
	}
	e->looked = 8;
	j = judge(e, &runs, JUDGE_END);
	/*
	 * One: 12/256. Two: 6/256 each (2c/256 <= 0.025). Three: 4/256 each (2c/256 <= 0.0167). The
	 * most is 12/256.
	 */
	assert_true(fabs(primary(j)->level - (0.05 - 12.0 / 256)) < 1e-12);
	assert_int_equal(primary(j)->comparisons, 3);
}

/* The pairs that it takes at least: with all signs alike E doubles with each. */
static void needs(void **state)
{
	struct experiment *e __free(experiment) = made(6, 1);
	struct entries runs __cleanup(entries_done) = {0};
	int64_t least;

	(void)state;
	e->looked = 6;
	for (int k = 0; k < 6; k++)
		add(&runs, 0, k, undecided(k));
	least = judge_extension_needs(e, &runs);
	assert_in_range(least, 8, 20);
	/* One less cannot, whatever comes; so many can, when what comes is far enough out. */
	for (int more = 0; more < 2; more++) {
		struct entries all __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;

		for (int k = 0; k < 6; k++)
			add(&all, 0, k, undecided(k));
		for (int64_t k = 6; k < least - 1 + more + (more ? 2 : 0); k++)
			add(&all, 0, k, 0.02 * pow(1.6, (double)(k - 6)));
		j = judge(e, &all, JUDGE_END);
		assert_int_equal(primary(j)->p_adjusted <= primary(j)->level, more);
	}
}

static void a_verdict_stays(void **state)
{
	struct experiment *e __free(experiment) = made(6, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *first __free(judgement) = NULL;
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int k = 0; k < 6; k++)
		add(&runs, 0, k, 0.02 + 0.001 * k);
	first = judge(e, &runs, JUDGE_END);
	assert_int_equal(primary(first)->verdict, VERDICT_REGRESSED);
	e->looked = 6;
	e->pairs = 20;
	for (int k = 6; k < 20; k++)
		add(&runs, 0, k, undecided(k));
	/* Also when it is stopped in the middle: the end was seen, so nothing is blind any more. */
	j = judge(e, &runs, JUDGE_LOOK);
	assert_false(j->blind);
	assert_int_equal(primary(j)->verdict, VERDICT_REGRESSED);
	assert_true(primary(j)->won_before);
	/* And its interval lies in the one that was shown with it. */
	assert_true(primary(j)->interval.low >= primary(first)->interval.low);
	assert_true(primary(j)->interval.high <= primary(first)->interval.high);
}

/* The bound that clears had all of alpha at the first end: then or never. */
static void an_extension_clears_nothing(void **state)
{
	(void)state;
	for (int cleared = 0; cleared < 2; cleared++) {
		struct experiment *e __free(experiment) = made(8, 1);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *first __free(judgement) = NULL;
		struct judgement *j __free(judgement) = NULL;

		e->margin = cleared ? 0.02 : 0.001;
		for (int k = 0; k < 8; k++)
			add(&runs, 0, k, undecided(k));
		first = judge(e, &runs, JUDGE_END);
		assert_int_equal(primary(first)->verdict,
				 cleared ? VERDICT_CLEARED : VERDICT_UNDECIDED);
		e->looked = 8;
		e->margin = 0.02;
		if (!cleared)
			e->margin = 0.001;
		for (int k = 8; k < 200; k++)
			add(&runs, 0, k, undecided(k) / 1000);
		j = judge(e, &runs, JUDGE_END);
		assert_int_equal(primary(j)->verdict,
				 cleared ? VERDICT_CLEARED : VERDICT_UNDECIDED);
	}
}

/*
 * Nothing of alpha is left after 25 pairs. What was won stays, what was not is not asked again, and
 * the question of whether more pairs would change anything needs no test.
 */
static void nothing_is_left(void **state)
{
	struct experiment *e __free(experiment) = made(25, 2);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *first __free(judgement) = NULL;

	(void)state;
	e->margin = 0.02;
	for (int k = 0; k < 25; k++) {
		add(&runs, 0, k, undecided(k));
		add(&runs, 1, k, 0.05 + undecided(k));
	}
	first = judge(e, &runs, JUDGE_END);
	assert_int_equal(first->comparisons[0].metrics[0].verdict, VERDICT_CLEARED);
	assert_int_equal(first->comparisons[1].metrics[0].verdict, VERDICT_REGRESSED);
	e->looked = 25;
	/* Although one has its verdict: no pair could change anything. */
	assert_int_equal(judge_extension_needs(e, &runs), 0);
	e->pairs = 40;
	for (int k = 25; k < 32; k++) {
		struct judgement *j __free(judgement) = NULL;

		add(&runs, 0, k, undecided(k) - 0.05);
		add(&runs, 1, k, undecided(k));
		j = judge(e, &runs, k % 2 ? JUDGE_LOOK : JUDGE_GLANCE);
		assert_true(primary(j)->level == 0);
		for (size_t i = 0; i < 2; i++) {
			const struct metric_verdict *m = &j->comparisons[i].metrics[0];

			assert_int_equal(m->verdict, first->comparisons[i].metrics[0].verdict);
			assert_true(m->won_before && m->settled);
			assert_true(m->interval.low ==
				    first->comparisons[i].metrics[0].interval.low);
		}
	}
}

/* One that has its verdict makes no shorter extension worth while for one that has none. */
static void needs_of_what_has_no_verdict(void **state)
{
	struct experiment *one __free(experiment) = made(6, 1);
	struct experiment *two __free(experiment) = made(6, 2);
	struct entries runs __cleanup(entries_done) = {0};
	struct entries won __cleanup(entries_done) = {0};

	(void)state;
	one->looked = two->looked = 6;
	for (int k = 0; k < 6; k++) {
		add(&runs, 0, k, undecided(k));
		add(&runs, 1, k, 0.05 + undecided(k));
		add(&won, 0, k, 0.05 + undecided(k));
	}
	one->alpha = two->alpha = 0.1;
	assert_true(judge_extension_needs(two, &runs) > 7);
	/* Where there is no other an interval may be narrowed. */
	assert_int_equal(judge_extension_needs(one, &won), 7);
}

static bool rejected(const struct judgement *j)
{
	return primary(j)->verdict == VERDICT_REGRESSED || primary(j)->verdict == VERDICT_IMPROVED;
}

/*
 * Experiments under the null that are judged at `first` pairs and then by somebody who adds pair
 * after pair up to `last` and stops whenever it suits: what the largest E of all of them rejects,
 * and what the interval, which only shrinks, excludes at any time.
 */
static void nothing_is_won(void **state)
{
	enum { FIRST_PLANS = 3, LAST = 30 };
	static const int firsts[FIRST_PLANS] = {5, 6, 8};
	const int n = experiments(1000);

	(void)state;
	for (size_t plan = 0; plan < FIRST_PLANS; plan++) {
		struct random random;
		int at_first = 0, in_all = 0, missed = 0;

		random_seed(&random, 1, plan);
		for (int i = 0; i < n; i++) {
			struct experiment *e __free(experiment) = made(firsts[plan], 1);
			struct entries runs __cleanup(entries_done) = {0};
			struct judgement *j __free(judgement) = NULL;

			for (int k = 0; k < LAST; k++)
				add(&runs, 0, k, 0.015 * many_normal(&random));
			e->looked = firsts[plan];
			j = judge(e, &runs, JUDGE_END);
			/* Without a margin `cleared` is a claim of its own, at its own 5 %. */
			at_first += rejected(j) && primary(j)->won_before;
			in_all += rejected(j);
			missed += primary(j)->interval.low > 0 || primary(j)->interval.high < 0;
		}
		print_message("# %d pairs, then up to %d: %d of %d rejected at the first end, %d "
			      "in all; zero excluded %d times\n",
			      firsts[plan], LAST, at_first, n, in_all, missed);
		assert_true(in_all <= experiments_most(n, .05));
		assert_true(missed <= experiments_most(n, .05));
		assert_true(in_all >= at_first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(level_is_what_is_left),
		cmocka_unit_test(level_of_a_family),
		cmocka_unit_test(needs),
		cmocka_unit_test(a_verdict_stays),
		cmocka_unit_test(an_extension_clears_nothing),
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(needs_of_what_has_no_verdict),
		cmocka_unit_test(nothing_is_won),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
