// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/pairs.h"

#include "base/memory.h"
#include "base/text.h"

void pairs_done(struct pairs *p)
{
	free(p->list);
	*p = (struct pairs){0};
}

static struct pair *find(struct pairs *p, int64_t number)
{
	/* Runs come nearly in order: look from the end. */
	for (size_t i = p->count; i-- > 0;) {
		if (p->list[i].number == number)
			return &p->list[i];
	}
	p->list = memory_grow(p->list, (p->count + 1) * sizeof(*p->list));
	p->list[p->count] = (struct pair){.number = number};
	return &p->list[p->count++];
}

static int by_number(const void *a, const void *b)
{
	int64_t x = ((const struct pair *)a)->number, y = ((const struct pair *)b)->number;

	return (x > y) - (x < y);
}

static void count_run(struct comparison *v, int arm, enum outcome outcome)
{
	v->runs[arm]++;
	/* The user's doing, not the arm's. */
	if (outcome == OUTCOME_INTERRUPTED) {
		v->failed[arm]++;
		return;
	}
	if (outcome == OUTCOME_OK) {
		v->failures_in_row[arm] = 0;
		v->crashes_in_row[arm] = 0;
		return;
	}
	v->failed[arm]++;
	v->failures_in_row[arm]++;
	v->crashes_in_row[arm] = outcome == OUTCOME_CRASHED ? v->crashes_in_row[arm] + 1 : 0;
}

/* Says of a pair why it is dropped: the member that is not ok, A's when neither is. */
static char *why_dropped(const struct pair *p, int other)
{
	int arm = p->a->outcome != OUTCOME_OK ? ARM_A : other;
	const struct run *r = arm == ARM_A ? p->a : p->b;

	return text_format("pair %lld, %s: %s%s%s", (long long)p->number + 1, arm_words[arm],
			   outcome_words[r->outcome], *r->reason ? ": " : "", r->reason);
}

/* Stopped by the user: it is to be run again. */
static bool is_cut(const struct pair *p)
{
	return p->a->outcome == OUTCOME_INTERRUPTED || p->b->outcome == OUTCOME_INTERRUPTED;
}

/* True when a run is one of the comparison's, A's included. */
static bool has_part(const struct comparison *c, const struct entry *e)
{
	return e->subject == c->index && !e->set_aside && (e->arm == ARM_A || e->arm == c->arm) &&
	       entry_has_arm(e, c->arm);
}

void pairs_collect(const struct entries *runs, int64_t below, struct pairs *ret_whole,
		   struct comparison *c)
{
	struct pairs all = {.arm = c->arm};
	size_t whole = 0;

	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *e = &runs->list[i];

		if (!has_part(c, e) || e->pair >= below)
			continue;
		count_run(c, e->arm, e->run->outcome);
		*(e->arm == ARM_A ? &find(&all, e->pair)->a : &find(&all, e->pair)->b) = e->run;
	}
	if (all.count)
		qsort(all.list, all.count, sizeof(*all.list), by_number);
	for (size_t i = 0; i < all.count; i++) {
		const struct pair *p = &all.list[i];

		if (!p->a || !p->b || is_cut(p))
			continue;
		if (p->a->outcome == OUTCOME_OK && p->b->outcome == OUTCOME_OK) {
			all.list[whole++] = *p;
			continue;
		}
		if (!c->dropped++)
			c->first_drop = why_dropped(p, c->arm);
	}
	all.count = whole;
	c->pairs = whole;
	*ret_whole = all;
}
