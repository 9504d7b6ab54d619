// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/standing.h"

#include <string.h>

#include "base/memory.h"

static void make_room(struct standing_subject *s, int64_t pair)
{
	int64_t room = s->room ? s->room : 64;

	while (room <= pair)
		room *= 2;
	if (room == s->room)
		return;
	s->whole = memory_grow(s->whole, (size_t)room * sizeof(*s->whole));
	memset(s->whole + s->room, 0, (size_t)(room - s->room) * sizeof(*s->whole));
	s->room = room;
}

void standing_add(struct standing *s, size_t subject, int64_t pair)
{
	struct standing_subject *own = &s->subjects[subject];

	make_room(own, pair + 1);
	own->pairs += !own->whole[pair];
	own->whole[pair] = true;
	while (own->whole[own->next])
		own->next++;
}

/*
 * What comes after an end that was seen begins behind it, for a workload too that was given up
 * before: what was judged then stays what it was.
 */
static void skip_to(struct standing_subject *s, int64_t pair)
{
	make_room(s, pair);
	s->next = pair > s->next ? pair : s->next;
	while (s->whole[s->next])
		s->next++;
}

/* A pair while its runs are being counted. */
struct count {
	unsigned int ended, due; /* arms: bit 1 << arm */
	int64_t took_ns;
};

static void count_subject(struct standing *s, size_t subject, unsigned int all,
			  const struct entries *runs)
{
	struct count *counts __free(memory) = NULL;
	int64_t last = -1;

	for (size_t i = 0; i < runs->count; i++) {
		if (runs->list[i].subject == subject && runs->list[i].pair > last)
			last = runs->list[i].pair;
	}
	counts = memory_array((size_t)(last + 1), sizeof(*counts));
	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *e = &runs->list[i];

		if (e->subject != subject || e->set_aside)
			continue;
		counts[e->pair].due |= e->arms ? e->arms : all;
		if (e->run->outcome != OUTCOME_INTERRUPTED)
			counts[e->pair].ended |= 1U << e->arm;
		counts[e->pair].took_ns += run_took_ns(e->run);
	}
	for (int64_t pair = 0; pair <= last; pair++) {
		if (!counts[pair].ended || counts[pair].ended != counts[pair].due)
			continue;
		standing_add(s, subject, pair);
		if (counts[pair].took_ns > s->subjects[subject].longest_ns)
			s->subjects[subject].longest_ns = counts[pair].took_ns;
	}
}

void standing_init(struct standing *s, const struct experiment *e, const struct entries *runs)
{
	*s = (struct standing){.subject_count = e->subject_count};
	s->subjects = memory_array(e->subject_count, sizeof(*s->subjects));
	for (size_t i = 0; i < e->subject_count; i++) {
		make_room(&s->subjects[i], 0);
		count_subject(s, i, (1U << e->arm_count) - 1, runs);
		skip_to(&s->subjects[i], e->looked);
	}
	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *entry = &runs->list[i];

		if (__builtin_add_overflow(s->spent_ns, run_took_ns(entry->run), &s->spent_ns))
			s->spent_ns = INT64_MAX;
		if (entry->set_aside &&
		    __builtin_add_overflow(s->lost_ns, run_took_ns(entry->run), &s->lost_ns))
			s->lost_ns = INT64_MAX;
	}
}

void standing_done(struct standing *s)
{
	for (size_t i = 0; i < s->subject_count; i++)
		free(s->subjects[i].whole);
	free(s->subjects);
	*s = (struct standing){0};
}

int64_t standing_pairs(const struct standing *s)
{
	int64_t most = 0;

	for (size_t i = 0; i < s->subject_count; i++) {
		if (s->subjects[i].next > most)
			most = s->subjects[i].next;
	}
	return most;
}

size_t standing_set_aside(struct standing *s, struct entries *runs, int64_t **ret_ids)
{
	int64_t *ids = memory_array(runs->count, sizeof(*ids));
	size_t count = 0;

	for (size_t i = 0; i < runs->count; i++) {
		struct entry *e = &runs->list[i];
		const struct standing_subject *own = &s->subjects[e->subject];

		if (e->set_aside || (e->pair < own->room && own->whole[e->pair]))
			continue;
		e->set_aside = true;
		s->lost_ns += run_took_ns(e->run);
		ids[count++] = e->id;
	}
	*ret_ids = ids;
	return count;
}
