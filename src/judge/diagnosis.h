/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_DIAGNOSIS_H
#define CONTEND_JUDGE_DIAGNOSIS_H

#include "model/experiment.h"

/*
 * What the runs say of the conditions they were made under: whether they drifted, whether it
 * mattered who ran first, whether the warm-up was long enough, whether there are two kinds of runs.
 * Pure. A diagnosis changes no verdict; it says what to look at. docs/diagnostics.md has the tests
 * and what they find.
 *
 * The tests of a workload are one Holm family at DIAGNOSIS_LEVEL: where nothing is amiss any line
 * appears in at most so many of its experiments.
 */
#define DIAGNOSIS_LEVEL 0.01

/* What is found and is smaller has no line: a change of so much from begin to end, say. */
#define DIAGNOSIS_LEAST_RATIO 0.01

/* Neighbouring slices depend so much: those of a run are worth half as many. */
#define DIAGNOSIS_LEAST_DEPENDENCE (1. / 3)

enum diagnosis_kind {
	/* Of what was asked: no test. */
	DIAGNOSIS_PROTOCOL, /* warm-up or window are not the same in the arms */
	/* Between runs, of the primary's figures, in the order of time: */
	DIAGNOSIS_DRIFT,	    /* of the arms together */
	DIAGNOSIS_DRIFT_DIFFERENCE, /* of what lies between an arm and A */
	DIAGNOSIS_ORDER,	    /* second in a pair against first */
	DIAGNOSIS_GROUPS,	    /* the runs of an arm fall into two groups */
	/* In the latencies of the runs: no test. */
	DIAGNOSIS_VALLEY, /* a median lies between two heaps */
	/* Within runs, of the rate of the primary's role: */
	DIAGNOSIS_WARMUP,     /* the first tenth of the window against the rest */
	DIAGNOSIS_TREND,      /* in the rest */
	DIAGNOSIS_DEPENDENCE, /* of neighbouring slices of it */
	DIAGNOSIS_KIND_COUNT,
};

extern const char *const diagnosis_words[];

struct diagnosis {
	enum diagnosis_kind kind;
	int arm;  /* ARM_A: of all arms; of GROUPS the arm, of the others that arm against A */
	size_t n; /* pairs or runs that were tested; 0: there was no test */
	const char *untested; /* why; NULL: there was one. Static. */
	double p, p_adjusted; /* two-sided; NAN where there was no test */
	bool found;	      /* at DIAGNOSIS_LEVEL */
	bool matters;	      /* and not too small to be worth a line */
	/*
	 * How much, as a ratio - 1: DRIFT from the first third of the pairs to the last, ORDER
	 * second over first, GROUPS and VALLEY upper over lower, WARMUP first tenth of the window
	 * over the rest, TREND from the first third of the rest to the last. DRIFT_DIFFERENCE: what
	 * the ratio of the arms was multiplied by, less 1. DEPENDENCE: the autocorrelation. NAN:
	 * not known.
	 */
	double size;
	/*
	 * DRIFT_DIFFERENCE: the arm over A, less 1, in the first third of the pairs and in the
	 * last.
	 */
	double first, last;
	/*
	 * WARMUP, TREND: the size in each arm, VALLEY: share of its runs that have one. NAN
	 * elsewhere
	 */
	double by_arm[ARM_MOST];
	/*
	 * GROUPS: the middles of the groups, as figures, and their runs. VALLEY: its two sides, in
	 * ns, medians over the runs that have one.
	 */
	double low, high;
	size_t low_runs, high_runs;
	const struct metric *metric; /* VALLEY: whose median; borrowed. NULL elsewhere */
	bool in_turn;		     /* GROUPS: the one group was over before the other began */
	int64_t span_ns;	     /* WARMUP: the first tenth; DEPENDENCE: a slice; 0 elsewhere */
	const char *param;	     /* PROTOCOL: which; borrowed from the description */
	const char *value, *value_a; /* and as typed, of the arm and of A. Borrowed. */
};

struct diagnoses {
	struct diagnosis *list; /* in the order of the kinds */
	size_t count;
};

/* Releases what diagnosis_find() returned. */
void diagnoses_done(struct diagnoses *d);

/*
 * The diagnoses of a workload, from the runs that are ok and were not set aside. The result is the
 * caller's and borrows from the experiment. Not for a plan of pairs before its end, which is blind.
 */
struct diagnoses diagnosis_find(const struct experiment *e, const struct entries *runs,
				size_t subject);

#endif
