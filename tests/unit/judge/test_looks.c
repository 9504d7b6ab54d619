// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which looks an experiment has, through the judge: by its maximum, by its budget, where the end
 * comes with fewer pairs, when it is extended; and when it is futile to go on.
 */
#include "judge/looks.h"

#include "base/clock.h"
#include "experiments.h"
#include "judge/futility.h"
#include "many.h"

static struct experiment *made(enum plan plan, int64_t pairs, size_t subjects)
{
	struct experiment *e = many_experiment(plan, pairs, subjects, 1);

	e->planned_pairs = plan == PLAN_DECIDED ? pairs : 0;
	e->seed = 1;
	return e;
}

/* The last `count` runs took 1 s each. */
static void take_a_second(struct entries *runs, size_t count)
{
	for (size_t i = runs->count - count; i < runs->count; i++)
		runs->list[i].run->ended_ns = runs->list[i].run->started_ns + NS_PER_SEC;
}

static void add(struct entries *runs, size_t subject, int64_t pair, double d)
{
	many_pair(runs, subject, pair, &d, 1);
	take_a_second(runs, 2);
}

static void add_failed(struct entries *runs, int64_t pair)
{
	static const double cost = 1e9;

	many_add(runs, 0, pair, ARM_A, &cost, 1);
	take_a_second(runs, 1);
	entries_add(runs, (struct entry){.pair = pair,
					 .arm = ARM_B,
					 .run = run_without_record(OUTCOME_FAILED, "")});
}

/* Differences of both signs, the positive ones somewhat larger: hardly anything to be seen. */
static double undecided(int64_t pair)
{
	static const double d[] = {0.11, -0.07, 0.09, -0.08, 0.13, -0.12, 0.06, -0.04};

	return d[pair % 8] * (1 + (double)(pair % 7) / 10);
}

static const struct metric_verdict *primary(const struct judgement *j)
{
	return &j->comparisons[0].metrics[0];
}

static void by_its_maximum(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 40, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int64_t i = 0; i < 17; i++)
		add(&runs, 0, i, undecided(i));
	j = judge(e, &runs, JUDGE_LOOK);
	assert_int_equal(primary(j)->rule, RULE_SEQUENTIAL);
	assert_int_equal(primary(j)->plan.look_count, 5);
	assert_int_equal(primary(j)->plan.looks[4], 40);
	assert_int_equal(primary(j)->looks_spent, 2);
	/* No maximum, no looks; and so it was before there were any. */
	e->planned_pairs = 0;
	judgement_free(j);
	j = judge(e, &runs, JUDGE_LOOK);
	assert_int_equal(primary(j)->rule, RULE_E_PROCESS);
	assert_int_equal(primary(j)->plan.look_count, 0);
}

/* A look may reject what the e-process cannot: an effect of less than the spread. */
static void a_look_decides(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 40, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	size_t looked_at = 0;

	(void)state;
	e->margin = 0.001;
	for (int64_t i = 0; i < 40 && !looked_at; i++) {
		add(&runs, 0, i, 0.01 + undecided(i) / 6);
		judgement_free(j);
		j = judge(e, &runs, JUDGE_GLANCE);
		if (primary(j)->settled)
			looked_at = (size_t)i + 1;
	}
	assert_int_equal(primary(j)->rejected_by, SEQUENTIAL_LOOK);
	assert_int_equal(primary(j)->rejected_at, looked_at);
	assert_int_equal(looked_at % 8, 0);
	assert_int_equal(primary(j)->verdict, VERDICT_REGRESSED);
	assert_true(primary(j)->evidence < 1 / (SEQUENTIAL_E_PROCESS_SHARE * 0.05));
	assert_true(primary(j)->interval.low > 0);
}

/*
 * Three pairs were dropped: the last look is taken at the end, and not before all places are used.
 */
static void the_end_with_fewer_pairs(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 40, 1);
	struct entries runs __cleanup(entries_done) = {0};

	(void)state;
	for (int64_t i = 0; i < 40; i++) {
		struct judgement *j __free(judgement) = NULL;

		if (i % 13 == 5)
			add_failed(&runs, i);
		else
			add(&runs, 0, i, undecided(i));
		j = judge(e, &runs, i == 39 ? JUDGE_END : JUDGE_LOOK);
		assert_int_equal(primary(j)->rule, i < 39 ? RULE_SEQUENTIAL : RULE_SEQUENTIAL_END);
		assert_int_equal(primary(j)->plan.looks[4], i < 39 ? 40 : 37);
	}
}

/* More pairs: the looks stay what they were, also that at an end with fewer pairs. */
static void an_extension_keeps_its_looks(void **state)
{
	(void)state;
	for (int dropped = 0; dropped < 2; dropped++) {
		struct experiment *e __free(experiment) = made(PLAN_DECIDED, 20, 1);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *first __free(judgement) = NULL;
		double p = 1;

		for (int64_t i = 0; i < 20; i++) {
			if (dropped && i == 7)
				add_failed(&runs, i);
			else
				add(&runs, 0, i, 0.035 + undecided(i));
		}
		first = judge(e, &runs, JUDGE_END);
		p = primary(first)->p;
		e->pairs = 60;
		for (int64_t i = 20; i < 60; i++) {
			struct judgement *j __free(judgement) = NULL;

			add(&runs, 0, i, undecided(i) - 0.02);
			j = judge(e, &runs, JUDGE_LOOK);
			assert_int_equal(primary(j)->plan.looks[primary(j)->plan.look_count - 1],
					 20 - dropped);
			assert_true(primary(j)->p <= p * 1.002);
			p = primary(j)->p;
		}
	}
}

/*
 * As many pairs as fit into the budget when each takes as long as the first ones: 2 s a workload.
 */
static void by_its_budget(void **state)
{
	static const struct {
		int64_t budget_s;
		size_t subjects, pairs;
	} cases[] = {
		{41, 1, 20}, {39, 1, 19},     {80, 2, 20},
		{15, 1, 0}, /* seven: too few for a look */
		{16, 1, 8},  {2000, 1, 1000}, {50000, 1, SEQUENTIAL_MOST_PAIRS},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct experiment *e __free(experiment) = made(PLAN_BUDGET, 0, cases[c].subjects);
		struct entries runs __cleanup(entries_done) = {0};

		e->budget_ns = e->planned_budget_ns = cases[c].budget_s * NS_PER_SEC;
		for (size_t i = 0; i < cases[c].subjects; i++) {
			/* Nothing is known before all of the first round is there. */
			assert_int_equal(looks_plan(e, &runs).max_pairs, 0);
			add(&runs, i, 0, 0.1);
		}
		assert_int_equal(looks_plan(e, &runs).max_pairs, cases[c].pairs);
		/* Later pairs, or another budget that it was given, change nothing. */
		for (int64_t i = 1; i < 5; i++)
			add(&runs, 0, i, 0.1);
		runs.list[runs.count - 1].run->ended_ns += 100 * NS_PER_SEC;
		e->budget_ns *= 10;
		assert_int_equal(looks_plan(e, &runs).max_pairs, cases[c].pairs);
		/* Without a plan it is the e-process alone. */
		e->planned_budget_ns = 0;
		assert_int_equal(looks_plan(e, &runs).max_pairs, 0);
	}
}

/* Arms exchanged, the plan is the same: it knows of no direction. */
static void the_budget_is_blind(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_BUDGET, 0, 1);
	struct entries runs __cleanup(entries_done) = {0};
	size_t pairs;

	(void)state;
	e->planned_budget_ns = 100 * NS_PER_SEC;
	add(&runs, 0, 0, 0.1);
	runs.list[0].run->ended_ns += NS_PER_SEC;
	pairs = looks_plan(e, &runs).max_pairs;
	assert_int_equal(pairs, 33);
	runs.list[0].arm = ARM_B;
	runs.list[1].arm = ARM_A;
	assert_int_equal(looks_plan(e, &runs).max_pairs, pairs);
	/* A pair that was cut has set its runs aside. */
	runs.list[0].set_aside = true;
	assert_int_equal(looks_plan(e, &runs).max_pairs, 0);
	/* A clock that was set back tells nothing. */
	runs.list[0].set_aside = false;
	runs.list[1].run->ended_ns = 0;
	runs.list[1].run->started_ns = NS_PER_SEC;
	assert_int_equal(looks_plan(e, &runs).max_pairs, 0);
}

/*
 * The time was up after 14 of 20 pairs: the looks that were left are spent there, and only there.
 */
static void when_the_time_is_up(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_BUDGET, 0, 2);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	e->budget_ns = e->planned_budget_ns = 80 * NS_PER_SEC;
	for (int64_t i = 0; i < 14; i++) {
		add(&runs, 0, i, undecided(i));
		/* The other one came to rest before. */
		if (i < 9)
			add(&runs, 1, i, undecided(i));
	}
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(primary(j)->rule, RULE_SEQUENTIAL);
	e->time_up = 14;
	judgement_free(j);
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(primary(j)->rule, RULE_SEQUENTIAL_END);
	assert_int_equal(primary(j)->plan.looks[primary(j)->plan.look_count - 1], 14);
	assert_int_equal(j->comparisons[1].metrics[0].rule, RULE_SEQUENTIAL);
	/* Given more time it goes on by the e-process. */
	for (int64_t i = 14; i < 30; i++)
		add(&runs, 0, i, undecided(i));
	judgement_free(j);
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(primary(j)->plan.looks[primary(j)->plan.look_count - 1], 14);
	assert_int_equal(primary(j)->pairs, 30);
}

static void futile_where_nothing_can_come_of_it(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 40, 1);
	struct entries runs __cleanup(entries_done) = {0};
	size_t ended_at = 0;

	(void)state;
	for (int64_t i = 0; i < 40 && !ended_at; i++) {
		struct judgement *j __free(judgement) = NULL;

		/* A spread of 10 % and no difference to speak of. */
		add(&runs, 0, i, undecided(i) - 0.005);
		j = judge(e, &runs, JUDGE_GLANCE);
		if (j->futile)
			ended_at = (size_t)i + 1;
	}
	assert_in_range(ended_at, 8, 39);
	/* It claims nothing, and who gives it more room wants it to go on. */
	for (int raised = 0; raised < 2; raised++) {
		struct judgement *j __free(judgement) = NULL;

		e->pairs = 40 + raised;
		j = judge(e, &runs, JUDGE_LOOK);
		assert_int_equal(primary(j)->verdict, VERDICT_UNDECIDED);
		assert_int_equal(primary(j)->futile, !raised);
		assert_int_equal(j->futile, !raised);
		assert_int_equal(j->finished, !raised);
		assert_false(j->early);
		assert_int_equal(judgement_status(j, false), 3);
	}
}

/*
 * All of the first pairs improve, and then the differences drift to the other side, by the
 * e-process alone and with looks: what was won stays, and its direction is that of then. The
 * estimate is that of all pairs, wherever the interval is, which keeps what was excluded before.
 */
static void a_verdict_stays_when_differences_drift(void **state)
{
	(void)state;
	for (int by_look = 0; by_look < 2; by_look++) {
		struct experiment *e __free(experiment) = made(PLAN_DECIDED, 40, 1);
		struct entries runs __cleanup(entries_done) = {0};
		int64_t won_at = 0;
		int outside = 0, drifted = 0;

		e->pairs = 70;
		e->margin = 0.001;
		for (int64_t i = 0; i < 70; i++) {
			struct judgement *j __free(judgement) = NULL;
			const struct metric_verdict *m;
			double d = -0.05 + 0.001 * (double)(i % 7);

			if (by_look)
				d = -0.01 - undecided(i) / 6;
			if (won_at)
				d = 0.08 + 0.001 * (double)(i % 5);
			add(&runs, 0, i, d);
			j = judge(e, &runs, JUDGE_LOOK);
			m = primary(j);
			if (!won_at && m->verdict == VERDICT_IMPROVED) {
				won_at = i + 1;
				assert_int_equal(m->rejected_by,
						 by_look ? SEQUENTIAL_LOOK : SEQUENTIAL_E_PROCESS);
			}
			if (!won_at)
				continue;
			assert_int_equal(m->verdict, VERDICT_IMPROVED);
			assert_true(m->settled);
			outside += m->estimate < m->interval.low || m->estimate > m->interval.high;
			drifted += m->remark != NULL;
			/* Most are of the later kind at last. */
			assert_true(i < 69 || m->estimate > 0.01);
		}
		assert_in_range(won_at, 7, 32);
		assert_true(outside + drifted > 0);
	}
}

static double normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/*
 * What it costs and saves: plans of 40 pairs that would be decided in some and not in others,
 * judged after every pair until there is a first verdict, with and without the stop.
 */
static void futility_costs_little(void **state)
{
	enum { MOST = 40 };
	const int n = experiments(200);
	static const struct {
		double sd, shift, margin;
		double saved; /* of all pairs, at least */
	} cases[] = {
		{0.015, 0, 0.02, 0}, {0.05, 0.02, 0.02, 0.01}, {0.12, 0, 0.02, 0.12},
		{0.03, 0.02, 0, 0},  {0.05, 0.02, 0, 0.05},    {0.015, 0, 0, 0.25},
	};
	static const struct metric metric = {.better = BETTER_LOWER};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		double limit = log1p(cases[c].margin), pairs = 0, fewer = 0;
		int decided = 0, lost = 0;
		struct random random;

		random_seed(&random, 1, c);
		for (int i = 0; i < n; i++) {
			struct metric_verdict v = {
				.metric = &metric,
				.rule = RULE_SEQUENTIAL,
				.level = .05,
				.comparisons = 1,
				.plan = sequential_plan(MOST, (uint64_t)i),
			};
			double d[MOST];
			size_t rejected, cleared = 0, first, stop = MOST;

			for (size_t k = 0; k < MOST; k++)
				d[k] = log1p(cases[c].shift) + cases[c].sd * normal(&random);
			rejected = sequential_rejected_at(&v.plan, d, MOST, 0, E_PROCESS_TWO_SIDED,
							  .05);
			if (limit > 0)
				cleared = sequential_rejected_at(&v.plan, d, MOST, limit,
								 E_PROCESS_SMALLER, .05);
			first = rejected && (!cleared || rejected < cleared) ? rejected : cleared;
			for (v.pairs = 6; v.pairs < (first ? first : MOST); v.pairs++) {
				if (futility_chance(&v, d, limit) >= FUTILITY_CHANCE)
					continue;
				stop = v.pairs;
				break;
			}
			decided += first > 0;
			lost += first && stop < first;
			pairs += first ? (double)first : MOST;
			fewer += first && stop > first ? (double)first : (double)stop;
		}
		print_message("# sd %.1f %%, %+.1f %%, margin %.0f %%: %.1f %% decided, %.2f less "
			      "with the stop; %.1f pairs, %.1f with it\n",
			      100 * cases[c].sd, 100 * cases[c].shift, 100 * cases[c].margin,
			      100.0 * decided / n, 100.0 * lost / n, pairs / n, fewer / n);
		assert_true(lost <= experiments_most(n, .01));
		assert_true(fewer <= pairs * (1 - cases[c].saved));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_its_maximum),
		cmocka_unit_test(a_look_decides),
		cmocka_unit_test(the_end_with_fewer_pairs),
		cmocka_unit_test(an_extension_keeps_its_looks),
		cmocka_unit_test(by_its_budget),
		cmocka_unit_test(the_budget_is_blind),
		cmocka_unit_test(when_the_time_is_up),
		cmocka_unit_test(futile_where_nothing_can_come_of_it),
		cmocka_unit_test(a_verdict_stays_when_differences_drift),
		cmocka_unit_test(futility_costs_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
