// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiment/order.h"
#include "lab/lab.h"

/* A workload with one metric, the total of a counter that the test writes down. */
static const char description_format[] =
	"{\"name\":\"%s\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":["
	"{\"name\":\"window\",\"type\":\"duration\",\"preset\":\"2s\",\"help\":\"\"},"
	"{\"name\":\"warmup\",\"type\":\"duration\",\"preset\":\"500ms\",\"help\":\"\"}],"
	"\"metrics\":[{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\","
	"\"summary\":\"total\",\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,"
	"\"help\":\"\"}]}";

enum { CALLS = 200 };

/* What the fake target is told to do, and what it saw. */
static struct fake {
	/* By number of the call, from 0; what is not set is OUTCOME_OK. */
	enum outcome outcomes[CALLS];
	/* The figure of an arm in a pair; NULL: always 100. */
	int (*cost)(const char *workload, int arm, int pair);
	int sleep_ms, sleep_other_ms; /* of "other" besides */
	int stop_after;		      /* calls until the user stops; 0: never */
	int stop_pipe[2];
	/*
	 * The call after which the store has no such experiment any more, as after a kill; 0: none.
	 */
	int lose_after;
	struct experiment *lost;

	int calls;
	char *ids[CALLS];
	char *workloads[CALLS];
	char *marks[CALLS]; /* the parameter `window`, which tells the arms apart */
	int64_t limit_ns;

	int looks_shown; /* progress with a judgement */
	int progress_shown;
	int64_t planned_shown;
} fake;

static int nothing_differs(const char *workload, int arm, int pair)
{
	/* Noise of both signs in equal parts: no rule finds anything in it. */
	static const int noise[] = {0, 3, 3, 0, 1, 4, 4, 1};

	(void)workload;
	return 1000 + (arm == ARM_A ? noise[pair % 8] : noise[(pair + 1) % 8]);
}

static int b_is_slow(const char *workload, int arm, int pair)
{
	(void)workload;
	return (arm == ARM_A ? 1000 : 2000) + pair;
}

static int b_is_slow_in_one(const char *workload, int arm, int pair)
{
	return text_equal(workload, "other") ? b_is_slow(workload, arm, pair)
					     : nothing_differs(workload, arm, pair);
}

static json_t *record_new(int cost)
{
	char *text __free(memory) = text_format(
		"{\"outcome\":\"ok\",\"reason\":\"\",\"tasks\":[{\"role\":\"task\",\"task\":0,"
		"\"window_ns\":1000,\"counters\":{\"cost\":%d}}],\"series\":[]}",
		cost);
	json_t *record = NULL;
	struct error err;

	assert_true(json_parse(text, strlen(text), &record, &err));
	return record;
}

static bool fake_ask(const struct wire_request *request, int64_t limit_ns,
		     const struct target_watch *watch, json_t **ret_answer, bool *ret_crashed,
		     struct error *err)
{
	int call = fake.calls++;
	enum outcome outcome;
	char arm;
	int pair;

	assert_true(call < CALLS);
	assert_int_equal(request->job, WIRE_RUN);
	assert_int_equal(sscanf(request->id, "run-%d-%c", &pair, &arm), 2);
	fake.ids[call] = memory_string(request->id);
	fake.workloads[call] = memory_string(request->workload);
	fake.marks[call] =
		memory_string(json_string_value(json_object_get(request->params, "window")));
	fake.limit_ns = limit_ns;
	watch->progress(watch->context, "window", 0.5);
	if (fake.sleep_ms)
		clock_sleep_until(clock_now_ns() + fake.sleep_ms * NS_PER_MS);
	if (fake.sleep_other_ms && text_equal(request->workload, "other"))
		clock_sleep_until(clock_now_ns() + fake.sleep_other_ms * NS_PER_MS);
	outcome = fake.outcomes[call];
	if (fake.stop_after && fake.calls == fake.stop_after) {
		assert_int_equal(write(fake.stop_pipe[1], "", 1), 1);
		outcome = OUTCOME_INTERRUPTED;
	}
	if (fake.lose_after && fake.calls == fake.lose_after)
		fake.lost->id = 4711;
	*ret_crashed = outcome == OUTCOME_CRASHED;
	switch (outcome) {
	case OUTCOME_OK:
		*ret_answer =
			record_new(fake.cost ? fake.cost(request->workload, arm - 'A', pair) : 100);
		return true;
	case OUTCOME_INTERRUPTED:
		return error_set(err, ERROR_INTERRUPTED, "stopped");
	default:
		return error_set(err, ERROR_SYSTEM, "as the test says");
	}
}

static const struct target target = {.name = "fake", .summary = "", .ask = fake_ask};

static void fake_progress(void *context, const struct lab_progress *p)
{
	assert_ptr_equal(context, &fake);
	fake.progress_shown++;
	fake.planned_shown = p->pairs_planned;
	fake.looks_shown += !!p->so_far;
}

static char version[] = "0.1.0", agent[] = "";

/* Which arm of a pair runs first. */
static int first_arm(uint64_t seed, size_t subject, int64_t pair)
{
	int order[ARM_MOST];

	order_draw(seed, subject, pair, 2, order);
	assert_int_equal(order[0] + order[1], ARM_A + ARM_B);
	return order[0];
}

/* An experiment in a store of its own. */
struct bench {
	char *folder;
	struct store *store;
	struct experiment *e; /* the case's */
	struct lab_case held;
	struct session session;
	struct lab_watch watch;
	enum lab_end end;
	struct judgement *judgement;
};

static void bench_init(struct bench *b, enum plan plan, int64_t pairs, size_t subjects)
{
	char *path __free(memory) = NULL;
	struct error err;

	memset(&fake, 0, sizeof(fake));
	*b = (struct bench){.e = experiment_new()};
	b->held.experiment = b->e;
	b->session = (struct session){.version = version, .agent = agent};
	b->folder =
		text_format("%s/contend-lab-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(b->folder));
	assert_int_equal(pipe(fake.stop_pipe), 0);
	path = text_format("%s/store.db", b->folder);
	if (!store_open(path, true, &b->store, &err))
		fail_msg("%s", err.text);
	b->watch = (struct lab_watch){
		.progress = fake_progress,
		.context = &fake,
		.stop_fd = fake.stop_pipe[0],
	};
	b->e->plan = plan;
	b->e->arm_count = plan == PLAN_SINGLE ? 1 : 2;
	b->e->pairs = pairs;
	b->e->planned_pairs = plan == PLAN_DECIDED ? pairs : 0;
	b->e->alpha = 0.05;
	b->e->margin = 0.02;
	b->e->seed = 4021;
	b->e->command = memory_string("contend ab made");
	b->e->subjects = memory_array(subjects, sizeof(*b->e->subjects));
	b->e->subject_count = subjects;
	for (int arm = 0; arm < b->e->arm_count; arm++)
		b->e->labels[arm] = memory_string("");
	for (size_t i = 0; i < subjects; i++) {
		struct subject *s = &b->e->subjects[i];
		char *text __free(memory) = text_format(description_format, i ? "other" : "made");
		json_t *object __free(json) = NULL;

		assert_true(json_parse(text, strlen(text), &object, &err));
		if (!description_from_json(object, &s->description, &err))
			fail_msg("%s", err.text);
		s->primary = "cost";
		for (int arm = 0; arm < b->e->arm_count; arm++) {
			s->params[arm] = json_object();
			json_object_set_new(s->params[arm], "window",
					    json_string(arm == ARM_A ? "1s" : "3s"));
		}
	}
	if (!store_add_experiment(b->store, b->e, &err))
		fail_msg("%s", err.text);
}

static void bench_done(struct bench *b)
{
	char *command __free(memory) = text_format("rm -r '%s'", b->folder);

	for (int i = 0; i < fake.calls; i++) {
		free(fake.ids[i]);
		free(fake.workloads[i]);
		free(fake.marks[i]);
	}
	close(fake.stop_pipe[0]);
	close(fake.stop_pipe[1]);
	judgement_free(b->judgement);
	store_close(b->store);
	lab_case_done(&b->held);
	assert_int_equal(system(command), 0);
	free(b->folder);
}

#define __bench __cleanup(bench_done)

static void go(struct bench *b)
{
	struct error err;

	if (!lab_run(&b->held, &target, b->store, &b->watch, &b->session, &b->end, &b->judgement,
		     &err))
		fail_msg("%s", err.text);
}

/* The store must hold what the caller was given, in the same order. */
static void check_store(struct bench *b, const char *how)
{
	struct experiment *e __free(experiment) = NULL;
	struct entries stored __cleanup(entries_done) = {0};
	char *how_stored __free(memory) = NULL;
	struct error err;

	if (!store_read(b->store, b->e->id, &e, &stored, &how_stored, &err))
		fail_msg("%s", err.text);
	if (how)
		assert_string_equal(how_stored, how);
	else
		assert_null(how_stored);
	assert_int_equal(stored.count, b->held.runs.count);
	for (size_t i = 0; i < stored.count; i++) {
		const struct entry *x = &stored.list[i], *y = &b->held.runs.list[i];

		assert_int_equal(x->id, y->id);
		assert_int_equal(x->subject, y->subject);
		assert_int_equal(x->pair, y->pair);
		assert_int_equal(x->arm, y->arm);
		assert_int_equal(x->first, y->first);
		assert_int_equal(x->run->outcome, y->run->outcome);
		assert_true(x->run->started_ns > 0 && x->run->ended_ns >= x->run->started_ns);
	}
}

static void runs_in_random_order(void **state)
{
	struct bench b __bench;
	int call = 0, a_first = 0;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 12, 2);
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 12 * 2 * 2);
	for (int pair = 0; pair < 12; pair++) {
		for (size_t subject = 0; subject < 2; subject++) {
			int first = first_arm(b.e->seed, subject, pair);

			a_first += first == ARM_A;
			for (int k = 0; k < 2; k++, call++) {
				int arm = first ^ k;
				const struct entry *entry = &b.held.runs.list[call];
				char *id __free(memory) = text_format("run-%d-%c", pair, "AB"[arm]);

				assert_string_equal(fake.ids[call], id);
				assert_string_equal(fake.workloads[call],
						    subject ? "other" : "made");
				assert_string_equal(fake.marks[call], arm == ARM_A ? "1s" : "3s");
				assert_int_equal(entry->subject, subject);
				assert_int_equal(entry->pair, pair);
				assert_int_equal(entry->arm, arm);
				assert_int_equal(entry->first, !k);
			}
		}
	}
	/* A fair coin does this once in 2^24 seeds, and the seed is fixed. */
	assert_true(a_first > 0 && a_first < 24);
	check_store(&b, "planned end");
}

static void limit_follows_the_parameters(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_SINGLE, 1, 1);
	go(&b);
	/* Warm-up and window of 1.5 s in all, and the margin. */
	assert_int_equal(fake.limit_ns, 46500 * NS_PER_MS);
}

static void single_run(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_SINGLE, 1, 1);
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 1);
	assert_string_equal(fake.ids[0], "run-0-A");
	assert_null(b.judgement);
	check_store(&b, "planned end");
}

/* Of one arm a pair is one run. */
static void several_runs(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_SINGLE, 5, 1);
	fake.outcomes[1] = fake.outcomes[3] = OUTCOME_FAILED;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 5);
	assert_string_equal(fake.ids[4], "run-4-A");
	assert_int_equal(fake.planned_shown, 5);
	assert_null(b.judgement);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(b.held.runs.list[i].arm, ARM_A);
		assert_int_equal(b.held.runs.list[i].pair, i);
	}
	check_store(&b, "planned end");
}

static void several_runs_give_up(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_SINGLE, 50, 1);
	fake.outcomes[4] = fake.outcomes[5] = fake.outcomes[6] = OUTCOME_FAILED;
	go(&b);
	assert_int_equal(b.end, LAB_GAVE_UP);
	assert_int_equal(fake.calls, 7);
	check_store(&b, "gave up");
}

static void planned_pairs_take_no_look(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 8, 1);
	fake.cost = b_is_slow;
	go(&b);
	/* It was plain after a few pairs, but nobody looked. */
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 16);
	assert_int_equal(b.judgement->looks, 0);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(judgement_status(b.judgement, false), 1);
	assert_true(fake.progress_shown >= 32);
	assert_int_equal(fake.looks_shown, 0);
	assert_int_equal(fake.planned_shown, 8);
}

static void stops_when_decided(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 40, 1);
	fake.cost = b_is_slow;
	go(&b);
	assert_int_equal(b.end, LAB_DECIDED);
	assert_true(fake.calls < 80);
	assert_int_equal(fake.calls % 2, 0);
	assert_int_equal(b.judgement->looks, fake.calls / 2);
	assert_true(b.judgement->early);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_true(fake.looks_shown > 0);
	check_store(&b, "decided");
}

/*
 * Only the second workload is slow in B: it rests when that is settled, and the first one goes on.
 */
static void rests_when_settled(void **state)
{
	struct bench b __bench;
	const struct look *last;
	int made = 0, other;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 12, 2);
	fake.cost = b_is_slow_in_one;
	/* Without a margin nothing is cleared, and without looks nothing is futile. */
	b.e->margin = 0;
	b.e->planned_pairs = 0;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	for (int i = 0; i < fake.calls; i++)
		made += text_equal(fake.workloads[i], "made");
	other = fake.calls - made;
	assert_int_equal(made, 24);
	/* By Holm it needs E 40, which takes eight pairs. */
	assert_int_equal(other, 16);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_UNDECIDED);
	assert_int_equal(b.judgement->comparisons[1].metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(b.judgement->comparisons[0].pairs, 12);
	assert_int_equal(b.judgement->comparisons[1].pairs, 8);
	/* One look after each pair of either. */
	assert_int_equal(b.held.history.look_count, 12 + 8);
	last = history_last_look(&b.held.history, 1, ARM_B);
	assert_int_equal(last->pairs, 8);
	assert_string_equal(last->verdict, "regressed");
	assert_string_equal(last->rule, "e_process");
}

static void drops_a_pair_whole(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 8, 1);
	fake.cost = b_is_slow;
	fake.outcomes[5] = OUTCOME_FAILED;
	fake.outcomes[6] = OUTCOME_CRASHED;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	/* Dropped pairs are not made up for: that would run one arm of them again. */
	assert_int_equal(fake.calls, 16);
	assert_int_equal(b.judgement->comparisons[0].dropped, 2);
	assert_int_equal(b.judgement->comparisons[0].pairs, 6);
	check_store(&b, "planned end");
}

/* Makes an arm fail in these pairs, whichever position it has in them. */
static void fail_in(const struct bench *b, int arm, int from, int to, enum outcome outcome)
{
	for (int pair = from; pair <= to; pair++) {
		bool first = first_arm(b->e->seed, 0, pair) == arm;

		fake.outcomes[2 * pair + !first] = outcome;
	}
}

static void gives_up_when_a_fails(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 20, 1);
	fail_in(&b, ARM_A, 2, 10, OUTCOME_FAILED);
	go(&b);
	assert_int_equal(b.end, LAB_GAVE_UP);
	assert_int_equal(fake.calls, 10);
	assert_true(b.judgement->impossible);
	assert_int_equal(judgement_status(b.judgement, false), 4);
	check_store(&b, "gave up");
}

static void gives_up_when_b_crashes(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 20, 1);
	fail_in(&b, ARM_B, 0, 2, OUTCOME_CRASHED);
	go(&b);
	assert_int_equal(b.end, LAB_GAVE_UP);
	assert_int_equal(fake.calls, 6);
	assert_true(b.judgement->crashes);
	assert_int_equal(judgement_status(b.judgement, false), 1);
}

static void blames_the_machine_when_both_crash(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 20, 1);
	fail_in(&b, ARM_A, 0, 5, OUTCOME_CRASHED);
	fail_in(&b, ARM_B, 0, 5, OUTCOME_CRASHED);
	go(&b);
	assert_int_equal(b.end, LAB_GAVE_UP);
	assert_int_equal(fake.calls, 6);
	assert_false(b.judgement->crashes);
	assert_int_equal(judgement_status(b.judgement, false), 4);
}

static void two_failures_in_a_row_are_not_three(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 9, 1);
	fail_in(&b, ARM_B, 0, 1, OUTCOME_CRASHED);
	fail_in(&b, ARM_B, 3, 4, OUTCOME_CRASHED);
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 18);
}

static size_t runs_of(const struct bench *b, size_t subject)
{
	size_t count = 0;

	for (size_t i = 0; i < b->held.runs.count; i++)
		count += b->held.runs.list[i].subject == subject;
	return count;
}

/* What is wrong with one workload is not the others' fault. */
static void gives_up_one_workload_alone(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 8, 2);
	fake.cost = nothing_differs;
	/* Four runs a pair, and two when the first workload is gone. */
	for (int pair = 0; pair < 3; pair++)
		fake.outcomes[4 * pair + (first_arm(b.e->seed, 0, pair) != ARM_A)] = OUTCOME_FAILED;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(runs_of(&b, 0), 6);
	assert_int_equal(runs_of(&b, 1), 16);
	assert_int_equal(comparison_finding(&b.judgement->comparisons[0]), FINDING_IMPOSSIBLE);
	assert_int_equal(comparison_finding(&b.judgement->comparisons[1]), FINDING_CLEARED);
	assert_int_equal(judgement_status(b.judgement, false), 4);
	check_store(&b, "planned end");
}

/* With looks the end is when the others are decided. */
static void decides_the_others(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 40, 2);
	fake.cost = b_is_slow;
	for (int pair = 0; pair < 3; pair++)
		fake.outcomes[4 * pair + (first_arm(b.e->seed, 0, pair) != ARM_B)] =
			OUTCOME_CRASHED;
	go(&b);
	assert_int_equal(b.end, LAB_DECIDED);
	assert_int_equal(runs_of(&b, 0), 6);
	assert_true(runs_of(&b, 1) < 80);
	assert_true(b.judgement->early);
	assert_int_equal(comparison_finding(&b.judgement->comparisons[0]), FINDING_CRASHES);
	assert_int_equal(comparison_finding(&b.judgement->comparisons[1]), FINDING_REGRESSED);
	check_store(&b, "decided");
}

static void gives_up_when_none_is_left(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 20, 2);
	for (int call = 0; call < CALLS; call++)
		fake.outcomes[call] = OUTCOME_FAILED;
	go(&b);
	assert_int_equal(b.end, LAB_GAVE_UP);
	assert_int_equal(fake.calls, 12);
	check_store(&b, "gave up");
}

/* A slow and a quick workload: a pair of each in turn, and only when both fit. */
static void budget_is_shared_pair_by_pair(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_BUDGET, 0, 2);
	b.e->budget_ns = 400 * NS_PER_MS;
	b.e->margin = 0;
	fake.cost = nothing_differs;
	fake.sleep_ms = 5;
	fake.sleep_other_ms = 40;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	/* Both pairs together take 100 ms at least, so no fifth of them fits. */
	assert_in_range(fake.calls, 4, 16);
	assert_int_equal(runs_of(&b, 0), runs_of(&b, 1));
	for (int call = 0; call < fake.calls; call++)
		assert_string_equal(fake.workloads[call], call % 4 < 2 ? "made" : "other");
}

/* A pair of the quick one alone would fit; one of both does not. */
static void budget_begins_no_part_of_a_round(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_BUDGET, 0, 2);
	b.e->budget_ns = 150 * NS_PER_MS;
	b.e->margin = 0;
	fake.cost = nothing_differs;
	fake.sleep_ms = 5;
	fake.sleep_other_ms = 40;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 4);
}

static void budget_has_one_pair(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_BUDGET, 0, 1);
	b.e->budget_ns = 1;
	fake.cost = nothing_differs;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 2);
	assert_int_equal(fake.planned_shown, 0);
	assert_true(b.judgement->finished);
}

static void budget_is_kept(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_BUDGET, 0, 1);
	b.e->budget_ns = 200 * NS_PER_MS;
	b.e->margin = 0;
	fake.cost = nothing_differs;
	fake.sleep_ms = 20;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	/* A pair takes 40 ms at least, so no sixth one fits. */
	assert_in_range(fake.calls, 2, 10);
	assert_int_equal(fake.calls % 2, 0);
}

/* Some of the budget is left, but not enough for a pair as long as the first. */
static void budget_begins_nothing_that_does_not_fit(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_BUDGET, 0, 1);
	b.e->budget_ns = 100 * NS_PER_MS;
	b.e->margin = 0;
	fake.cost = nothing_differs;
	fake.sleep_ms = 30;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 2);
}

static void budget_stops_when_decided(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_BUDGET, 0, 1);
	b.e->budget_ns = 3600 * NS_PER_SEC;
	fake.cost = b_is_slow;
	go(&b);
	assert_int_equal(b.end, LAB_DECIDED);
	assert_int_equal(b.judgement->looks, fake.calls / 2);
}

static void interrupt_keeps_what_was_measured(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 20, 1);
	fake.cost = b_is_slow;
	fake.stop_after = 14;
	go(&b);
	assert_int_equal(b.end, LAB_INTERRUPTED);
	assert_int_equal(fake.calls, 14);
	assert_int_equal(b.held.runs.count, 14);
	assert_int_equal(b.held.runs.list[13].run->outcome, OUTCOME_INTERRUPTED);
	assert_int_equal(b.judgement->comparisons[0].pairs, 6);
	assert_int_equal(b.judgement->comparisons[0].dropped, 0);
	/* Whoever stopped it may go on with it, and must not know what it has shown. */
	assert_true(b.judgement->blind);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_UNDECIDED);
	assert_int_equal(b.held.history.look_count, 0);
	check_store(&b, "interrupted");
}

/* The agent was told to stop by somebody else. */
static void an_interrupted_run_ends_it(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 20, 1);
	fake.outcomes[2] = OUTCOME_INTERRUPTED;
	go(&b);
	assert_int_equal(b.end, LAB_INTERRUPTED);
	assert_int_equal(fake.calls, 3);
	assert_int_equal(b.held.runs.count, 3);
}

static void interrupt_before_the_first_run(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 20, 1);
	assert_int_equal(write(fake.stop_pipe[1], "", 1), 1);
	go(&b);
	assert_int_equal(b.end, LAB_INTERRUPTED);
	assert_int_equal(fake.calls, 0);
	assert_non_null(b.judgement);
	check_store(&b, "interrupted");
}

/* Forgets all but the store, as another process would, and reads the experiment again. */
static void take_up_again(struct bench *b)
{
	int64_t id = b->e->id;
	struct error err;

	judgement_free(take(b->judgement));
	lab_case_done(&b->held);
	if (!store_read_all(b->store, id, &b->held.experiment, &b->held.runs, &b->held.history,
			    &err))
		fail_msg("%s", err.text);
	b->e = b->held.experiment;
	close(fake.stop_pipe[0]);
	close(fake.stop_pipe[1]);
	assert_int_equal(pipe(fake.stop_pipe), 0);
	b->watch.stop_fd = fake.stop_pipe[0];
}

static void goes_on_where_it_was_cut(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 6, 1);
	fake.cost = b_is_slow;
	fake.stop_after = 6;
	go(&b);
	assert_int_equal(b.end, LAB_INTERRUPTED);
	take_up_again(&b);
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	/*
	 * Two whole pairs; the third was cut and is run again whole, with its number and its coin.
	 */
	assert_int_equal(fake.calls, 6 + 8);
	assert_int_equal(b.held.runs.count, 14);
	for (int i = 0; i < 14; i++) {
		const struct entry *entry = &b.held.runs.list[i];
		int place = i < 6 ? i : i - 2;

		assert_int_equal(entry->set_aside, i == 4 || i == 5);
		assert_int_equal(entry->pair, place / 2);
		assert_int_equal(entry->arm, first_arm(b.e->seed, 0, place / 2) ^ (place % 2));
		assert_int_equal(entry->first, !(place % 2));
	}
	assert_int_equal(b.judgement->comparisons[0].pairs, 6);
	assert_false(b.judgement->blind);
	assert_int_equal(b.held.history.session_count, 2);
	assert_int_equal(b.held.history.look_count, 1);
	check_store(&b, "planned end");
}

/* What an experiment came to, without the order of time: a line for each run that counts. */
static int by_line(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sum_up(const struct bench *b)
{
	char *lines[2 * CALLS];
	struct text out = {0};
	size_t count = 0;

	for (size_t i = 0; i < b->held.runs.count; i++) {
		const struct entry *e = &b->held.runs.list[i];
		const struct metric *m = &b->e->subjects[0].description->metrics[0];
		struct error err;
		double cost;

		if (e->set_aside)
			continue;
		if (!run_figure(e->run, m, &cost, &err))
			fail_msg("%s", err.text);
		lines[count++] = text_format("%zu %lld %d %d %g\n", e->subject, (long long)e->pair,
					     e->arm, e->first, cost);
	}
	qsort(lines, count, sizeof(lines[0]), by_line);
	for (size_t i = 0; i < count; i++) {
		text_puts(&out, lines[i]);
		free(lines[i]);
	}
	for (size_t i = 0; i < b->judgement->comparison_count; i++) {
		const struct metric_verdict *m = &b->judgement->comparisons[i].metrics[0];

		text_printf(&out, "%s %g %g %g\n", verdict_words[m->verdict], m->p_adjusted,
			    m->interval.low, m->interval.high);
	}
	return text_take(&out);
}

/* Stopped at its every run in turn, and gone on with, an experiment comes to the same. */
static void comes_to_the_same(void **state)
{
	static const struct {
		enum plan plan;
		int64_t pairs;
	} cases[] = {{PLAN_PAIRS, 7}, {PLAN_DECIDED, 12}};
	/* With looks one workload is settled, and with the other it is futile to go on. */
	static const enum lab_end ends[] = {LAB_PLANNED_END, LAB_FUTILE};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *whole __free(memory) = NULL;
		int calls = 1;

		for (int stop = 0; stop <= calls; stop++) {
			struct bench b __bench;
			char *got __free(memory) = NULL;

			bench_init(&b, cases[i].plan, cases[i].pairs, 2);
			b.e->margin = 0;
			fake.cost = b_is_slow_in_one;
			fake.stop_after = stop;
			go(&b);
			if (stop) {
				assert_int_equal(b.end, LAB_INTERRUPTED);
				take_up_again(&b);
				b.e->margin = 0;
				go(&b);
			}
			assert_int_equal(b.end, ends[i]);
			got = sum_up(&b);
			if (!stop) {
				whole = take(got);
				calls = fake.calls;
				continue;
			}
			assert_string_equal(got, whole);
		}
		assert_true(calls > 20);
	}
}

/* The looks of an experiment, each once: which comparison after how many pairs. */
static char *looks_of(const struct bench *b)
{
	const struct history *h = &b->held.history;
	char **lines __free(memory) = memory_array(h->look_count, sizeof(char *));
	struct text out = {0};

	for (size_t i = 0; i < h->look_count; i++)
		lines[i] = text_format("%zu %d %lld\n", h->looks[i].subject, h->looks[i].arm,
				       (long long)h->looks[i].pairs);
	qsort(lines, h->look_count, sizeof(lines[0]), by_line);
	for (size_t i = 0; i < h->look_count; i++) {
		if (!i || !text_equal(lines[i], lines[i - 1]))
			text_puts(&out, lines[i]);
	}
	for (size_t i = 0; i < h->look_count; i++)
		free(lines[i]);
	return text_take(&out);
}

/* Killed after its every run in turn, inside of rounds too, it has had the same looks. */
static void keeps_every_look(void **state)
{
	char *whole __free(memory) = NULL;
	int calls = 1;

	(void)state;
	for (int lose = 0; lose <= calls; lose++) {
		struct bench b __bench;
		struct error err;
		char *got = NULL;

		bench_init(&b, PLAN_DECIDED, 12, 2);
		b.e->margin = 0;
		fake.cost = b_is_slow_in_one;
		if (lose) {
			int64_t id = b.e->id;

			fake.lose_after = lose;
			fake.lost = b.e;
			assert_false(lab_run(&b.held, &target, b.store, &b.watch, &b.session,
					     &b.end, &b.judgement, &err));
			b.e->id = id;
			take_up_again(&b);
			b.e->margin = 0;
		}
		go(&b);
		assert_int_equal(b.end, LAB_FUTILE);
		got = looks_of(&b);
		if (lose) {
			assert_string_equal(got, whole);
			free(got);
			continue;
		}
		whole = got;
		calls = fake.calls;
	}
	assert_true(calls > 20);
}

/* Who gives it more room wants it to go on: it does, to its new end. */
static void goes_on_where_it_was_futile(void **state)
{
	struct bench b __bench;
	int64_t pairs;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 20, 1);
	fake.cost = nothing_differs;
	b.e->margin = 0;
	go(&b);
	assert_int_equal(b.end, LAB_FUTILE);
	assert_true(b.judgement->futile);
	pairs = lab_pairs_done(b.e, &b.held.runs);
	assert_in_range(pairs, 8, 19);
	check_store(&b, "futile");
	take_up_again(&b);
	b.e->margin = 0;
	b.e->pairs = 24;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(lab_pairs_done(b.e, &b.held.runs), 24);
	/* The looks are those of the plan. */
	assert_int_equal(b.judgement->comparisons[0].metrics[0].plan.max_pairs, 20);
}

/*
 * The time that was planned for ends a budget with its looks; time that was taken from it does not,
 * nor does that of somebody who gave it more for a while.
 */
static void spends_looks_when_the_time_is_up(void **state)
{
	enum { LEFT_ALONE, STOPPED, GIVEN_MORE, CASES };

	(void)state;
	for (int how = 0; how < CASES; how++) {
		struct bench b __bench;

		bench_init(&b, PLAN_BUDGET, 0, 1);
		fake.cost = nothing_differs;
		fake.sleep_ms = 2;
		fake.stop_after = how == LEFT_ALONE ? 0 : 9;
		b.e->margin = 0;
		/* So few pairs fit in that none is futile. */
		b.e->budget_ns = how == STOPPED ? 3600 * NS_PER_SEC : 25 * NS_PER_MS;
		b.e->planned_budget_ns = b.e->budget_ns;
		if (how == GIVEN_MORE)
			b.e->budget_ns = 3600 * NS_PER_SEC;
		go(&b);
		if (how != LEFT_ALONE) {
			assert_int_equal(b.end, LAB_INTERRUPTED);
			take_up_again(&b);
			b.e->budget_ns = b.e->planned_budget_ns;
		}
		/* As if the run that was cut had taken all of it. */
		for (size_t i = 0; how == STOPPED && i < b.held.runs.count; i++) {
			if (b.held.runs.list[i].run->outcome == OUTCOME_INTERRUPTED)
				b.held.runs.list[i].run->ended_ns += 3600 * NS_PER_SEC;
		}
		if (how != LEFT_ALONE)
			go(&b);
		assert_int_equal(b.end, LAB_PLANNED_END);
		assert_int_equal(b.e->time_up > 0, how == LEFT_ALONE);
	}
}

/* Blindly lowered to the pairs that it has, a plan ends with the verdict of its own rule. */
static void ends_with_what_it_has(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 20, 1);
	fake.cost = b_is_slow;
	fake.stop_after = 14;
	go(&b);
	take_up_again(&b);
	assert_int_equal(lab_pairs_done(b.e, &b.held.runs), 6);
	assert_true(lab_has_room(b.e, &b.held.runs));
	b.e->pairs = 6;
	assert_false(lab_has_room(b.e, &b.held.runs));
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 14);
	assert_false(b.judgement->blind);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].rule, RULE_SIGN_FLIP);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(b.e->looked, 6);
}

/* After its end was seen, more pairs are an extension, and its first verdict stays. */
static void extends_a_plan(void **state)
{
	struct bench b __bench;
	const struct metric_verdict *m;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 6, 1);
	fake.cost = nothing_differs;
	b.e->margin = 0;
	go(&b);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_UNDECIDED);
	take_up_again(&b);
	assert_int_equal(b.e->looked, 6);
	b.e->margin = 0;
	b.e->pairs = 30;
	fake.cost = b_is_slow;
	go(&b);
	m = &b.judgement->comparisons[0].metrics[0];
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 60);
	assert_int_equal(b.judgement->first_end, 6);
	assert_int_equal(m->rule, RULE_E_PROCESS);
	assert_true(m->level == 0.05 - 2.0 / 64);
	assert_int_equal(m->verdict, VERDICT_REGRESSED);
	assert_int_equal(b.held.history.look_count, 2);
	assert_int_equal(b.held.history.looks[0].pairs, 6);
	assert_string_equal(b.held.history.looks[0].rule, "sign_flip");
	assert_int_equal(b.held.history.looks[1].pairs, 30);
	assert_string_equal(b.held.history.looks[1].rule, "e_process");
	/* Read again, it is judged the same. */
	take_up_again(&b);
	assert_int_equal(b.e->looked, 6);
	assert_int_equal(b.e->pairs, 30);
	b.e->margin = 0;
	b.judgement = lab_judge(b.e, &b.held.runs, b.held.history.how);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_int_equal(b.judgement->first_end, 6);
}

/* Behind its verdict it goes on to the end of the room that it was given, and keeps the verdict. */
/* A of the first workload fails in its first three pairs: four runs a pair, then two. */
static void fail_first_of_two(const struct bench *b)
{
	for (int pair = 0; pair < 3; pair++)
		fake.outcomes[4 * pair + (first_arm(b->e->seed, 0, pair) != ARM_A)] =
			OUTCOME_FAILED;
}

/* What was judged at the first end stays what it was, also of a workload that had been given up. */
static void extends_what_was_given_up(void **state)
{
	struct bench b __bench;
	size_t behind = 0;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 8, 2);
	fake.cost = nothing_differs;
	fail_first_of_two(&b);
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(runs_of(&b, 0), 6);
	take_up_again(&b);
	assert_int_equal(b.e->looked, 8);
	/* Its end was seen: there is no room before it. */
	assert_false(lab_has_room(b.e, &b.held.runs));
	assert_int_equal(judge_extension_needs(b.e, &b.held.runs) > 8, 1);
	b.e->pairs = 20;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(b.judgement->first_end, 8);
	for (size_t i = 0; i < b.held.runs.count; i++) {
		const struct entry *e = &b.held.runs.list[i];

		assert_true(e->subject || e->pair < 3 || e->pair >= 8);
		behind += !e->subject && e->pair >= 8;
	}
	assert_int_equal(behind, 24);
	assert_int_equal(runs_of(&b, 1), 40);
	assert_int_equal(lab_pairs_done(b.e, &b.held.runs), 20);
	assert_int_equal(b.judgement->comparisons[0].pairs, 12);
	assert_false(b.judgement->impossible);
	take_up_again(&b);
	assert_int_equal(b.e->looked, 8);
	assert_false(lab_has_room(b.e, &b.held.runs));
}

/* With looks it is tried again, and those that rest do not wait for it. */
static void tries_again_what_was_given_up(void **state)
{
	struct bench b __bench;
	size_t rested;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 40, 2);
	fake.cost = b_is_slow;
	fail_first_of_two(&b);
	go(&b);
	assert_int_equal(b.end, LAB_DECIDED);
	assert_int_equal(runs_of(&b, 0), 6);
	rested = runs_of(&b, 1);
	take_up_again(&b);
	go(&b);
	assert_int_equal(b.end, LAB_DECIDED);
	assert_true(runs_of(&b, 0) > 6);
	assert_int_equal(runs_of(&b, 1), rested);
	assert_int_equal(comparison_finding(&b.judgement->comparisons[0]), FINDING_REGRESSED);
	assert_int_equal(comparison_finding(&b.judgement->comparisons[1]), FINDING_REGRESSED);
}

static void goes_on_behind_its_verdict(void **state)
{
	struct bench b __bench;
	int calls;

	(void)state;
	bench_init(&b, PLAN_DECIDED, 40, 1);
	fake.cost = b_is_slow;
	go(&b);
	assert_int_equal(b.end, LAB_DECIDED);
	calls = fake.calls;
	take_up_again(&b);
	go(&b);
	assert_int_equal(b.end, LAB_DECIDED);
	assert_int_equal(fake.calls, calls);
	take_up_again(&b);
	b.e->pairs = 12;
	b.session.beyond = true;
	fake.cost = nothing_differs;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 24);
	assert_int_equal(b.judgement->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_true(b.held.history.sessions[2].beyond);
}

/* Who takes it up again may have mended what failed. */
static void earlier_failures_are_over(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 9, 1);
	fail_in(&b, ARM_A, 0, 2, OUTCOME_FAILED);
	go(&b);
	assert_int_equal(b.end, LAB_GAVE_UP);
	/* No end of a plan, so nothing of it was seen. */
	assert_true(b.judgement->blind);
	assert_true(b.judgement->impossible);
	assert_int_equal(judgement_status(b.judgement, false), 4);
	take_up_again(&b);
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 18);
	assert_int_equal(b.judgement->comparisons[0].pairs, 6);
	assert_int_equal(b.judgement->comparisons[0].dropped, 3);
	assert_false(b.judgement->impossible);
}

static void earlier_time_counts(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_BUDGET, 0, 1);
	b.e->budget_ns = 100 * NS_PER_MS;
	b.e->margin = 0;
	fake.cost = nothing_differs;
	fake.sleep_ms = 60;
	go(&b);
	assert_int_equal(fake.calls, 2);
	take_up_again(&b);
	b.e->margin = 0;
	go(&b);
	assert_int_equal(b.end, LAB_PLANNED_END);
	assert_int_equal(fake.calls, 2);
}

static void store_failure_is_an_error(void **state)
{
	struct bench b __bench;
	struct error err = {0};
	int64_t id;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 4, 1);
	id = b.e->id;
	/* No such experiment. */
	b.e->id = 4711;
	assert_false(lab_run(&b.held, &target, b.store, &b.watch, &b.session, &b.end, &b.judgement,
			     &err));
	assert_non_null(strstr(err.text, "4711"));
	assert_int_equal(fake.calls, 0);
	b.e->id = id;
	check_store(&b, NULL);
}

/* Whatever wrote it: a run that is there already is not there twice. */
static void no_place_has_two_runs(void **state)
{
	struct bench b __bench;
	struct run *run __free(run) = run_without_record(OUTCOME_FAILED, "of another process");
	struct entry entry = {.pair = 0, .run = run};
	struct error err = {0};

	(void)state;
	bench_init(&b, PLAN_PAIRS, 4, 1);
	entry.arm = first_arm(b.e->seed, 0, 0);
	assert_true(store_add_run(b.store, b.e->id, &entry, &err));
	assert_false(lab_run(&b.held, &target, b.store, &b.watch, &b.session, &b.end, &b.judgement,
			     &err));
	assert_non_null(strstr(err.text, "pair 1, "));
	assert_non_null(strstr(err.text, "another process"));
	assert_int_equal(b.held.runs.count, 0);
}

/* `contend show` must give what lab_run() gave, and no more for an experiment without an end. */
static void judges_stored_runs(void **state)
{
	struct bench b __bench;

	(void)state;
	bench_init(&b, PLAN_PAIRS, 8, 1);
	fake.cost = b_is_slow;
	go(&b);

	struct judgement *planned __free(judgement) = lab_judge(b.e, &b.held.runs, "planned end");
	struct judgement *cut __free(judgement) = NULL;
	struct judgement *killed __free(judgement) = NULL;

	b.e->looked = 0;
	cut = lab_judge(b.e, &b.held.runs, "interrupted");
	killed = lab_judge(b.e, &b.held.runs, NULL);
	assert_int_equal(planned->comparisons[0].metrics[0].verdict, VERDICT_REGRESSED);
	assert_true(cut->blind);
	assert_true(killed->blind);
	b.e->plan = PLAN_SINGLE;
	b.e->arm_count = 1;
	assert_null(lab_judge(b.e, &b.held.runs, "planned end"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_in_random_order),
		cmocka_unit_test(limit_follows_the_parameters),
		cmocka_unit_test(single_run),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(several_runs_give_up),
		cmocka_unit_test(planned_pairs_take_no_look),
		cmocka_unit_test(stops_when_decided),
		cmocka_unit_test(rests_when_settled),
		cmocka_unit_test(drops_a_pair_whole),
		cmocka_unit_test(gives_up_when_a_fails),
		cmocka_unit_test(gives_up_when_b_crashes),
		cmocka_unit_test(blames_the_machine_when_both_crash),
		cmocka_unit_test(two_failures_in_a_row_are_not_three),
		cmocka_unit_test(gives_up_one_workload_alone),
		cmocka_unit_test(decides_the_others),
		cmocka_unit_test(gives_up_when_none_is_left),
		cmocka_unit_test(budget_is_shared_pair_by_pair),
		cmocka_unit_test(budget_begins_no_part_of_a_round),
		cmocka_unit_test(budget_has_one_pair),
		cmocka_unit_test(budget_is_kept),
		cmocka_unit_test(budget_begins_nothing_that_does_not_fit),
		cmocka_unit_test(budget_stops_when_decided),
		cmocka_unit_test(interrupt_keeps_what_was_measured),
		cmocka_unit_test(an_interrupted_run_ends_it),
		cmocka_unit_test(interrupt_before_the_first_run),
		cmocka_unit_test(goes_on_where_it_was_cut),
		cmocka_unit_test(comes_to_the_same),
		cmocka_unit_test(keeps_every_look),
		cmocka_unit_test(goes_on_where_it_was_futile),
		cmocka_unit_test(spends_looks_when_the_time_is_up),
		cmocka_unit_test(ends_with_what_it_has),
		cmocka_unit_test(extends_a_plan),
		cmocka_unit_test(extends_what_was_given_up),
		cmocka_unit_test(tries_again_what_was_given_up),
		cmocka_unit_test(goes_on_behind_its_verdict),
		cmocka_unit_test(earlier_failures_are_over),
		cmocka_unit_test(earlier_time_counts),
		cmocka_unit_test(no_place_has_two_runs),
		cmocka_unit_test(store_failure_is_an_error),
		cmocka_unit_test(judges_stored_runs),
	};

	return cmocka_run_group_tests_name("lab", tests, NULL, NULL);
}
