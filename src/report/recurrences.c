// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/recurrences.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static void add_new(struct recurrences *r, const char *text, int arm)
{
	r->list = memory_grow(r->list, (r->count + 1) * sizeof(*r->list));
	r->list[r->count] = (struct recurrence){.text = memory_string(text)};
	r->list[r->count++].runs[arm] = 1;
}

void recurrences_add(struct recurrences *r, const char *text, int arm)
{
	for (size_t i = 0; i < r->count; i++) {
		if (text_equal(r->list[i].text, text)) {
			r->list[i].runs[arm]++;
			return;
		}
	}
	add_new(r, text, arm);
}

bool recurrences_are_alike(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	while (*a || *b) {
		size_t a_digits = strspn(a, digits), b_digits = strspn(b, digits);

		if (!a_digits != !b_digits)
			return false;
		a += a_digits;
		b += b_digits;
		if (!a_digits && *a++ != *b++)
			return false;
	}
	return true;
}

void recurrences_add_alike(struct recurrences *r, const char *text, int arm)
{
	for (size_t i = 0; i < r->count; i++) {
		struct recurrence *old = &r->list[i];
		bool own = !old->runs[arm == ARM_A ? ARM_B : ARM_A];
		bool same = text_equal(old->text, text);

		if (same ? !own && old->varies : !own || !recurrences_are_alike(old->text, text))
			continue;
		old->varies |= !same;
		old->runs[arm]++;
		return;
	}
	add_new(r, text, arm);
}

void recurrences_done(struct recurrences *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->list[i].text);
	free(r->list);
}
