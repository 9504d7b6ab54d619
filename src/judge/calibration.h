/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_CALIBRATION_H
#define CONTEND_JUDGE_CALIBRATION_H

#include "judge/judge.h"
#include "model/calibration.h"

/*
 * What a machine can resolve, from an A/A experiment and from experiments in which B was slowed by
 * a known share. Pure: the same runs give the same answer. The rules are in docs/calibration.md.
 */

/* One experiment of a calibration, of one workload. Everything is borrowed. */
struct calibration_part {
	const struct experiment *experiment;
	const struct entries *runs;
	const struct judgement *judgement; /* not blind; NULL: it was cut before its end */
};

/* What the judge made of one, next to what it should have. */
struct calibration_row {
	int64_t experiment; /* its id */
	const char *delay;  /* of B as given ("2%"); NULL: A/A. Borrowed from the experiment. */
	bool ended;	    /* what follows is known, but for runs and run_ns */
	/* The verdict on the primary metric; borrowed from the judgement. NULL unless ended. */
	const struct metric_verdict *v;
	int64_t most_pairs; /* of its plan */
	size_t pairs, dropped;
	size_t runs;
	int64_t run_ns;	 /* time in its runs */
	double expected; /* the change that the delay comes to, a ratio - 1; NAN: not known */
	bool found;	 /* A and B were told apart: of A/A a false alarm */
	bool backwards;	 /* found, on the other side of 0 than expected */
	bool held;	 /* its interval holds `expected`; false where that is not known */
	/* The chance to find `expected` in most_pairs, as A/A plans it; NAN: not known. */
	double power;
	bool lucky; /* found although that was less likely than not, so its change is too large */
};

/* A/A experiments that the pairs of A/A make when they are cut, each tested by sign-flip. */
struct calibration_cuts {
	size_t pairs; /* of each: the least with which the test can reject, and six at least */
	size_t count;
	size_t rejected;
	double level;	   /* the rate of rejections that the test attains with so many pairs */
	size_t low, high;  /* what 95 % of such counts are within: method.md, A/A calibration */
	double rate_bound; /* none was rejected: the rate is below this (95 %); else NAN */
};

struct calibration_answer {
	const struct subject *subject; /* of A/A; borrowed */
	const struct metric *primary;
	double alpha;
	struct calibration_row aa;
	struct calibration_row *shifts;
	size_t shift_count;
	size_t missing; /* experiments that were planned and have not ended */
	/*
	 * Why no shift was made known, or what it comes to in the primary is not: NULL where it is.
	 * instead: a metric of the workload that would show it; NULL: none. Both static or
	 * borrowed.
	 */
	const char *unseen, *open, *instead;
	struct calibration_cuts cuts;
	double sd, sd_upper; /* of A/A's differences, and its 80 % upper limit; NAN: not known */
	/*
	 * The smallest change that `contend ab` with its default of most_pairs finds in 80 % of
	 * experiments with a spread of sd_upper, a ratio; the pairs that it uses on average and the
	 * time that these take here. NAN and 0 where `unplanned` says why it is not known.
	 */
	double effect, effect_pairs;
	int64_t effect_ns;
	size_t most_pairs;
	const char *unplanned; /* static */
	/* Shifts that were to be found in 80 % at least, and those of them that were. */
	size_t due, due_found;
	double due_chance;  /* that no more of them are found, by their powers; NAN: none was due */
	size_t known, held; /* intervals next to which `expected` is known, and that hold it */
	enum calibration_check check;
	size_t runs;
	int64_t took_ns; /* all runs */
};

/*
 * Why delay= in B cannot be seen in the primary metric of a workload, as it describes itself: NULL:
 * it can. *ret_instead: see struct calibration_answer.
 */
const char *calibration_unseen(const struct subject *s, const char **ret_instead);

/*
 * parts: A/A first, then the known shifts, as far as they were begun. planned: how many parts there
 * were to be. most_pairs: what `contend ab` does at most by default. Owned by the caller, borrows
 * from the parts.
 */
struct calibration_answer *calibration_judge(const struct calibration_part *parts, size_t count,
					     size_t planned, size_t most_pairs);
void calibration_answer_free(struct calibration_answer *a);
DEFINE_FREE(calibration_answer, struct calibration_answer *, calibration_answer_free(_T))

/* The summary for the store, of an answer of which nothing is missing. Owned by the caller. */
struct calibration *calibration_summary(const struct calibration_answer *a,
					const struct calibration_part *parts, size_t count,
					const char *command, int64_t made_ns);

/*
 * True when rejections of A/A are more than its level explains: what this machine says is not
 * sound.
 */
bool calibration_alarms(const struct calibration_answer *a);

#endif
