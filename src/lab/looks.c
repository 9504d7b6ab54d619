// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/looks.h"

#include "base/clock.h"
#include "base/memory.h"
#include "lab/members.h"

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

bool looks_keep(struct lab *l, const struct judgement *j, const bool *of, struct error *err)
{
	struct look *looks __free(memory) = memory_array(j->comparison_count, sizeof(*looks));
	size_t count = 0;
	bool kept;

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *c = &j->comparisons[i];

		if (of ? of[c->index] && members_in_block(l, c->index, c->arm)
		       : c->pairs + c->dropped > 0)
			looks[count++] = look_at(c);
	}
	kept = store_add_looks(l->store, l->experiment->id, looks, count, err);
	for (size_t i = 0; i < count; i++)
		history_add_look(&l->held->history, looks[i]);
	return kept || error_wrap(err, "keep a look");
}

bool looks_take(struct lab *l, const bool *of, struct error *err)
{
	judgement_free(l->so_far);
	l->so_far = judge(l->experiment, l->runs, JUDGE_GLANCE);
	if (!looks_keep(l, l->so_far, of, err))
		return false;
	for (size_t i = 0; i < l->so_far->comparison_count; i++) {
		const struct comparison *c = &l->so_far->comparisons[i];

		members_rest(l, c);
	}
	return true;
}

/* True when a workload has that pair. */
static bool has_pair(const struct standing_subject *s, int64_t pair)
{
	return pair < s->room && s->whole[pair];
}

bool looks_in_a_round(struct lab *l, bool *ret_had)
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

		members_rest(l, c);
		due |= lacks && !l->arms[c->index][c->arm].rests;
	}
	for (size_t i = 0; i < l->experiment->subject_count; i++)
		ret_had[i] = has_pair(&l->standing.subjects[i], round);
	/* The runs are the case's. */
	free(before.list);
	return due;
}
