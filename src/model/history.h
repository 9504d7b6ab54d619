/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_HISTORY_H
#define CONTEND_MODEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/*
 * What happened to an experiment beside its runs: who took it up when, when it was looked at and
 * what was seen, how it ended. Error rates depend on the looks, so they are kept as they were
 * taken.
 */

/*
 * The rule's word where the end that was planned came with fewer pairs than the looks were planned
 * for, which spent all of them. Under PLAN_BUDGET the first such look tells when the time was up.
 */
#define HISTORY_RULE_ENDED "sequential_end"

/* What one look showed of a workload's primary metric in an arm and A. What is not known is NAN. */
struct look {
	size_t subject;	  /* index */
	int arm;	  /* that is compared with A */
	int64_t pairs;	  /* of the two until then, dropped ones included */
	int64_t taken_ns; /* wall clock */
	char *rule;	  /* a judge's word */
	double level;	  /* what p by Holm was compared with */
	double p;	  /* of this metric alone */
	double evidence;  /* the largest E so far; NAN: another rule */
	double estimate, low, high;
	char *verdict; /* a judge's word */
};

/* One taking up: the first one and each `--resume`. */
struct session {
	int64_t began_ns; /* wall clock */
	char *version;	  /* of the program that took it up */
	char *agent;	  /* what the agent said that it is; "" where it did not */
	int64_t pairs;	  /* until when, as the experiment's */
	int64_t budget_ns;
	/* It had its verdict before and was given more room: it goes on to the end of that. */
	bool beyond;
};

struct history {
	char *how;	    /* how it ended; NULL: it did not */
	struct look *looks; /* by subject, then by arm, then by pairs */
	size_t look_count;
	struct session *sessions; /* the oldest first */
	size_t session_count;
};

void history_done(struct history *h);

/* Takes the words of a look; one of the same subject, arm and pairs is replaced. */
void history_add_look(struct history *h, struct look look);

/* Takes the words of a session. */
void history_add_session(struct history *h, struct session session);

/* The last look at an arm of a subject; NULL: none was taken. */
const struct look *history_last_look(const struct history *h, size_t subject, int arm);

#endif
