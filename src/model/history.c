// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/history.h"

#include <string.h>

#include "base/memory.h"

static void look_done(struct look *l)
{
	free(l->rule);
	free(l->verdict);
}

void history_done(struct history *h)
{
	for (size_t i = 0; i < h->look_count; i++)
		look_done(&h->looks[i]);
	for (size_t i = 0; i < h->session_count; i++) {
		free(h->sessions[i].version);
		free(h->sessions[i].agent);
	}
	free(h->looks);
	free(h->sessions);
	free(h->how);
	*h = (struct history){0};
}

static bool is_before(const struct look *a, const struct look *b)
{
	if (a->subject != b->subject)
		return a->subject < b->subject;
	return a->arm != b->arm ? a->arm < b->arm : a->pairs < b->pairs;
}

void history_add_look(struct history *h, struct look look)
{
	size_t at = h->look_count;

	while (at && !is_before(&h->looks[at - 1], &look))
		at--;
	if (at < h->look_count && !is_before(&look, &h->looks[at])) {
		look_done(&h->looks[at]);
		h->looks[at] = look;
		return;
	}
	h->looks = memory_grow(h->looks, (h->look_count + 1) * sizeof(*h->looks));
	memmove(h->looks + at + 1, h->looks + at, (h->look_count - at) * sizeof(*h->looks));
	h->looks[at] = look;
	h->look_count++;
}

void history_add_session(struct history *h, struct session session)
{
	h->sessions = memory_grow(h->sessions, (h->session_count + 1) * sizeof(*h->sessions));
	h->sessions[h->session_count++] = session;
}

const struct look *history_last_look(const struct history *h, size_t subject, int arm)
{
	const struct look *last = NULL;

	for (size_t i = 0; i < h->look_count; i++) {
		if (h->looks[i].subject == subject && h->looks[i].arm == arm)
			last = &h->looks[i];
	}
	return last;
}
