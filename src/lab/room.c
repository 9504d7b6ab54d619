// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/room.h"

#include <math.h>

#include "base/clock.h"
#include "lab/members.h"

int64_t room_pairs(const struct experiment *e)
{
	return e->plan == PLAN_BUDGET ? 0 : e->pairs;
}

bool room_for_pair(const struct experiment *e, const struct standing_subject *own)
{
	int64_t planned = room_pairs(e);

	return own->next < (planned ? planned : EXPERIMENT_PAIRS_MAX);
}

int64_t room_spent_ns(const struct lab *l)
{
	return clock_now_ns() - l->began_ns;
}

int64_t room_left_ns(const struct lab *l)
{
	const struct experiment *e = l->experiment;
	int64_t left;

	if (e->plan == PLAN_BUDGET) {
		left = e->budget_ns - room_spent_ns(l);
		return left > 0 ? left : 0;
	}
	if (!l->mean_ns || !room_pairs(e))
		return -1;
	/* As a double: of a hostile store the product may be anything. */
	left = (int64_t)fmin((double)l->mean_ns * (double)room_pairs(e), 9e18) - room_spent_ns(l);
	return left > 0 ? left : 0;
}

bool room_takes_part(const struct lab *l, size_t subject)
{
	return members_go_on(l, subject) &&
	       room_for_pair(l->experiment, &l->standing.subjects[subject]);
}

int64_t room_next_round(const struct lab *l)
{
	int64_t round = INT64_MAX;

	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		if (room_takes_part(l, i) && l->standing.subjects[i].next < round)
			round = l->standing.subjects[i].next;
	}
	return round;
}

/* What the round would take if each of its pairs took as long as the longest of its workload. */
static int64_t round_cost_ns(const struct lab *l, int64_t round)
{
	int64_t cost = 0;

	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		const struct standing_subject *own = &l->standing.subjects[i];

		if (room_takes_part(l, i) && own->next == round)
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

bool room_is_up(const struct lab *l, int64_t round)
{
	return round == INT64_MAX || budget_is_up(l, round, room_spent_ns(l));
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

bool room_time_is_up(const struct lab *l)
{
	return l->experiment->planned_budget_ns && !had_another_budget(l) &&
	       budget_is_up(l, room_next_round(l), room_spent_ns(l) - l->standing.lost_ns);
}
