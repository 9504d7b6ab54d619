/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_RECURRENCES_H
#define CONTEND_REPORT_RECURRENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/experiment.h"

/*
 * A text that runs have in common, and in how many of each arm it stands. Texts that differ in
 * their numbers only are one: "reader 0: could not run for 53 % of its window" of one run and "reader 1:
 * could not run for 64 % of its window" of the same or another become "reader 0, 1: could not run for
 * 53 .. 64 % of its window", where the number before a colon is a name. Numbers of A that lie apart
 * from those of B are told apart ("A 53 .. 64, B 2 .. 3"): that may be what is compared.
 */
struct recurrence {
	char *text;
	bool varies;	       /* texts differed, in their numbers */
	size_t runs[ARM_MOST]; /* each counts once, however often it says it */
	size_t last_run;       /* that was counted, plus 1 */
	struct varying *numbers;
	size_t number_count;
};

struct recurrences {
	struct recurrence *list; /* those of A first, else in the order in which they first came */
	size_t count;
};

void recurrences_done(struct recurrences *r);

/* Counts a text for a run of that arm. */
void recurrences_add(struct recurrences *r, const char *text, int arm);

/*
 * The same with texts that differ in their numbers; recurrences_finish() comes after the last. run:
 * which of the runs, that come one after the other.
 */
void recurrences_add_alike(struct recurrences *r, const char *text, int arm, size_t run);
void recurrences_finish(struct recurrences *r);

/* True when two texts are the same but for their numbers. */
bool recurrences_are_alike(const char *a, const char *b);

#endif
