// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/judge.h"

/*
 * A workload whose figures are what the test writes down: totals of counters. `cost` is primary and
 * better when lower, `work` is better when higher, `size` is only described.
 */
static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],\"metrics\":["
	"{\"name\":\"size\",\"unit\":\"bytes\",\"better\":\"neither\",\"summary\":\"total\","
	"\"of\":\"task.size\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"work\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"total\","
	"\"of\":\"task.work\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"peak\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"max\","
	"\"of\":\"task.latency\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"task_fairness\",\"unit\":\"ratio\",\"better\":\"higher\","
	"\"summary\":\"fairness\",\"of\":\"task.work\",\"primary\":false,\"multitask\":true,"
	"\"help\":\"\"}]}";

/* notes of the method: eight pairs with everything computed by R. Times ten, to be integers. */
static const int worked_a[] = {1002, 1015, 998, 1020, 1009, 1011, 995, 1007};
static const int worked_b[] = {1019, 1024, 1021, 1033, 1017, 1030, 1016, 1012};

static struct experiment *made(enum plan plan, size_t subjects)
{
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	e->plan = plan;
	e->pairs = 40;
	e->alpha = 0.05;
	e->margin = 0.02;
	e->subjects = memory_array(subjects, sizeof(*e->subjects));
	e->subject_count = subjects;
	for (size_t i = 0; i < subjects; i++) {
		struct subject *s = &e->subjects[i];

		assert_true(description_from_json(object, &s->description, &err));
		s->params[ARM_A] = json_object();
		s->params[ARM_B] = json_object();
		s->primary = description_primary(s->description)->name;
	}
	return e;
}

static void add_watched(struct entries *runs, size_t subject, int64_t pair, int arm, int cost,
			int work, int window)
{
	char *text __free(memory) = text_format(
		"{\"outcome\":\"ok\",\"reason\":\"\",\"workload\":\"made\",\"params\":{},"
		"\"window_ns\":1000,\"tasks\":[{\"role\":\"task\",\"task\":0,\"cpu\":0,"
		"\"window_ns\":%d,\"cpu_ns\":1000,\"voluntary_switches\":0,"
		"\"involuntary_switches\":0,\"minor_faults\":0,\"major_faults\":0,"
		"\"counters\":{\"operations\":1,\"failures\":0,\"cost\":%d,\"work\":%d,"
		"\"size\":4096}}],\"series\":[{\"role\":\"task\",\"name\":\"latency\","
		"\"unit\":\"ns\",\"histogram\":{\"count\":1,\"sum\":100,\"min\":100,\"max\":100,"
		"\"buckets\":[[100,1]]}}],\"notes\":[],\"host\":{}}",
		window, cost, work);
	json_t *record __free(json) = NULL;
	struct run *run = NULL;
	struct error err;

	assert_true(json_parse(text, strlen(text), &record, &err));
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	entries_add(runs, (struct entry){.subject = subject, .pair = pair, .arm = arm, .run = run});
}

static void add(struct entries *runs, size_t subject, int64_t pair, int arm, int cost, int work)
{
	add_watched(runs, subject, pair, arm, cost, work, 1000);
}

static void add_bad(struct entries *runs, int64_t pair, int arm, enum outcome outcome)
{
	entries_add(runs, (struct entry){.pair = pair,
					 .arm = arm,
					 .run = run_without_record(outcome, "as the test says")});
}

static void add_worked(struct entries *runs, size_t subject)
{
	for (int i = 0; i < 8; i++) {
		add(runs, subject, i, ARM_B, worked_b[i], worked_a[i]);
		add(runs, subject, i, ARM_A, worked_a[i], worked_b[i]);
	}
}

static void planned_pairs(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct metric_verdict *m;

	(void)state;
	add_worked(&runs, 0);
	j = judge(e, &runs, JUDGE_END);
	m = &j->comparisons[0].metrics[0];
	assert_string_equal(m->metric->name, "cost");
	assert_true(m->primary);
	assert_int_equal(m->pairs, 8);
	assert_int_equal(m->rule, RULE_SIGN_FLIP);
	assert_int_equal(m->scale, SCALE_LOG);
	assert_float_equal(m->estimate, 0.0142830, 1e-7);
	assert_float_equal(m->p, 0.0078125, 1e-12);
	assert_float_equal(m->interval.low, 0.00839771, 1e-8);
	assert_float_equal(m->interval.high, 0.02036941, 1e-8);
	assert_float_equal(log1p(m->paired_t.low), 0.0086975404, 1e-9);
	assert_float_equal(log1p(m->paired_t.high), 0.0196664237, 1e-9);
	/*
	 * The 12th largest of the 255 means of subsets (12/256 <= 5 %), for it is above Student's
	 * bound of 0.0187498.
	 */
	assert_float_equal(m->bound, 0.0189558, 1e-7);
	assert_int_equal(j->looks, 0);
	assert_false(j->early);
	/* Slower, and not by 2 %: both are said. */
	assert_int_equal(m->verdict, VERDICT_CLEARED);
	assert_true(m->worse);
	assert_int_equal(judgement_status(j, false), 0);
	assert_int_equal(judgement_status(j, true), 1);
}

static void margin_decides_what_worse_means(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	e->margin = 0.01;
	add_worked(&runs, 0);
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(j->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(judgement_status(j, false), 1);
}

static void directions(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct comparison *s;

	(void)state;
	add_worked(&runs, 0);
	j = judge(e, &runs, JUDGE_END);
	s = &j->comparisons[0];
	/* The fairness of a single task is left out, not refused. */
	assert_int_equal(s->metric_count, 4);
	assert_string_equal(s->metrics[1].metric->name, "size");
	assert_int_equal(s->metrics[1].verdict, VERDICT_NONE);
	/* work has the arms swapped and is better when higher: it rises by 1/1.0143. */
	assert_string_equal(s->metrics[2].metric->name, "work");
	assert_float_equal(s->metrics[2].estimate, exp(-0.014181982) - 1, 1e-8);
	/* At its half of alpha the bound is the end of the interval, beyond the margin of 2 %. */
	assert_float_equal(s->metrics[2].bound, 0.02036941, 1e-8);
	assert_int_equal(s->metrics[2].verdict, VERDICT_REGRESSED);
	assert_int_equal(s->metrics[2].comparisons, 2);
}

/* A maximum grows with the time watched: windows must agree within 1 %. Nothing else cares. */
static void maxima_need_equal_windows(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct metric_verdict *peak;

	(void)state;
	for (int i = 0; i < 8; i++) {
		add_watched(&runs, 0, i, ARM_A, 1000, 1000, 1000);
		add_watched(&runs, 0, i, ARM_B, 1000, 1000, i < 3 ? 1011 : 1010);
	}
	j = judge(e, &runs, JUDGE_END);
	assert_int_equal(j->comparisons[0].metrics[0].pairs, 8);
	peak = &j->comparisons[0].metrics[3];
	assert_string_equal(peak->metric->name, "peak");
	assert_int_equal(peak->pairs, 5);
	assert_int_equal(peak->refused, 3);
	assert_non_null(strstr(peak->refusal, "differ by more than 1 %"));
}

/* Figures in 4 of 8 pairs are judged, in 3 of 8 not, and then count for nobody's correction. */
static void figures_in_few_pairs_give_no_verdict(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);

	(void)state;
	for (int with = 3; with <= 4; with++) {
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;
		const struct metric_verdict *work, *peak;
		bool few = with == 3;

		for (int i = 0; i < 8; i++) {
			add_watched(&runs, 0, i, ARM_A, 1000, 1000, 1000);
			add_watched(&runs, 0, i, ARM_B, 1000, 1000, i < with ? 1000 : 1100);
		}
		j = judge(e, &runs, JUDGE_END);
		work = &j->comparisons[0].metrics[2];
		peak = &j->comparisons[0].metrics[3];
		assert_string_equal(peak->metric->name, "peak");
		assert_int_equal(peak->pairs, with);
		assert_int_equal(metric_is_scarce(peak), few);
		assert_int_equal(peak->verdict, few ? VERDICT_NONE : VERDICT_UNDECIDED);
		assert_int_equal(isnan(peak->estimate), few);
		assert_int_equal(peak->comparisons, few ? 0 : 2);
		assert_int_equal(work->comparisons, few ? 1 : 2);
	}
}

/* A primary was asked for: it stays undecided, and in its family. */
static void a_primary_in_few_pairs_is_undecided(void **state)
{
	for (enum plan plan = PLAN_PAIRS; plan <= PLAN_DECIDED; plan++) {
		struct experiment *e __free(experiment) = made(plan, 1);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;
		const struct metric_verdict *peak;

		e->subjects[0].primary = "peak";
		for (int i = 0; i < 20; i++) {
			add_watched(&runs, 0, i, ARM_A, 1000, 1000, 1000);
			add_watched(&runs, 0, i, ARM_B, 1000, 1000, i < 9 ? 1000 : 1100);
		}
		j = judge(e, &runs, JUDGE_END);
		peak = &j->comparisons[0].metrics[0];
		assert_int_equal(peak->pairs, 9);
		assert_int_equal(peak->verdict, VERDICT_UNDECIDED);
		assert_int_equal(peak->comparisons, 1);
		assert_int_equal(peak->more_pairs, 0);
		assert_false(judgement_decided(j) && plan == PLAN_DECIDED);
		assert_int_equal(judgement_status(j, false), 3);
	}
	(void)state;
}

static void no_look_before_the_end(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int i = 0; i < 8; i++) {
		add(&runs, 0, i, ARM_A, 1000 + i, 1000);
		add(&runs, 0, i, ARM_B, 2000 + 3 * i, 1000);
	}
	j = judge(e, &runs, JUDGE_LOOK);
	assert_int_equal(j->comparisons[0].metrics[0].verdict, VERDICT_UNDECIDED);
	assert_false(judgement_decided(j));
}

static void e_process_of_the_worked_pairs(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct metric_verdict *m;

	(void)state;
	e->margin = 0.01;
	add_worked(&runs, 0);
	j = judge(e, &runs, JUDGE_LOOK);
	m = &j->comparisons[0].metrics[0];
	assert_int_equal(m->rule, RULE_E_PROCESS);
	assert_float_equal(m->evidence, 60.05039784, 1e-6);
	assert_float_equal(m->p, 1 / 60.05039784, 1e-9);
	assert_int_equal(m->verdict, VERDICT_REGRESSED);
	assert_true(m->interval.low > 0);
	assert_true(m->interval.high < 0.05);
	assert_true(j->early);
	assert_int_equal(j->looks, 8);
	assert_int_equal(judgement_status(j, false), 1);
}

static void e_process_decides_at_the_first_look_that_reaches_it(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	int decided_at = 0;

	(void)state;
	e->margin = 0.001;
	for (int i = 0; i < 8 && !decided_at; i++) {
		struct judgement *j __free(judgement) = NULL;

		add(&runs, 0, i, ARM_A, worked_a[i], 1000);
		add(&runs, 0, i, ARM_B, worked_b[i], 1000);
		j = judge(e, &runs, JUDGE_LOOK);
		if (judgement_decided(j))
			decided_at = i + 1;
	}
	/* E is 18.76 after six pairs and 36.44 after seven. */
	assert_int_equal(decided_at, 7);
}

/* An improvement is cleared before it is shown to be one; that is no reason to stop there. */
static void cleared_is_not_the_end_of_an_improvement(void **state)
{
	static const int b[] = {960, 950, 970, 1003, 955, 965, 960, 1002, 950, 960, 955, 950};
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	bool was_cleared = false, improved = false;

	(void)state;
	for (size_t i = 0; i < sizeof(b) / sizeof(*b) && !improved; i++) {
		struct judgement *j __free(judgement) = NULL;
		enum verdict verdict;

		add(&runs, 0, (int64_t)i, ARM_A, 1000, 1000);
		add(&runs, 0, (int64_t)i, ARM_B, b[i], 1000);
		j = judge(e, &runs, JUDGE_LOOK);
		verdict = j->comparisons[0].metrics[0].verdict;
		if (i < 5)
			assert_int_equal(verdict, VERDICT_UNDECIDED);
		was_cleared |= verdict == VERDICT_CLEARED;
		improved = verdict == VERDICT_IMPROVED;
		assert_int_equal(judgement_decided(j), improved);
	}
	assert_true(was_cleared);
	assert_true(improved);
}

/* Five pairs at an alpha that five could reach: still no verdict. */
static void no_verdict_under_six_pairs_with_looks_either(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};

	(void)state;
	e->alpha = 0.2;
	for (int i = 0; i < 6; i++) {
		struct judgement *j __free(judgement) = NULL;

		add(&runs, 0, i, ARM_A, 1000 + i, 1000);
		add(&runs, 0, i, ARM_B, 2000 + 3 * i, 1000);
		j = judge(e, &runs, JUDGE_LOOK);
		assert_int_equal(judgement_decided(j), i == 5);
	}
}

/* Whoever stops a plan may go on with it, so nothing of it is known before its end. */
static void before_its_end_a_plan_is_blind(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *cut __free(judgement) = NULL;
	struct judgement *end __free(judgement) = NULL;

	(void)state;
	add_worked(&runs, 0);
	add_bad(&runs, 8, ARM_A, OUTCOME_INVALID);
	add(&runs, 0, 8, ARM_B, 1000, 1000);
	cut = judge(e, &runs, JUDGE_LOOK);
	assert_true(cut->blind);
	assert_false(cut->finished);
	assert_int_equal(cut->comparisons[0].pairs, 8);
	assert_int_equal(cut->comparisons[0].dropped, 1);
	/* Nothing that was measured is in it. */
	for (size_t i = 0; i < cut->comparisons[0].metric_count; i++) {
		const struct metric_verdict *m = &cut->comparisons[0].metrics[i];

		assert_int_equal(m->pairs, 0);
		assert_true(isnan(m->estimate) && isnan(m->middle_a) && isnan(m->middle_b));
		assert_true(m->interval.low == -INFINITY && m->interval.high == INFINITY);
		assert_true(m->p == 1);
		assert_in_set(m->verdict, ((const uintmax_t[]){VERDICT_UNDECIDED, VERDICT_NONE}),
			      2);
	}
	end = judge(e, &runs, JUDGE_END);
	assert_false(end->blind);
	assert_int_equal(end->comparisons[0].metrics[0].verdict, VERDICT_CLEARED);
	assert_true(end->finished);
}

/* That there is no figure at all shows nothing of one, and is a reason to end. */
static void blind_and_without_a_figure(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	e->subjects[0].primary = "task_fairness";
	for (int i = 0; i < 3; i++) {
		add(&runs, 0, i, ARM_A, 1000, 1000);
		add(&runs, 0, i, ARM_B, 1000, 1000);
	}
	j = judge(e, &runs, JUDGE_LOOK);
	assert_true(j->blind);
	assert_true(j->impossible);
	assert_non_null(strstr(j->comparisons[0].why_not, "no figure for task_fairness"));
}

/* The runs of a pair that was cut and run again. */
static void set_aside_is_not_there(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *with __free(judgement) = NULL;
	struct judgement *without __free(judgement) = NULL;

	(void)state;
	add_worked(&runs, 0);
	without = judge(e, &runs, JUDGE_LOOK);
	add(&runs, 0, 3, ARM_A, 9999999, 1);
	runs.list[runs.count - 1].set_aside = true;
	add_bad(&runs, 3, ARM_B, OUTCOME_CRASHED);
	runs.list[runs.count - 1].set_aside = true;
	with = judge(e, &runs, JUDGE_LOOK);
	assert_int_equal(with->comparisons[0].pairs, 8);
	assert_int_equal(with->comparisons[0].dropped, 0);
	assert_int_equal(with->comparisons[0].runs[ARM_B], 8);
	assert_int_equal(with->comparisons[0].crashes_in_row[ARM_B], 0);
	assert_true(with->comparisons[0].metrics[0].p == without->comparisons[0].metrics[0].p);
}

/* A glance gives the primary the verdict that a look gives it. */
static void a_glance_is_a_look(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 2);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *look __free(judgement) = NULL;
	struct judgement *glance __free(judgement) = NULL;

	(void)state;
	add_worked(&runs, 0);
	add_worked(&runs, 1);
	look = judge(e, &runs, JUDGE_LOOK);
	glance = judge(e, &runs, JUDGE_GLANCE);
	for (size_t i = 0; i < 2; i++) {
		const struct metric_verdict *x = &look->comparisons[i].metrics[0];
		const struct metric_verdict *y = &glance->comparisons[i].metrics[0];

		assert_int_equal(glance->comparisons[i].metric_count, 1);
		assert_int_equal(x->verdict, y->verdict);
		assert_int_equal(x->settled, y->settled);
		assert_true(x->p_adjusted == y->p_adjusted && x->evidence == y->evidence);
		assert_true(x->interval.low == y->interval.low);
	}
	assert_int_equal(look->early, glance->early);
}

/* Fewer pairs than are waited for, none of which gave anything. */
static void an_arm_that_gave_nothing(void **state)
{
	(void)state;
	for (int arm = ARM_A; arm < 2; arm++) {
		struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;

		e->pairs = 1;
		add_bad(&runs, 0, arm, OUTCOME_FAILED);
		add(&runs, 0, 0, arm == ARM_A ? ARM_B : ARM_A, 1000, 1000);
		j = judge(e, &runs, JUDGE_END);
		assert_true(j->impossible);
		assert_false(j->crashes);
		assert_int_equal(judgement_status(j, false), 4);
		assert_string_equal(j->comparisons[0].why_not, "failed: as the test says");
	}
}

/* Logarithms until a zero comes, differences from there on: what was won before stays. */
static void evidence_outlives_a_change_of_scale(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	double before = 0;

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct judgement *j __free(judgement) = NULL;
		const struct metric_verdict *m;

		add(&runs, 0, i, ARM_A, i < 5 ? 100 : 10, 1000);
		add(&runs, 0, i, ARM_B, i < 5 ? 200 : 0, 1000);
		j = judge(e, &runs, JUDGE_LOOK);
		m = &j->comparisons[0].metrics[0];
		if (i < 5) {
			assert_int_equal(m->scale, SCALE_LOG);
			before = m->evidence;
		} else {
			/* The sixth went the other way: nothing is gained, the largest E stays. */
			assert_int_equal(m->scale, SCALE_DIFFERENCE);
			assert_float_equal(m->evidence, before, 1e-9);
		}
	}
	assert_true(before > 10);
}

static void interrupted_runs_are_nobodys_failure(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	add_bad(&runs, 0, ARM_B, OUTCOME_FAILED);
	add_bad(&runs, 1, ARM_B, OUTCOME_FAILED);
	add_bad(&runs, 2, ARM_B, OUTCOME_INTERRUPTED);
	j = judge(e, &runs, JUDGE_LOOK);
	assert_false(j->impossible);
	assert_int_equal(j->comparisons[0].failed[ARM_B], 3);
}

static void within_the_margin_on_both_sides_is_the_end(void **state)
{
	static const int noise[] = {3, -2, 1, -3, 2, -1, 2, -2, 3, -1, 1, -3};
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	int decided_at = 0;

	(void)state;
	for (int i = 0; i < 12 && !decided_at; i++) {
		struct judgement *j __free(judgement) = NULL;

		add(&runs, 0, i, ARM_A, 1000, 1000);
		add(&runs, 0, i, ARM_B, 1000 + noise[i], 1000);
		j = judge(e, &runs, JUDGE_LOOK);
		if (!judgement_decided(j))
			continue;
		decided_at = i + 1;
		assert_int_equal(j->comparisons[0].metrics[0].verdict, VERDICT_CLEARED);
		assert_false(j->comparisons[0].metrics[0].worse);
	}
	assert_true(decided_at >= 5 && decided_at < 12);
}

static void few_pairs_give_no_verdict(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct metric_verdict *m;

	(void)state;
	for (int i = 0; i < 5; i++) {
		add(&runs, 0, i, ARM_A, 1000 + i, 1000);
		add(&runs, 0, i, ARM_B, 2000 + 3 * i, 1000);
	}
	j = judge(e, &runs, JUDGE_END);
	m = &j->comparisons[0].metrics[0];
	assert_int_equal(m->rule, RULE_PAIRED_T);
	assert_int_equal(m->verdict, VERDICT_UNDECIDED);
	assert_true(m->interval.low > 0.9);
	assert_int_equal(m->more_pairs, 1);
	assert_int_equal(judgement_status(j, false), 3);
}

static void bad_members_drop_whole_pairs(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct comparison *s;

	(void)state;
	add_worked(&runs, 0);
	add(&runs, 0, 8, ARM_A, 1000, 1000);
	add_bad(&runs, 8, ARM_B, OUTCOME_INVALID);
	add(&runs, 0, 9, ARM_A, 1000, 1000);
	j = judge(e, &runs, JUDGE_END);
	s = &j->comparisons[0];
	assert_int_equal(s->pairs, 8);
	assert_int_equal(s->dropped, 1);
	assert_string_equal(s->first_drop, "pair 9, B: invalid: as the test says");
	assert_int_equal(s->runs[ARM_A], 10);
	assert_int_equal(s->failed[ARM_B], 1);
	assert_float_equal(s->metrics[0].p, 0.0078125, 1e-12);
}

static void three_crashes_of_b(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int i = 0; i < 3; i++) {
		add(&runs, 0, i, ARM_A, 1000, 1000);
		add_bad(&runs, i, ARM_B, OUTCOME_CRASHED);
	}
	j = judge(e, &runs, JUDGE_LOOK);
	assert_true(j->crashes);
	assert_string_equal(j->comparisons[0].why_not, "crashed: as the test says");
	assert_int_equal(judgement_status(j, false), 1);
}

static void three_failures_of_a(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int i = 0; i < 3; i++) {
		add_bad(&runs, i, ARM_A, i ? OUTCOME_CRASHED : OUTCOME_UNSUPPORTED);
		add_bad(&runs, i, ARM_B, OUTCOME_CRASHED);
	}
	j = judge(e, &runs, JUDGE_LOOK);
	/* When A fails as well, B's crashes say nothing about B. */
	assert_false(j->crashes);
	assert_true(j->impossible);
	assert_int_equal(judgement_status(j, false), 4);
}

static void add_bad_of(struct entries *runs, size_t subject, int64_t pair, int arm,
		       enum outcome outcome)
{
	add_bad(runs, pair, arm, outcome);
	runs->list[runs->count - 1].subject = subject;
}

/* One workload that can do no more says nothing of the others, and they are judged by their end. */
static void one_given_up_others_judged(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 3);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct comparison *s;

	(void)state;
	add_worked(&runs, 0);
	/* Alike, which would be cleared at the end that was planned. */
	for (int i = 0; i < 8; i++) {
		for (size_t subject = 1; subject < 3; subject++) {
			add(&runs, subject, i, ARM_A, 1000 + i % 2, 1000);
			add(&runs, subject, i, ARM_B, 1001 - i % 2, 1000);
		}
	}
	for (int i = 8; i < 11; i++) {
		add_bad_of(&runs, 2, i, ARM_A, OUTCOME_TIMEOUT);
		add(&runs, 2, i, ARM_B, 1000, 1000);
	}
	j = judge(e, &runs, JUDGE_END);
	s = j->comparisons;
	assert_int_equal(comparison_finding(&s[0]), FINDING_REGRESSED);
	assert_null(s[0].why_not);
	assert_int_equal(comparison_finding(&s[1]), FINDING_CLEARED);
	assert_int_equal(s[2].metrics[0].verdict, VERDICT_UNDECIDED);
	assert_int_equal(comparison_finding(&s[2]), FINDING_IMPOSSIBLE);
	assert_string_equal(s[2].why_not, "timeout: as the test says");
	assert_true(j->impossible);
	assert_false(j->crashes);
	/* It keeps its place in the family. */
	assert_int_equal(s[0].metrics[0].comparisons, 3);
	assert_int_equal(judgement_status(j, false), 1);
}

/* Statuses: 1 if any regressed or B crashes, else 4, else 3, else 0. */
static void status_of_several(void **state)
{
	static const struct {
		enum verdict verdicts[2];
		bool crashes, impossible;
		int status;
	} cases[] = {
		{{VERDICT_IMPROVED, VERDICT_CLEARED}, false, false, 0},
		{{VERDICT_IMPROVED, VERDICT_UNDECIDED}, false, false, 3},
		{{VERDICT_IMPROVED, VERDICT_UNDECIDED}, false, true, 4},
		{{VERDICT_UNDECIDED, VERDICT_REGRESSED}, false, false, 1},
		{{VERDICT_REGRESSED, VERDICT_UNDECIDED}, false, true, 1},
		{{VERDICT_IMPROVED, VERDICT_UNDECIDED}, true, false, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct metric_verdict metrics[2] = {{.verdict = cases[i].verdicts[0]},
						    {.verdict = cases[i].verdicts[1]}};
		struct comparison comparisons[2] = {{.metrics = &metrics[0], .metric_count = 1},
						    {.metrics = &metrics[1], .metric_count = 1}};
		const struct judgement j = {.comparisons = comparisons,
					    .comparison_count = 2,
					    .crashes = cases[i].crashes,
					    .impossible = cases[i].impossible};

		assert_int_equal(judgement_status(&j, false), cases[i].status);
	}
}

/* Who can do no more is not waited for; when nobody else is there, nothing is decided. */
static void decided_without_the_given_up(void **state)
{
	struct metric_verdict metrics[2] = {{.settled = true}, {.settled = false}};
	struct comparison comparisons[2] = {{.metrics = &metrics[0], .metric_count = 1},
					    {.metrics = &metrics[1], .metric_count = 1}};
	const struct judgement j = {.comparisons = comparisons, .comparison_count = 2};

	(void)state;
	assert_false(judgement_decided(&j));
	comparisons[1].impossible = true;
	assert_true(judgement_decided(&j));
	comparisons[0].crashes = true;
	assert_false(judgement_decided(&j));
}

static void two_crashes_and_a_good_run_go_on(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	add_bad(&runs, 0, ARM_B, OUTCOME_CRASHED);
	add_bad(&runs, 1, ARM_B, OUTCOME_CRASHED);
	add(&runs, 0, 2, ARM_B, 1000, 1000);
	add_bad(&runs, 3, ARM_B, OUTCOME_CRASHED);
	j = judge(e, &runs, JUDGE_LOOK);
	assert_false(j->crashes);
	assert_int_equal(judgement_status(j, false), 3);
}

static void zeros_go_to_the_difference_scale(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct metric_verdict *m;

	(void)state;
	for (int i = 0; i < 8; i++) {
		add(&runs, 0, i, ARM_A, 0, 1000);
		add(&runs, 0, i, ARM_B, 10 + i, 1000);
	}
	j = judge(e, &runs, JUDGE_END);
	m = &j->comparisons[0].metrics[0];
	assert_int_equal(m->scale, SCALE_DIFFERENCE);
	assert_float_equal(m->estimate, 13.5, 1e-12);
	assert_int_equal(m->verdict, VERDICT_REGRESSED);
	assert_true(isnan(m->bound));
}

static void no_events_and_identical(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	for (int i = 0; i < 8; i++) {
		add(&runs, 0, i, ARM_A, 0, 1000);
		add(&runs, 0, i, ARM_B, 0, 1000);
	}
	j = judge(e, &runs, JUDGE_END);
	assert_string_equal(j->comparisons[0].metrics[0].remark, "no events");
	assert_int_equal(j->comparisons[0].metrics[0].verdict, VERDICT_UNDECIDED);
	assert_string_equal(j->comparisons[0].metrics[2].remark, "identical");
	assert_int_equal(j->comparisons[0].metrics[2].verdict, VERDICT_CLEARED);
	assert_int_equal(judgement_status(j, false), 3);
}

static void primaries_are_one_family(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS, 10);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	/* One of ten moves, with p = 0.0078: alone it would count, among ten it does not. */
	add_worked(&runs, 0);
	for (size_t s = 1; s < 10; s++) {
		for (int i = 0; i < 8; i++) {
			add(&runs, s, i, ARM_A, 1000 + 10 * (i % 3), 1000);
			add(&runs, s, i, ARM_B, 1000 + 10 * ((i + 1) % 3), 1000);
		}
	}
	e->margin = 0.001;
	j = judge(e, &runs, JUDGE_END);
	assert_float_equal(j->comparisons[0].metrics[0].p_adjusted, 0.078125, 1e-12);
	assert_int_equal(j->comparisons[0].metrics[0].comparisons, 10);
	assert_int_equal(j->comparisons[0].metrics[0].verdict, VERDICT_UNDECIDED);
	assert_int_equal(judgement_status(j, false), 3);
}

static void nothing_at_all(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_DECIDED, 1);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;

	(void)state;
	j = judge(e, &runs, JUDGE_LOOK);
	assert_false(judgement_decided(j));
	assert_int_equal(judgement_status(j, false), 3);
	assert_int_equal(j->comparisons[0].metrics[0].pairs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planned_pairs),
		cmocka_unit_test(margin_decides_what_worse_means),
		cmocka_unit_test(directions),
		cmocka_unit_test(maxima_need_equal_windows),
		cmocka_unit_test(figures_in_few_pairs_give_no_verdict),
		cmocka_unit_test(a_primary_in_few_pairs_is_undecided),
		cmocka_unit_test(no_look_before_the_end),
		cmocka_unit_test(e_process_of_the_worked_pairs),
		cmocka_unit_test(e_process_decides_at_the_first_look_that_reaches_it),
		cmocka_unit_test(cleared_is_not_the_end_of_an_improvement),
		cmocka_unit_test(no_verdict_under_six_pairs_with_looks_either),
		cmocka_unit_test(before_its_end_a_plan_is_blind),
		cmocka_unit_test(blind_and_without_a_figure),
		cmocka_unit_test(set_aside_is_not_there),
		cmocka_unit_test(a_glance_is_a_look),
		cmocka_unit_test(an_arm_that_gave_nothing),
		cmocka_unit_test(evidence_outlives_a_change_of_scale),
		cmocka_unit_test(interrupted_runs_are_nobodys_failure),
		cmocka_unit_test(within_the_margin_on_both_sides_is_the_end),
		cmocka_unit_test(few_pairs_give_no_verdict),
		cmocka_unit_test(bad_members_drop_whole_pairs),
		cmocka_unit_test(three_crashes_of_b),
		cmocka_unit_test(three_failures_of_a),
		cmocka_unit_test(one_given_up_others_judged),
		cmocka_unit_test(status_of_several),
		cmocka_unit_test(decided_without_the_given_up),
		cmocka_unit_test(two_crashes_and_a_good_run_go_on),
		cmocka_unit_test(zeros_go_to_the_difference_scale),
		cmocka_unit_test(no_events_and_identical),
		cmocka_unit_test(primaries_are_one_family),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
