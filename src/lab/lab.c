// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/lab.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "lab/block.h"
#include "lab/looks.h"
#include "lab/members.h"
#include "lab/room.h"

const char *const lab_end_words[] = {"decided",	    "futile",  "planned end",
				     "interrupted", "gave up", NULL};

/* That pair of every workload for which it is due; ran, by subject: set for these, too. */
static bool run_round(struct lab *l, int64_t round, bool *ran, bool *ret_whole, struct error *err)
{
	*ret_whole = true;
	for (size_t i = 0; i < l->experiment->subject_count && *ret_whole; i++) {
		if (!room_takes_part(l, i) || l->standing.subjects[i].next != round)
			continue;
		ran[i] = true;
		if (!block_run(l, i, ret_whole, err))
			return false;
	}
	return true;
}

/* Rounds until there is a reason to end. False: the store failed. */
static bool run_rounds(struct lab *l, enum lab_end *ret_end, struct error *err)
{
	const struct experiment *e = l->experiment;
	bool *ran __free(memory) = memory_array(e->subject_count, sizeof(*ran));
	bool looks = experiment_takes_looks(e);
	int64_t rounds = standing_pairs(&l->standing);

	if (looks && rounds && !looks_in_a_round(l, ran)) {
		memset(ran, 0, e->subject_count * sizeof(*ran));
		if (!looks_take(l, NULL, err))
			return false;
	}
	for (;;) {
		int64_t round = room_next_round(l);
		bool whole;

		if (members_are_over(l, ret_end))
			return true;
		if (room_is_up(l, round)) {
			*ret_end = LAB_PLANNED_END;
			return true;
		}
		if (!run_round(l, round, ran, &whole, err))
			return false;
		if (!whole) {
			*ret_end = LAB_INTERRUPTED;
			return true;
		}
		l->mean_ns = room_spent_ns(l) / ++rounds;
		if (looks && !looks_take(l, ran, err))
			return false;
		memset(ran, 0, e->subject_count * sizeof(*ran));
		members_give_up(l);
		block_report_progress(l);
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
	if (e->plan == PLAN_BUDGET && !e->time_up && room_time_is_up(l))
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
	if ((j && !j->blind && !looks_keep(l, j, NULL, err)) ||
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
		room |= room_for_pair(e, &s.subjects[i]);
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
