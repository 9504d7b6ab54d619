/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_TERMS_H
#define CONTEND_EXPERIMENT_TERMS_H

#include "model/experiment.h"

/*
 * On which terms an experiment is made: when it ends, what counts as a change, what is drawn. Said
 * on the command line (--pairs 20) or in an experiment file (pairs: 20), in the same words.
 */
enum term {
	TERM_ALPHA,
	TERM_BUDGET,
	TERM_MARGIN,
	TERM_MAX_PAIRS,
	TERM_PAIRS,
	TERM_PRIMARY,
	TERM_SEED,
	TERM_STRICT,
	TERM_UNTIL_DECIDED,
	TERM_COUNT,
};

extern const char *const term_words[]; /* "alpha" …; ends with NULL */

/* Where in the experiment file something was said, counted from 1; line 0: on the command line. */
struct place {
	size_t line, column;
};

/* A metric that was asked for as the primary one: "metric" or "workload.metric". */
struct primary {
	char *key;
	struct place place;
};

struct terms {
	bool said[TERM_COUNT];
	double alpha;
	double margin; /* ratio */
	int64_t budget_ns;
	int64_t pairs;
	int64_t max_pairs;
	struct primary *primaries; /* none: each workload's own choice */
	size_t primary_count;
	uint64_t seed;
	bool strict;
	bool until_decided;
	bool of_file; /* messages name a term as a key of the file, not as an option */
};

void terms_done(struct terms *t);

/*
 * Says one, in place of what was said of it before; of primaries there may be several, and it adds
 * one. `budget`, `max-pairs`, `pairs` and `until-decided` exclude each other, for each is an end;
 * only `until-decided` and `budget` may be said together. The message (ERROR_USAGE) does not name
 * the term: who calls knows where it was said, and whether it may be said again.
 */
bool terms_set(struct terms *t, enum term term, const char *value, struct error *err);

/* TERM_PRIMARY of a file, which has a place. Whether there is such a metric is found out later. */
void terms_add_primary(struct terms *t, const char *key, struct place place);

/*
 * The text that terms_set() takes for the value that an experiment has; NULL where the experiment
 * has none (a budget in one that has a number of pairs, a primary that the workloads choose), and
 * for `until-decided` where it would be "no". Owned by the caller. TERM_PRIMARY is not asked for here
 * (experiment/repeat.h).
 */
char *terms_text(const struct experiment *e, enum term term);

/*
 * Puts margin, alpha, plan, strict and, where it was said, the seed into an experiment: what
 * `upper` says, else what `lower` says, else the default. An end in `upper` replaces every end in
 * `lower` that contradicts it; `budget` and `until-decided` do not contradict each other, so that
 * one of each side both hold. A maximum under EXPERIMENT_LEAST_MAXIMUM makes a plan of so many
 * pairs.
 */
void terms_apply(const struct terms *upper, const struct terms *lower, struct experiment *e);

#endif
