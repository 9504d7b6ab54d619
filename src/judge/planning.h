/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_PLANNING_H
#define CONTEND_JUDGE_PLANNING_H

#include "judge/judge.h"
#include "judge/windows.h"

/*
 * How many pairs and how much time an effect needs, from the spread of the differences in pairs
 * that were run (docs/planning.md). Pure, as judge() is.
 */

/* What is asked. Ratios: 0.01 is 1 %. */
struct planning_terms {
	double effect; /* above 0, at most PLANNING_EFFECT_MAX */
	double power;  /* PLANNING_POWER_LOW to PLANNING_POWER_HIGH */
	double margin; /* above 0 */
	double alpha;  /* above 0 and below one half */
};

#define PLANNING_EFFECT_MAX 10.0
#define PLANNING_POWER_LOW 0.5
#define PLANNING_POWER_HIGH 0.999

/*
 * The most pairs that a plan names. What needs more is drowned in noise: hours of runs would
 * resolve what a change of the machine in between puts in doubt.
 */
enum { PLANNING_PAIRS_MAX = 1000 };

/* The pairs of `contend ab` by default. */
enum { PLANNING_PAIRS_USUAL = 40 };

/* A workload of an experiment of two arms or more, and its runs. All borrowed. */
struct planning_source {
	const struct experiment *experiment;
	const struct entries *runs;
	size_t subject;	     /* index */
	const char *primary; /* name of the primary metric, one of the description's */
};

/* What one effect needs; 0 pairs: more than PLANNING_PAIRS_MAX. */
struct planning_row {
	double effect; /* ratio */
	bool asked;
	size_t fixed; /* `--pairs N` */
	size_t most;  /* `--max-pairs N`: what a plan with looks must allow, so many as have them */
	double used;  /* and those it uses on average, when the effect is there; NAN: not known */
};

/* The smallest effects that are seen with so many pairs: the noise floor. */
struct planning_floor {
	size_t pairs;
	bool own;	     /* as many as the source has */
	double fixed, looks; /* ratios; INFINITY: so few pairs cannot reject at this level */
};

enum planning_state {
	PLANNING_KNOWN,
	PLANNING_ALIKE,	  /* no spread: any number of pairs that the rule can reject with */
	PLANNING_FEW,	  /* under two pairs with a figure */
	PLANNING_NOTHING, /* figures of 0 in arm A: of what would a ratio be? */
};

extern const char *const planning_state_words[];

enum { PLANNING_ROWS = 5, PLANNING_FLOORS = 5 };

struct planning_metric {
	const struct metric *metric; /* borrowed from the source */
	bool primary;
	enum planning_state state;
	size_t pairs;	/* with a figure in both arms */
	size_t refused; /* whole pairs without */
	char *refusal;	/* the first reason; NULL */
	enum judge_scale scale;
	double middle; /* median of A's figures */
	size_t comparisons;
	double level; /* alpha / comparisons */
	/* Of d; on SCALE_DIFFERENCE in the unit. NAN unless PLANNING_KNOWN. */
	double sd, sd_upper; /* as measured; its upper limit at 80 %, which everything goes by */
	/* The fewest that can reject: `--pairs N`, and `--max-pairs N` that has looks. */
	size_t least_fixed, least_looks;
	/* PLANNING_KNOWN: */
	struct planning_row rows[PLANNING_ROWS]; /* by effect, the asked one among them */
	size_t row_count;
	/*
	 * Pairs of `--pairs N` when nothing differs, as in a row: until cleared of the margin, and
	 * until the change is within it on both sides. SCALE_LOG only.
	 */
	size_t clearing, enclosing;
	struct planning_floor floors[PLANNING_FLOORS]; /* by pairs */
	size_t floor_count;
};

/* The primary with windows of another length. */
struct planning_window {
	double window_ns;
	bool own;	   /* as they were */
	bool extrapolated; /* of none so long, or of no part of one, was seen how much it varies */
	double sd_upper;   /* planned by */
	size_t pairs;	   /* `--pairs N` for the asked effect; 0: as in a row */
	double time_ns;	   /* for these, with what else a pair takes; NAN: not known */
};

enum { PLANNING_WINDOWS = 5 };

struct planning_subject {
	const struct planning_source *source;
	const struct subject *subject;
	bool aa;
	size_t pairs, dropped; /* whole pairs, and those with a run that is not ok */
	char *first_drop;      /* the first of these, and why; NULL: none */
	int64_t pair_ns; /* median, from the first run's start to the last one's end; 0: unknown */
	struct planning_metric *metrics; /* the judged ones, the primary first */
	size_t metric_count;
	struct windows windows;				 /* of the primary */
	struct planning_window others[PLANNING_WINDOWS]; /* by length; only where windows tell */
	size_t other_count;
};

struct planning {
	struct planning_terms terms;
	struct planning_subject *subjects; /* in the order of the sources */
	size_t subject_count;
};

/* The sources must outlive it. */
struct planning *planning_make(const struct planning_terms *terms,
			       const struct planning_source *sources, size_t count);
void planning_free(struct planning *p);
DEFINE_FREE(planning, struct planning *, planning_free(_T))

/* The row that was asked for; NULL unless PLANNING_KNOWN. */
const struct planning_row *planning_asked(const struct planning_metric *m);

/* What the usual number of pairs sees; NULL unless it is the primary, and PLANNING_KNOWN. */
const struct planning_floor *planning_usual(const struct planning_metric *m);

#endif
