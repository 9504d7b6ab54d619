/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_EXPERIMENT_H
#define CONTEND_MODEL_EXPERIMENT_H

#include "model/description.h"
#include "model/run.h"

/*
 * A question: arms, workloads, margin, budget. It is fixed before the first run and stored as one
 * JSON object; the runs that answer it are stored beside it.
 */

/* A is the baseline, with which each of the others is compared. */
enum { ARM_A, ARM_B, ARM_C, ARM_D, ARM_MOST };

extern const char *const arm_words[]; /* "A" ... "D", and NULL */
extern const char *const arm_keys[];  /* the same as options, files and JSON have them: "a" ... */

/* When an experiment ends. */
enum plan {
	PLAN_PAIRS,   /* exactly `pairs`: no look before the end */
	PLAN_BUDGET,  /* until decided or `budget_ns` is spent; judged after every pair */
	PLAN_DECIDED, /* until decided, at most `pairs` (0: no maximum); judged after every pair */
	PLAN_SINGLE,  /* `contend run`: `pairs` runs of one arm, A */
};

extern const char *const plan_words[];

/* More pairs than anybody will run: keeps every product with a time inside 64 bits. */
enum { EXPERIMENT_PAIRS_MAX = 1000000 };

/* A smaller maximum is no room for looks: its pairs are planned (PLAN_PAIRS). */
enum { EXPERIMENT_LEAST_MAXIMUM = 10 };

/* One workload of an experiment, with the values of its parameters in each arm. */
struct subject {
	struct description *description;
	json_t *params[ARM_MOST]; /* objects of strings: only what was given */
	const char *primary;	  /* name of the primary metric, borrowed from the description */
};

/* How many workloads an experiment may have; a point of a curve is one. */
enum { EXPERIMENT_SUBJECTS_MAX = 256 };

/*
 * A workload with several numbers of tasks: each is a subject, a point of the curve, that differs
 * from the others in this parameter alone. The arms have the same points, for a curve is compared
 * point by point.
 */
struct curve {
	size_t first, count; /* of the subjects, two at least, by ascending number of tasks */
	char *asked;	     /* the list as it was typed: "25%,50%,100%" */
	int64_t cpus;	     /* what its shares were taken of; 0: it has none */
};

extern const char curve_param[]; /* "tasks" */

struct experiment {
	int64_t id;		/* in its store; 0: not stored yet */
	int64_t created_ns;	/* wall clock */
	char *command;		/* the command line that repeats it, seed included */
	int arm_count;		/* 2 to ARM_MOST; of PLAN_SINGLE 1 */
	char *labels[ARM_MOST]; /* "file=smaps"; "" when nothing differs */
	struct subject *subjects;
	size_t subject_count;
	struct curve *curves; /* by their first subject */
	size_t curve_count;
	enum plan plan;
	int64_t pairs;
	int64_t budget_ns;
	/*
	 * What looks were planned for before the first run, whatever room was given since: at most
	 * so many pairs (PLAN_DECIDED), or as many as fit into a budget (PLAN_BUDGET). 0: no looks,
	 * the e-process alone.
	 */
	int64_t planned_pairs;
	int64_t planned_budget_ns;
	/*
	 * PLAN_BUDGET: the pairs after which its time was up, so that the looks that were left were
	 * spent; 0: it was not. Not part of the definition: the store knows.
	 */
	int64_t time_up;
	/*
	 * PLAN_PAIRS: the pairs after which its end came and the outcome was seen; 0: not yet. More
	 * than that many are an extension, which is judged by other rules. Not part of the
	 * definition: it is the store's looks that know.
	 */
	int64_t looked;
	double margin; /* ratio: 0.02 */
	double alpha;
	uint64_t seed;
	bool strict;
};

/* Of two arms, else zeroed; strings that stay NULL count as "" and params that stay NULL as {}. */
struct experiment *experiment_new(void);

/*
 * How it ends: with so many pairs, or when it is decided and after `most` pairs at the latest, for
 * which its looks are planned (0: without looks or an end). Each takes back what another had set.
 */
void experiment_plan_pairs(struct experiment *e, int64_t pairs);
void experiment_plan_decided(struct experiment *e, int64_t most);
void experiment_free(struct experiment *e);
DEFINE_FREE(experiment, struct experiment *, experiment_free(_T))

/* True when its plan has looks before the end. */
bool experiment_takes_looks(const struct experiment *e);

/*
 * True for a single run, of which the single latencies are kept in memory (run_raw_values()): all
 * that there is to say is about them. Of several runs none needs them, and all together would be
 * large.
 */
bool experiment_keeps_raw(const struct experiment *e);

/*
 * True when the workload has the same parameters in an arm as in A: a rejection is a false alarm. A
 * default that is spelled out is the same as none, and 1s the same as 1000ms.
 */
bool subject_is_aa(const struct subject *s, int arm);

/* The parameters that were given in no arm: a new object, name to default as typed. */
json_t *subject_defaults(const struct subject *s);

/* Appends a curve; copies what was asked. */
void experiment_add_curve(struct experiment *e, size_t first, size_t count, const char *asked,
			  int64_t cpus);

/*
 * For whoever puts subjects together: makes a curve of those next to each other that are of one
 * workload, in place of what curves there were. The second one frees them, which experiment_free()
 * does, too.
 */
void experiment_regroup(struct experiment *e);
void experiment_free_curves(struct experiment *e);

/* The curve that a subject is a point of; NULL: it is none. */
const struct curve *experiment_curve(const struct experiment *e, size_t subject);

/* The number of tasks of a point. */
int64_t experiment_point(const struct experiment *e, size_t subject);

/* What tells a subject from the others: "brk1", of a point "brk1 tasks=2". Owned by the caller. */
char *experiment_subject_name(const struct experiment *e, size_t subject);

/* Leaves a subject out. A curve of which one point is left is none any more. */
void experiment_remove_subject(struct experiment *e, size_t subject);

/*
 * All but id, looked and time_up, whole: from_json(to_json(e)) equals e, with "" and {} for NULL.
 * The object shares descriptions and params with the experiment: neither may be changed while the
 * other is in use.
 */
json_t *experiment_to_json(const struct experiment *e);
bool experiment_from_json(json_t *object, struct experiment **ret, struct error *err);

/* One stored run and its place in the experiment. Run and record belong to whoever holds this. */
struct entry {
	int64_t id;	/* in its store */
	size_t subject; /* index */
	int64_t pair;	/* from 0 */
	int arm;	/* ARM_A ... */
	bool first;	/* ran before its partners */
	/* Which arms its block has, bit 1 << arm each; 0: all of the experiment. */
	unsigned int arms;
	/*
	 * Of a pair that was cut and run again as a whole: kept, and neither judged nor counted.
	 */
	bool set_aside;
	struct run *run;
};

/* True when the block of the run has that arm: one that rests or was given up has no run there. */
bool entry_has_arm(const struct entry *e, int arm);

struct entries {
	struct entry *list;
	size_t count;
};

void entries_done(struct entries *e);
/* Appends; takes the run. */
void entries_add(struct entries *e, struct entry entry);

#endif
