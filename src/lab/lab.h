/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_LAB_LAB_H
#define CONTEND_LAB_LAB_H

#include "judge/judge.h"
#include "model/experiment.h"
#include "store/store.h"
#include "target/target.h"

/*
 * The loop: which run next, do it, keep it, enough?
 *
 * A pair number stands for one pair of every workload of the experiment. All of them go on until
 * every primary is decided or the plan ends: a verdict on one primary depends by Holm's correction
 * on the p-values of all, so there is one moment for all at which it is looked at.
 *
 * A workload of which an arm failed three times in a row, or of which no run has a figure of its
 * primary, is given up: it is not run again, and the others go on.
 */

/* What a progress display is told. Times in ns; left_ns < 0: unknown. */
struct lab_progress {
	int64_t pairs_done;
	int64_t pairs_planned; /* 0: by budget */
	bool one_arm;	       /* PLAN_SINGLE: a pair is one run */
	const char *arm;       /* "A" or "B": what runs now; NULL between runs */
	const char *workload;
	const char *phase;
	double share; /* of the present run */
	int64_t spent_ns;
	int64_t left_ns;		/* at most: an experiment may be decided earlier */
	const struct judgement *so_far; /* NULL: none, or one that would be a look */
};

struct lab_watch {
	void (*progress)(void *context, const struct lab_progress *p); /* NULL: nobody looks */
	void *context;
	int stop_fd; /* readable: stop now, keep what was measured; -1: never. Not read. */
};

enum lab_end {
	LAB_DECIDED,	 /* every primary has its verdict */
	LAB_PLANNED_END, /* all pairs were run, or no other fits into the budget */
	LAB_INTERRUPTED, /* the user stopped it */
	LAB_GAVE_UP,	 /* no workload is left of which an arm did not fail three times in a row */
};

extern const char *const lab_end_words[];

/*
 * Runs an experiment that is in the store (id set) to its end, which the store is told; every run
 * is in the store when the next one starts. runs may hold earlier ones (a pair that was cut is not
 * completed: its members would not lie next to each other in time) and holds all of them
 * afterwards. *ret_judgement is the caller's; NULL under PLAN_SINGLE, where a pair is one run of
 * arm A.
 * False only where the store failed: what it holds is sound, and so is runs.
 */
bool lab_run(const struct experiment *e, const struct target *target, struct store *store,
	     const struct lab_watch *watch, struct entries *runs, enum lab_end *ret_end,
	     struct judgement **ret_judgement, struct error *err);

/*
 * The judgement on stored runs, the same that lab_run() gave. how: the word that the store keeps,
 * NULL for an experiment that still runs or was killed. After an interrupt, or an end without
 * warning, an experiment that takes looks gives only the verdicts of its looks, for whoever stops
 * it has seen the estimate; one without looks was stopped blindly and is judged as planned.
 */
struct judgement *lab_judge(const struct experiment *e, const struct entries *runs,
			    const char *how);

#endif
