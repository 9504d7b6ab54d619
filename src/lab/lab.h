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
 * It goes by rounds: in a round each workload that still takes part runs its next pair; with more
 * than two arms a block, one run of A and of each other arm that takes part. With looks an arm
 * whose primary is settled rests, and so does a workload of which all other arms than A do, and the
 * time goes to the
 * others: its p is valid at the moment at which it stopped, and Holm's correction of such p is
 * valid at any moment, in which what the others add can only lower the adjusted p of those that
 * rest.
 *
 * An arm that failed three times in a row is given up: it is not run again, and the others go on.
 * So is a workload of which A did, or every other arm, or of which no run has a figure of its
 * primary. Whoever takes the experiment up again may have mended it, so it is then tried anew.
 *
 * Everything else that decides what comes next is made from the stored runs alone, whole rounds at
 * a time, so that an experiment that was killed and taken up again comes to the same end as one
 * that was not.
 */

/* An experiment as the store has it. */
struct lab_case {
	struct experiment *experiment; /* its id set */
	struct entries runs;
	struct history history;
};

void lab_case_done(struct lab_case *c);

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
	LAB_DECIDED,	 /* every primary has its verdict, but for workloads that were given up */
	LAB_FUTILE,	 /* the same, but some that would hardly be decided by the planned end */
	LAB_PLANNED_END, /* all pairs were run, or no other fits into the budget */
	LAB_INTERRUPTED, /* the user stopped it */
	LAB_GAVE_UP,	 /* no workload is left of which an arm did not fail three times in a row */
};

extern const char *const lab_end_words[];

/*
 * Runs an experiment to its end, which the store is told; every run is in the store when the next
 * one starts. What the case holds already is gone on from: whole pairs stay, and one that was cut
 * is run again whole, with its number and its coin, for its members must lie next to each other in
 * time. The runs that it had are set aside. Afterwards the case holds everything.
 *
 * session: who takes it up (version, agent, beyond); the rest of it is filled in. *ret_judgement is
 * the caller's; NULL under PLAN_SINGLE, where a pair is one run of arm A. False only where the
 * store
 * failed: what it holds is sound, and so is the case.
 */
bool lab_run(struct lab_case *c, const struct target *target, struct store *store,
	     const struct lab_watch *watch, const struct session *session, enum lab_end *ret_end,
	     struct judgement **ret_judgement, struct error *err);

/*
 * Reads an experiment from the store, with what its programs printed (import/importer.h). What
 * cannot be read of a run makes it invalid. The case is empty before.
 */
bool lab_read(struct lab_case *c, struct store *store, int64_t id, struct error *err);

/* How far the workload is that came furthest: the number of its next pair, counted from 0. */
int64_t lab_pairs_done(const struct experiment *e, const struct entries *runs);

/* True when there is room for another pair, as pairs and budget of the experiment are now. */
bool lab_has_room(const struct experiment *e, const struct entries *runs);

/*
 * The judgement on stored runs, the same that lab_run() gave. how: the word that the store keeps,
 * NULL for an experiment that still runs or was killed. What has no planned end yet is judged as at
 * a look, which without looks is a blind one.
 */
struct judgement *lab_judge(const struct experiment *e, const struct entries *runs,
			    const char *how);

#endif
