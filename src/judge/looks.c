// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/looks.h"

#include "base/memory.h"

/* True when a run is one of those that ended by themselves, and counts. */
static bool has_ended(const struct entry *e)
{
	return !e->set_aside && e->run->outcome != OUTCOME_INTERRUPTED;
}

/* True when the first pair of every workload is there, with all of its arms. */
static bool has_first_round(const struct experiment *e, const struct entries *runs)
{
	int64_t ended = 0;

	for (size_t i = 0; i < runs->count; i++)
		ended += runs->list[i].pair == 0 && has_ended(&runs->list[i]);
	return ended == (int64_t)e->subject_count * e->arm_count;
}

/* How long the first pairs took, in runs; 0: they are not whole, or the clock was set meanwhile. */
static int64_t first_round_ns(const struct experiment *e, const struct entries *runs)
{
	int64_t took_ns = 0;

	if (!has_first_round(e, runs))
		return 0;
	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *entry = &runs->list[i];
		int64_t own_ns;

		if (entry->pair || entry->set_aside)
			continue;
		if (__builtin_sub_overflow(entry->run->ended_ns, entry->run->started_ns, &own_ns) ||
		    own_ns < 0 || __builtin_add_overflow(took_ns, own_ns, &took_ns))
			return 0;
	}
	return took_ns;
}

struct sequential_plan looks_plan(const struct experiment *e, const struct entries *runs)
{
	int64_t pairs = e->plan == PLAN_DECIDED ? e->planned_pairs : 0;

	if (e->plan == PLAN_BUDGET && e->planned_budget_ns) {
		int64_t round_ns = first_round_ns(e, runs);

		pairs = round_ns ? e->planned_budget_ns / round_ns : 0;
		pairs = pairs < LOOKS_LEAST_BUDGET ? 0 : pairs;
	}
	if (pairs > SEQUENTIAL_MOST_PAIRS)
		pairs = SEQUENTIAL_MOST_PAIRS;
	return sequential_plan((size_t)pairs, e->seed);
}

int64_t looks_end(const struct experiment *e, const struct entries *runs, size_t subject, int arm)
{
	int64_t end = e->plan == PLAN_DECIDED ? e->planned_pairs : e->time_up;
	int64_t ended = 0;

	/* A place has one run beside those that were set aside. */
	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *entry = &runs->list[i];

		ended += entry->subject == subject && entry->pair < end && has_ended(entry) &&
			 (entry->arm == arm || (entry->arm == ARM_A && entry_has_arm(entry, arm)));
	}
	return end > 0 && ended == 2 * end ? end : 0;
}

struct sequential_plan looks_of_metric(const struct sequential_plan *plan, int64_t end,
				       size_t before_end)
{
	struct sequential_plan own = *plan;

	if (end && before_end && before_end < own.max_pairs)
		sequential_plan_end(&own, before_end);
	return own;
}

bool looks_may_be_futile(const struct experiment *e)
{
	return e->plan == PLAN_DECIDED ? e->pairs <= e->planned_pairs
				       : e->budget_ns <= e->planned_budget_ns;
}

size_t looks_spent(const struct sequential_plan *plan, size_t n)
{
	size_t count = 0;

	while (count < plan->look_count && plan->looks[count] <= n)
		count++;
	return count;
}
