/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_RECURRENCES_H
#define CONTEND_REPORT_RECURRENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/experiment.h"

/*
 * A text that runs have in common, and in how many of each arm it stands. Remarks of one arm that
 * differ in their numbers only are one: "7 of 5000 operations failed". Those of different arms are
 * not, as the difference may be what is compared.
 */
struct recurrence {
	char *text; /* the first one */
	bool varies;
	size_t runs[ARM_COUNT];
};

struct recurrences {
	struct recurrence *list; /* in the order in which they first came */
	size_t count;
};

void recurrences_done(struct recurrences *r);

/* Counts a text for a run of that arm. */
void recurrences_add(struct recurrences *r, const char *text, int arm);

/* The same, but a text that differs in its numbers only counts as one of its own arm. */
void recurrences_add_alike(struct recurrences *r, const char *text, int arm);

/* True when two texts are the same but for their numbers. */
bool recurrences_are_alike(const char *a, const char *b);

#endif
