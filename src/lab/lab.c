// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/lab.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiment/order.h"
#include "lab/standing.h"

enum {
	/*
	 * What a run may take besides warm-up and window before the controller gives it up: more
	 * than the limits that the agent sets itself (20 s to get ready, 5 s each to begin and end
	 * the window and to exit, 40 ms more a task), so that the agent is the one to say what
	 * hung.
	 */
	MARGIN_SECONDS = 45,
	MARGIN_TASK_MS = 50,
};

const char *const lab_end_words[] = {"decided",	    "futile",  "planned end",
				     "interrupted", "gave up", NULL};

struct lab {
	struct lab_case *held;
	const struct experiment *experiment; /* the case's */
	const struct target *target;
	struct store *store;
	const struct lab_watch *watch;
	struct entries *runs; /* the case's */
	struct agent_identity agent;
	bool beyond;		  /* see struct session */
	struct judgement *so_far; /* the last look; NULL: none was taken */
	struct standing standing;
	struct arm_state {
		bool rests; /* settled, or futile to go on with, so it runs no more. Of A: never */
		bool futile;
		bool gave_up; /* it can do no more, is not run again. Of A: nor is the workload */
	} (*arms)[ARM_MOST];  /* by subject */
	size_t first_run;     /* the first of this session */
	int64_t pair;	      /* number of the present one */
	int64_t began_ns;     /* clock_now_ns() of the start, less what earlier sessions took */
	int64_t mean_ns;      /* a round on average, as of the last one's end */
	struct lab_progress progress;
};

/* 0: any number. */
static int64_t pairs_planned(const struct experiment *e)
{
	return e->plan == PLAN_BUDGET ? 0 : e->pairs;
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
	if (!l->mean_ns || !pairs_planned(e))
		return -1;
	/* As a double: of a hostile store the product may be anything. */
	left = (int64_t)fmin((double)l->mean_ns * (double)pairs_planned(e), 9e18) - spent_ns(l);
	return left > 0 ? left : 0;
}

static void report_progress(struct lab *l)
{
	struct lab_progress *p = &l->progress;

	if (!l->watch->progress)
		return;
	p->pairs_done = standing_pairs(&l->standing);
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
static bool run_arm(struct lab *l, size_t subject, int arm, unsigned int arms, bool first,
		    enum outcome *ret_outcome, struct error *err)
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
		.agent = &l->agent,
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
		.arms = arms,
		.run = run,
	};

	l->progress.arm = NULL;
	if (!store_add_run(l->store, l->experiment->id, &entry, err))
		return error_wrap(err, "pair %" PRId64 ", %s: keep the run", l->pair + 1,
				  arm_words[arm]);
	*ret_outcome = run->outcome;
	/* The store has them, and no figure is made of them. */
	if (!experiment_keeps_raw(l->experiment))
		run_drop_raw(run);
	entries_add(l->runs, entry);
	take(run);
	return true;
}

/* True when an arm is in the next block of a workload that takes part. */
static bool is_in_block(const struct lab *l, size_t subject, int arm)
{
	const struct arm_state *own = &l->arms[subject][arm];

	return arm == ARM_A || (!own->rests && !own->gave_up);
}

/* The arms of the next block, as an entry has them. */
static unsigned int arms_of_block(const struct lab *l, size_t subject)
{
	int count = l->experiment->arm_count;
	unsigned int arms = 0;

	for (int arm = 0; arm < count; arm++)
		arms |= is_in_block(l, subject, arm) ? 1U << arm : 0;
	return arms == (1U << count) - 1 ? 0 : arms;
}

/* The next pair of a workload. *ret_whole: false when the user stopped it. */
static bool run_pair(struct lab *l, size_t subject, bool *ret_whole, struct error *err)
{
	const struct experiment *e = l->experiment;
	struct standing_subject *own = &l->standing.subjects[subject];
	const unsigned int arms = arms_of_block(l, subject);
	bool first = true;
	int order[ARM_MOST];
	int64_t start_ns = clock_now_ns(), took_ns;

	*ret_whole = false;
	l->pair = own->next;
	order_draw(e->seed, subject, l->pair, e->arm_count, order);
	for (int k = 0; k < e->arm_count; k++) {
		enum outcome outcome;

		if (!is_in_block(l, subject, order[k]))
			continue;
		if (stop_asked(l))
			return true;
		if (!run_arm(l, subject, order[k], arms, first, &outcome, err))
			return false;
		first = false;
		if (outcome == OUTCOME_INTERRUPTED)
			return true;
	}
	took_ns = clock_now_ns() - start_ns;
	own->longest_ns = took_ns > own->longest_ns ? took_ns : own->longest_ns;
	standing_add(&l->standing, subject, l->pair);
	*ret_whole = true;
	return true;
}

/* Whether the plan has room for another pair of a workload, but for time. */
static bool has_room(const struct experiment *e, const struct standing_subject *own)
{
	int64_t planned = pairs_planned(e);

	return own->next < (planned ? planned : EXPERIMENT_PAIRS_MAX);
}

static bool goes_on(const struct lab *l, size_t subject)
{
	if (l->arms[subject][ARM_A].gave_up)
		return false;
	for (int arm = ARM_B; arm < l->experiment->arm_count; arm++) {
		if (is_in_block(l, subject, arm))
			return true;
	}
	return l->experiment->arm_count == 1;
}

static bool takes_part(const struct lab *l, size_t subject)
{
	return goes_on(l, subject) && has_room(l->experiment, &l->standing.subjects[subject]);
}

/* The number of the next round: the least pair that is due. INT64_MAX: none is. */
static int64_t next_round(const struct lab *l)
{
	int64_t round = INT64_MAX;

	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		if (takes_part(l, i) && l->standing.subjects[i].next < round)
			round = l->standing.subjects[i].next;
	}
	return round;
}

/* That pair of every workload for which it is due; *ret_ran, by subject: which they were. */
static bool run_round(struct lab *l, int64_t round, bool *ret_ran, bool *ret_whole,
		      struct error *err)
{
	*ret_whole = true;
	for (size_t i = 0; i < l->experiment->subject_count && *ret_whole; i++) {
		ret_ran[i] = takes_part(l, i) && l->standing.subjects[i].next == round;
		if (ret_ran[i] && !run_pair(l, i, ret_whole, err))
			return false;
	}
	return true;
}

/*
 * True when the first pairs of a workload went well and had no figure of its primary metric. Arms
 * that were given up have none anyway.
 */
static bool speechless(const struct lab *l, size_t subject)
{
	const struct subject *s = &l->experiment->subjects[subject];
	const struct metric *primary = description_metric(s->description, s->primary);
	size_t good[ARM_MOST] = {0};

	for (size_t i = 0; i < l->runs->count; i++) {
		const struct entry *entry = &l->runs->list[i];
		struct error ignored;
		double value;

		if (entry->subject != subject || entry->set_aside ||
		    entry->run->outcome != OUTCOME_OK)
			continue;
		if (run_figure(entry->run, primary, &value, &ignored))
			return false;
		good[entry->arm]++;
	}
	for (int arm = 0; arm < l->experiment->arm_count; arm++) {
		if (good[arm] < JUDGE_GIVE_UP_RUNS && !l->arms[subject][arm].gave_up)
			return false;
	}
	return true;
}

/*
 * True when an arm of a workload cannot do it. Whoever takes an experiment up again may have mended
 * it: what went before does not count. Only asked between pairs: all arms have had the
 * same number of chances then, and the judge can tell a fault of B from one of the machine.
 */
static bool hopeless(const struct lab *l, size_t subject, int arm)
{
	unsigned int failures = 0;

	for (size_t i = l->runs->count; i-- > l->first_run;) {
		const struct entry *entry = &l->runs->list[i];

		if (entry->subject != subject || entry->arm != arm ||
		    entry->run->outcome == OUTCOME_INTERRUPTED)
			continue;
		if (entry->run->outcome == OUTCOME_OK)
			break;
		if (++failures == JUDGE_GIVE_UP_RUNS)
			return true;
	}
	return false;
}

/* Gives up arms and workloads that can do no more: the others go on without them. */
static void give_up_hopeless(struct lab *l)
{
	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		if (!goes_on(l, i))
			continue;
		for (int arm = 0; arm < l->experiment->arm_count; arm++)
			l->arms[i][arm].gave_up |= is_in_block(l, i, arm) && hopeless(l, i, arm);
		l->arms[i][ARM_A].gave_up |= speechless(l, i);
	}
}

/* What the round would take if each of its pairs took as long as the longest of its workload. */
static int64_t round_cost_ns(const struct lab *l, int64_t round)
{
	int64_t cost = 0;

	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		const struct standing_subject *own = &l->standing.subjects[i];

		if (takes_part(l, i) && own->next == round)
			cost += own->longest_ns;
	}
	return cost;
}

/* True when a budget has no room for that round. The first one always has it. */
static bool budget_is_up(const struct lab *l, int64_t round, int64_t taken_ns)
{
	const struct experiment *e = l->experiment;

	return e->plan == PLAN_BUDGET && standing_pairs(&l->standing) &&
	       taken_ns + round_cost_ns(l, round) > e->budget_ns;
}

/* True when the plan has no room for that round. */
static bool planned_end(const struct lab *l, int64_t round)
{
	return round == INT64_MAX || budget_is_up(l, round, spent_ns(l));
}

/* True when somebody gave it another budget on the way, who had seen figures by then. */
static bool had_another_budget(const struct lab *l)
{
	const struct history *h = &l->held->history;

	for (size_t i = 0; i < h->session_count; i++) {
		if (h->sessions[i].budget_ns != l->experiment->planned_budget_ns)
			return true;
	}
	return false;
}

/*
 * True when it was the time that ended an experiment, which knows nothing of directions: not
 * somebody who gave it another budget, even for a while, or took time from it by stopping it.
 */
static bool ended_by_time(const struct lab *l)
{
	return l->experiment->planned_budget_ns && !had_another_budget(l) &&
	       budget_is_up(l, next_round(l), spent_ns(l) - l->standing.lost_ns);
}

/* What a look showed of a primary, for the store. */
static struct look look_at(const struct comparison *c)
{
	const struct metric_verdict *m = &c->metrics[0];

	return (struct look){
		.subject = c->index,
		.arm = c->arm,
		.pairs = (int64_t)(c->pairs + c->dropped),
		.taken_ns = clock_wall_ns(),
		.rule = memory_string(judge_rule_words[m->rule]),
		.level = m->level,
		.p = m->p,
		.evidence = m->evidence,
		.estimate = m->estimate,
		.low = m->interval.low,
		.high = m->interval.high,
		.verdict = memory_string(verdict_words[m->verdict]),
	};
}

/*
 * Keeps what a look showed of those subjects, NULL: of all that have pairs, but for arms that were
 * not in their last block.
 */
static bool keep_looks(struct lab *l, const struct judgement *j, const bool *of, struct error *err)
{
	struct look *looks __free(memory) = memory_array(j->comparison_count, sizeof(*looks));
	size_t count = 0;
	bool kept;

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *c = &j->comparisons[i];

		if (of ? of[c->index] && is_in_block(l, c->index, c->arm)
		       : c->pairs + c->dropped > 0)
			looks[count++] = look_at(c);
	}
	kept = store_add_looks(l->store, l->experiment->id, looks, count, err);
	for (size_t i = 0; i < count; i++)
		history_add_look(&l->held->history, looks[i]);
	return kept || error_wrap(err, "keep a look");
}

/*
 * True when no workload goes on. It is decided then if one has come to rest: those that were given
 * up are not waited for.
 */
static bool is_over(const struct lab *l, enum lab_end *ret_end)
{
	*ret_end = LAB_GAVE_UP;
	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		if (goes_on(l, i))
			return false;
		for (int arm = ARM_B; arm < l->experiment->arm_count; arm++) {
			if (l->arms[i][arm].rests && *ret_end != LAB_FUTILE)
				*ret_end = l->arms[i][arm].futile ? LAB_FUTILE : LAB_DECIDED;
		}
	}
	return true;
}

/* Brings an arm to rest where nothing more is to be won. */
static void let_rest(struct lab *l, const struct comparison *c)
{
	const struct metric_verdict *primary = &c->metrics[0];

	if (l->beyond)
		return;
	l->arms[c->index][c->arm].rests |= primary->settled || primary->futile;
	/* What others came to may have decided it since (Holm). */
	l->arms[c->index][c->arm].futile = primary->futile;
}

/* Looks at what there is, which brings arms and workloads to rest. of: as in keep_looks(). */
static bool look(struct lab *l, const bool *of, struct error *err)
{
	judgement_free(l->so_far);
	l->so_far = judge(l->experiment, l->runs, JUDGE_GLANCE);
	if (!keep_looks(l, l->so_far, of, err))
		return false;
	for (size_t i = 0; i < l->so_far->comparison_count; i++) {
		const struct comparison *c = &l->so_far->comparisons[i];

		let_rest(l, c);
	}
	return true;
}

/*
 * A round that was cut: some workloads have its pair, others lack it. Those arms took part that did
 * not rest before it, which the runs of earlier rounds tell. True when some are due.
 */
static bool is_in_a_round(struct lab *l)
{
	int64_t round = standing_pairs(&l->standing) - 1;
	struct entries before = {0};
	struct judgement *j __free(judgement) = NULL;
	bool due = false;

	if (round < 0 || l->beyond)
		return false;
	for (size_t i = 0; i < l->runs->count; i++) {
		if (l->runs->list[i].pair < round)
			entries_add(&before, l->runs->list[i]);
	}
	j = judge(l->experiment, &before, JUDGE_GLANCE);
	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *c = &j->comparisons[i];
		bool lacks = l->standing.subjects[c->index].next <= round;

		if (lacks)
			let_rest(l, c);
		due |= lacks && !l->arms[c->index][c->arm].rests;
	}
	/* The runs are the case's. */
	free(before.list);
	return due;
}

/* Rounds until there is a reason to end. False: the store failed. */
static bool run_rounds(struct lab *l, enum lab_end *ret_end, struct error *err)
{
	const struct experiment *e = l->experiment;
	bool *ran __free(memory) = memory_array(e->subject_count, sizeof(*ran));
	bool looks = experiment_takes_looks(e);
	int64_t rounds = standing_pairs(&l->standing);

	if (looks && rounds && !is_in_a_round(l) && !look(l, NULL, err))
		return false;
	for (;;) {
		int64_t round = next_round(l);
		bool whole;

		if (is_over(l, ret_end))
			return true;
		if (planned_end(l, round)) {
			*ret_end = LAB_PLANNED_END;
			return true;
		}
		if (!run_round(l, round, ran, &whole, err))
			return false;
		if (!whole) {
			*ret_end = LAB_INTERRUPTED;
			return true;
		}
		l->mean_ns = spent_ns(l) / ++rounds;
		if (looks && !look(l, ran, err))
			return false;
		give_up_hopeless(l);
		report_progress(l);
	}
}

/* Tells the store who takes it up, and until when. */
static bool begin(struct lab *l, const struct session *session, struct error *err)
{
	int64_t *set_aside __free(memory) = NULL;
	struct session own = {
		.began_ns = clock_wall_ns(),
		.version = memory_string(session->version),
		.agent = memory_string(session->agent),
		.pairs = l->experiment->pairs,
		.budget_ns = l->experiment->budget_ns,
		.beyond = session->beyond,
	};
	size_t count = standing_set_aside(&l->standing, l->runs, &set_aside);

	history_add_session(&l->held->history, own);
	return store_add_session(l->store, l->experiment->id, &own, set_aside, count, err);
}

/* When the planned end came first, by which what comes later is judged. */
static void note_planned_end(const struct lab *l, struct experiment *e)
{
	if (e->plan == PLAN_PAIRS && !e->looked)
		e->looked = standing_pairs(&l->standing);
	if (e->plan == PLAN_BUDGET && !e->time_up && ended_by_time(l))
		e->time_up = standing_pairs(&l->standing);
}

/* What the end shows is a look, but for a blind one. */
static bool end_with(struct lab *l, const char *how, struct judgement **ret_judgement,
		     struct error *err)
{
	struct judgement *j __free(judgement) = NULL;

	if (text_equal(how, lab_end_words[LAB_PLANNED_END]))
		note_planned_end(l, l->held->experiment);
	j = lab_judge(l->experiment, l->runs, how);
	if ((j && !j->blind && !keep_looks(l, j, NULL, err)) ||
	    !store_end_experiment(l->store, l->experiment->id, how, err))
		return false;
	free(l->held->history.how);
	l->held->history.how = memory_string(how);
	*ret_judgement = take(j);
	return true;
}

void lab_case_done(struct lab_case *c)
{
	experiment_free(take(c->experiment));
	entries_done(&c->runs);
	history_done(&c->history);
}

int64_t lab_pairs_done(const struct experiment *e, const struct entries *runs)
{
	struct standing s __cleanup(standing_done) = {0};

	standing_init(&s, e, runs);
	return standing_pairs(&s);
}

bool lab_has_room(const struct experiment *e, const struct entries *runs)
{
	struct standing s __cleanup(standing_done) = {0};
	bool room = false;

	standing_init(&s, e, runs);
	if (e->plan == PLAN_BUDGET)
		return !standing_pairs(&s) || s.spent_ns < e->budget_ns;
	for (size_t i = 0; i < s.subject_count; i++)
		room |= has_room(e, &s.subjects[i]);
	return room;
}

struct judgement *lab_judge(const struct experiment *e, const struct entries *runs, const char *how)
{
	bool planned = how && text_equal(how, lab_end_words[LAB_PLANNED_END]);

	if (e->plan == PLAN_SINGLE)
		return NULL;
	if (planned)
		return judge(e, runs, JUDGE_END);
	/* Decided, cut or killed: with looks that is a state between two pairs like any other. */
	return judge(e, runs, JUDGE_LOOK);
}

bool lab_run(struct lab_case *c, const struct target *target, struct store *store,
	     const struct lab_watch *watch, const struct session *session, enum lab_end *ret_end,
	     struct judgement **ret_judgement, struct error *err)
{
	struct lab l = {
		.held = c,
		.experiment = c->experiment,
		.target = target,
		.store = store,
		.watch = watch,
		.runs = &c->runs,
		.beyond = session->beyond,
		.first_run = c->runs.count,
	};
	struct arm_state(*arms)[ARM_MOST] __free(memory) =
		memory_array(c->experiment->subject_count, sizeof(*arms));
	enum lab_end end;
	bool kept;

	l.arms = arms;
	snprintf(l.agent.text, sizeof(l.agent.text), "%s", session->agent);
	standing_init(&l.standing, c->experiment, &c->runs);
	l.began_ns = clock_now_ns() - l.standing.spent_ns;
	kept = begin(&l, session, err) && run_rounds(&l, &end, err);
	judgement_free(take(l.so_far));
	kept = kept && end_with(&l, lab_end_words[end], ret_judgement, err);
	standing_done(&l.standing);
	if (kept)
		*ret_end = end;
	return kept;
}
