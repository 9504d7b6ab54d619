// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/lab.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiment/order.h"

enum {
	/*
	 * What a run may take besides warm-up and window before the controller gives it up: more
	 * than the limits that the agent sets itself (20 s to get ready, 5 s each to begin and end
	 * the window and to exit, 40 ms more a task), so that the agent is the one to say what hung.
	 */
	MARGIN_SECONDS = 45,
	MARGIN_TASK_MS = 50,
	/*
	 * A look goes over all runs again. One that takes longer than LOOK_MS is put off until the
	 * pairs since the last one took LOOK_SHARE times as long. Nothing is lost but a few pairs:
	 * the evidence that counts is the largest after any pair, looked at or not.
	 */
	LOOK_MS = 20,
	LOOK_SHARE = 20,
};

const char *const lab_end_words[] = {"decided", "planned end", "interrupted", "gave up", NULL};

struct lab {
	const struct experiment *experiment;
	const struct target *target;
	struct store *store;
	const struct lab_watch *watch;
	struct entries *runs;
	bool *gave_up;		  /* by subject: it can do no more, and is not run again */
	struct judgement *so_far; /* the last look; NULL: none was taken */
	int64_t look_ns;	  /* how long it took */
	int64_t looked_ns;	  /* when it ended */
	int64_t pair;		  /* number of the next pair */
	int64_t attempts;	  /* pairs begun and not interrupted */
	int64_t began_ns;	  /* clock_now_ns() of the start, less what earlier sessions took */
	int64_t longest_ns;	  /* the longest pair */
	int64_t mean_ns;	  /* a pair on average, as of the last one's end */
	struct lab_progress progress;
};

static size_t arm_count(const struct experiment *e)
{
	return e->plan == PLAN_SINGLE ? 1 : ARM_COUNT;
}

static int64_t pairs_planned(const struct experiment *e)
{
	switch (e->plan) {
	case PLAN_BUDGET:
		return 0;
	default:
		return e->pairs;
	}
}

static int64_t spent_ns(const struct lab *l)
{
	return clock_now_ns() - l->began_ns;
}

/* Time left at most; -1 before anything is known. */
static int64_t left_ns(const struct lab *l)
{
	const struct experiment *e = l->experiment;
	int64_t left;

	if (e->plan == PLAN_BUDGET) {
		left = e->budget_ns - spent_ns(l);
		return left > 0 ? left : 0;
	}
	if (!l->mean_ns)
		return -1;
	left = l->mean_ns * pairs_planned(e) - spent_ns(l);
	return left > 0 ? left : 0;
}

static void report_progress(struct lab *l)
{
	struct lab_progress *p = &l->progress;

	if (!l->watch->progress)
		return;
	p->pairs_done = l->attempts;
	p->pairs_planned = pairs_planned(l->experiment);
	p->one_arm = l->experiment->plan == PLAN_SINGLE;
	p->spent_ns = spent_ns(l);
	p->left_ns = left_ns(l);
	p->so_far = l->so_far;
	l->watch->progress(l->watch->context, p);
}

static void run_progress(void *context, const char *phase, double share)
{
	struct lab *l = context;

	l->progress.phase = phase;
	l->progress.share = share;
	report_progress(l);
	/* The phase is the target's, and gone when this returns. */
	l->progress.phase = NULL;
}

static bool stop_asked(const struct lab *l)
{
	struct pollfd stop = {.fd = l->watch->stop_fd, .events = POLLIN};

	return stop.fd >= 0 && poll(&stop, 1, 0) > 0;
}

/* A number among the parameters that most workloads have; 0 where one has not. */
static int64_t common_param(const struct subject *s, int arm, const char *name)
{
	if (!param_find(s->description->params, name))
		return 0;
	return params_integer(s->params[arm], s->description->params, name);
}

/* How long a run may take in all. */
static int64_t run_limit_ns(const struct subject *s, int arm)
{
	return common_param(s, arm, "warmup") + common_param(s, arm, "window") +
	       common_param(s, arm, "tasks") * MARGIN_TASK_MS * NS_PER_MS +
	       MARGIN_SECONDS * NS_PER_SEC;
}

/* One run, kept in the store before anything else happens. False: the store failed. */
static bool run_arm(struct lab *l, size_t subject, int arm, bool first, enum outcome *ret_outcome,
		    struct error *err)
{
	const struct subject *s = &l->experiment->subjects[subject];
	char *id __free(memory) = text_format("run-%" PRId64 "-%s", l->pair, arm_words[arm]);
	struct wire_request request = {
		.job = WIRE_RUN,
		.id = id,
		.workload = s->description->name,
		.params = s->params[arm],
	};
	struct target_watch watch = {
		.progress = run_progress,
		.context = l,
		.stop_fd = l->watch->stop_fd,
	};

	l->progress.arm = arm_words[arm];
	l->progress.workload = s->description->name;
	run_progress(l, "start", 0);

	struct run *run __free(run) = target_run(l->target, &request, run_limit_ns(s, arm), &watch);
	struct entry entry = {
		.subject = subject,
		.pair = l->pair,
		.arm = arm,
		.first = first,
		.run = run,
	};

	l->progress.arm = NULL;
	if (!store_add_run(l->store, l->experiment->id, &entry, err))
		return error_wrap(err, "pair %" PRId64 ", %s: keep the run", l->pair + 1,
				  arm_words[arm]);
	*ret_outcome = run->outcome;
	entries_add(l->runs, entry);
	take(run);
	return true;
}

/* One pair of every workload that goes on. *ret_whole: false when the user stopped it. */
static bool run_pair(struct lab *l, bool *ret_whole, struct error *err)
{
	const struct experiment *e = l->experiment;
	size_t arms = arm_count(e);

	*ret_whole = false;
	for (size_t i = 0; i < e->subject_count; i++) {
		int first = arms == 1 ? ARM_A : order_first_arm(e->seed, i, l->pair);

		if (l->gave_up[i])
			continue;
		for (size_t k = 0; k < arms; k++) {
			enum outcome outcome;

			if (stop_asked(l))
				return true;
			if (!run_arm(l, i, first ^ (int)k, !k, &outcome, err))
				return false;
			if (outcome == OUTCOME_INTERRUPTED)
				return true;
		}
	}
	*ret_whole = true;
	return true;
}

/* True when the first pairs of a workload went well and had no figure of its primary metric. */
static bool speechless(const struct experiment *e, const struct entries *runs, size_t subject)
{
	const struct subject *s = &e->subjects[subject];
	const struct metric *primary = description_metric(s->description, s->primary);
	size_t good[ARM_COUNT] = {0};

	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *entry = &runs->list[i];
		struct error ignored;
		double value;

		if (entry->subject != subject || entry->run->outcome != OUTCOME_OK)
			continue;
		if (run_figure(entry->run, primary, &value, &ignored))
			return false;
		good[entry->arm]++;
	}
	return good[ARM_A] >= JUDGE_GIVE_UP_RUNS && good[ARM_B] >= JUDGE_GIVE_UP_RUNS;
}

/*
 * True when an arm of a workload cannot do it. Only asked between pairs: both arms have had the
 * same number of chances then, and the judge can tell a fault of B from one of the machine.
 */
static bool hopeless(const struct experiment *e, const struct entries *runs, size_t subject)
{
	if (speechless(e, runs, subject))
		return true;
	for (int arm = ARM_A; arm < ARM_COUNT; arm++) {
		unsigned int failures = 0;

		for (size_t i = runs->count; i-- > 0;) {
			const struct entry *entry = &runs->list[i];

			if (entry->subject != subject || entry->arm != arm ||
			    entry->run->outcome == OUTCOME_INTERRUPTED)
				continue;
			if (entry->run->outcome == OUTCOME_OK)
				break;
			if (++failures == JUDGE_GIVE_UP_RUNS)
				return true;
		}
	}
	return false;
}

/*
 * Gives up the workloads that can do no more, as these runs tell: the others go on without them.
 * Returns how many go on.
 */
static size_t give_up_hopeless(struct lab *l, const struct entries *runs)
{
	size_t others = 0;

	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		l->gave_up[i] = l->gave_up[i] || hopeless(l->experiment, runs, i);
		others += !l->gave_up[i];
	}
	return others;
}

/* True when the plan has no room for another pair. The first one always has it. */
static bool planned_end(const struct lab *l)
{
	const struct experiment *e = l->experiment;

	if (e->plan != PLAN_BUDGET)
		return l->attempts >= pairs_planned(e);
	return l->attempts && spent_ns(l) + l->longest_ns > e->budget_ns;
}

/* Looks, if it is time to. True when every primary has its verdict. */
static bool look(struct lab *l)
{
	int64_t now_ns = clock_now_ns();

	if (!experiment_takes_looks(l->experiment))
		return false;
	if (l->look_ns > LOOK_MS * NS_PER_MS && now_ns - l->looked_ns < LOOK_SHARE * l->look_ns)
		return false;
	judgement_free(l->so_far);
	l->so_far = judge(l->experiment, l->runs, JUDGE_LOOK);
	l->looked_ns = clock_now_ns();
	l->look_ns = l->looked_ns - now_ns;
	return judgement_decided(l->so_far);
}

/* Takes up where earlier runs of the experiment ended. */
static void survey(struct lab *l)
{
	size_t members = l->experiment->subject_count * arm_count(l->experiment);
	const struct entries *runs = l->runs;
	int64_t spent = 0;

	/* The runs of a pair were added one after the other. */
	for (size_t i = 0, next; i < runs->count; i = next) {
		int64_t pair = runs->list[i].pair;
		int64_t took = 0;
		size_t ended = 0;

		for (next = i; next < runs->count && runs->list[next].pair == pair; next++) {
			const struct run *run = runs->list[next].run;

			ended += run->outcome != OUTCOME_INTERRUPTED;
			/* By the wall clock, which may have been set back meanwhile. */
			if (run->ended_ns > run->started_ns)
				took += run->ended_ns - run->started_ns;
		}
		l->attempts += ended == members;
		members = arm_count(l->experiment) *
			  give_up_hopeless(l, &(struct entries){runs->list, next});
		l->pair = pair + 1;
		l->longest_ns = took > l->longest_ns ? took : l->longest_ns;
		spent += took;
	}
	/* Whoever takes it up again may have mended what was wrong: all get another pair. */
	memset(l->gave_up, 0, l->experiment->subject_count * sizeof(*l->gave_up));
	l->began_ns = clock_now_ns() - spent;
}

/* Pairs until there is a reason to end. False: the store failed. */
static bool run_pairs(struct lab *l, enum lab_end *ret_end, struct error *err)
{
	while (!planned_end(l)) {
		int64_t start_ns = clock_now_ns(), took_ns;
		bool whole;

		if (!run_pair(l, &whole, err))
			return false;
		if (!whole) {
			*ret_end = LAB_INTERRUPTED;
			return true;
		}
		took_ns = clock_now_ns() - start_ns;
		l->longest_ns = took_ns > l->longest_ns ? took_ns : l->longest_ns;
		l->attempts++;
		l->pair++;
		l->mean_ns = spent_ns(l) / l->attempts;
		if (look(l)) {
			*ret_end = LAB_DECIDED;
			return true;
		}
		if (!give_up_hopeless(l, l->runs)) {
			*ret_end = LAB_GAVE_UP;
			return true;
		}
		report_progress(l);
	}
	*ret_end = LAB_PLANNED_END;
	return true;
}

struct judgement *lab_judge(const struct experiment *e, const struct entries *runs, const char *how)
{
	bool planned = how && text_equal(how, lab_end_words[LAB_PLANNED_END]);

	if (e->plan == PLAN_SINGLE)
		return NULL;
	if (planned)
		return judge(e, runs, JUDGE_END);
	/* Decided, cut or killed: with looks that is a state between two pairs like any other. */
	return judge(e, runs, how && !experiment_takes_looks(e) ? JUDGE_CUT : JUDGE_LOOK);
}

bool lab_run(const struct experiment *e, const struct target *target, struct store *store,
	     const struct lab_watch *watch, struct entries *runs, enum lab_end *ret_end,
	     struct judgement **ret_judgement, struct error *err)
{
	struct lab l = {
		.experiment = e,
		.target = target,
		.store = store,
		.watch = watch,
		.runs = runs,
	};
	enum lab_end end;
	bool kept;

	l.gave_up = memory_array(e->subject_count, sizeof(*l.gave_up));
	survey(&l);
	kept = run_pairs(&l, &end, err);
	judgement_free(l.so_far);
	free(l.gave_up);
	if (!kept || !store_end_experiment(store, e->id, lab_end_words[end], err))
		return false;
	*ret_end = end;
	*ret_judgement = lab_judge(e, runs, lab_end_words[end]);
	return true;
}
