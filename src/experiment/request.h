/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_REQUEST_H
#define CONTEND_EXPERIMENT_REQUEST_H

#include "experiment/terms.h"
#include "model/experiment.h"

/*
 * What an experiment is asked for with, from the words of a command line, an experiment file
 * (experiment/file.h), or both: which workloads, what holds for all arms, what for one, on which
 * terms.
 *
 * A key is `name` or `workload.name`, and a setup's parameter may have a dot of its own. A plain
 * name goes to every workload of the request that has such a parameter. Nothing overrides anything:
 * a parameter of a workload may be said once for all arms or once for each arm, and whatever gives
 * it twice is refused, also when one of the two is plain and the other one addressed, or one for
 * all arms and the other one in --a, or one in the file. The request reads the same in any order
 * then, and what a typing error meant is never guessed. A primary metric is asked for in the same
 * way: once for a workload. (Terms are different in one thing: those of the command line stand in
 * place of the file's, all its primaries too.)
 */

/* The name of a workload. */
struct named {
	char *name;
	struct place place;
};

/* "key=value", and for whom it was said: those of --a, --b ... belong to an arm, the rest to all. */
enum { SAID_BOTH = -1 };

struct said {
	int where; /* SAID_BOTH or an arm */
	char *key; /* "file" or "proc_maps.file" */
	char *value;
	struct place place, value_place; /* of the key; of the value */
	bool listed;			 /* in a list of values, in a file */
	/*
	 * Of a list of numbers of tasks that request_resolve() has settled, so that the value is
	 * made of numbers alone: as it was typed, and the CPUs that its shares were taken of.
	 */
	char *asked;
	int64_t cpus;
};

struct request {
	struct named *workloads;
	size_t workload_count;
	struct said *said;
	size_t said_count;
	bool named[ARM_MOST]; /* which arms were named, if by an empty --c; and where: */
	struct place named_at[ARM_MOST];
	char *command; /* words as PARAM_COMMAND has them; NULL: none */
	struct place command_at;
	struct terms terms; /* of the command line */
	char *file;	    /* as messages name the experiment file; NULL: there is none */
	struct terms file_terms;
};

void request_done(struct request *r);

/*
 * How many arms it asks for: A and B, and C and D where they were named. Refuses a gap
 * (ERROR_USAGE), for who leaves one out has made a typing error: only A goes without saying.
 */
bool request_count_arms(const struct request *r, int *ret_count, struct error *err);

/* Adds a workload. Refuses what is no name, and one that is there already. */
bool request_add_workload(struct request *r, const char *name, struct place place,
			  struct error *err);

/* Adds a pair. Refuses only what is no key. Where key and value stand is for later refusals. */
bool request_add_pair(struct request *r, int where, const char *key, struct place place,
		      const char *value, struct place value_place, struct error *err);

/*
 * A positional word: a workload's name, or key=value for all arms. Only the first "=" splits, the
 * value is taken as it is: no comma and no backslash means anything.
 */
bool request_add_word(struct request *r, const char *word, struct error *err);

/*
 * The value of --a, --b, --c or --d: "k=v,k=v". A comma starts a new pair only before `name=`, so that
 * "tasks=1,2,4" is one parameter; "\," is a comma, any other backslash is itself. "" is allowed: an
 * arm as the defaults are. Called again it adds to the arm. On failure nothing was added.
 */
bool request_add_arm(struct request *r, int arm, const char *text, struct error *err);

/* The words behind `--`, or of a file. Refuses a second command, and words that name no program. */
bool request_set_command(struct request *r, const char *const *words, size_t count,
			 struct place place, struct error *err);

/*
 * What was said in an arm, as request_add_arm() takes it: "" when nothing was. Owned by the caller.
 * NULL where that cannot be written on one line: a value ends in a backslash and another one
 * follows.
 */
char *request_label(const struct request *r, int arm, struct error *err);

/*
 * Makes the subjects of an experiment: finds each workload among the descriptions (a list that ends
 * with NULL; it takes its own references), checks every key and value, refuses duplicates, unknown
 * ones (with the nearest name) and a "workload.key" of a workload that does not take part. Every
 * refusal is ERROR_USAGE, and begins with FILE:LINE:COLUMN where the file is to blame. Sets the
 * labels (request_label()) and, but for PLAN_SINGLE, the number of arms. e has no subjects before
 * and is unchanged on failure.
 *
 * A list of numbers of tasks (experiment/points.h) makes a workload a curve, with a subject for
 * each. cpus: how many CPUs tasks may use where they run, of which shares are taken; 0: not known.
 * Lists in the request are settled: what is made of it later, its labels too, has no shares.
 */
bool request_resolve(struct request *r, struct description *const *known, int64_t cpus,
		     struct experiment *e, struct error *err);

/*
 * Sets the primaries that were asked for in an experiment that has its subjects; others stay as
 * they are. Refusals are ERROR_USAGE, and leave some set.
 */
bool request_choose_primaries(const struct request *r, struct experiment *e, struct error *err);

/*
 * True when a key or a metric's name is meant for a workload: it begins with its name and ".", or
 * is plain. The parameter of a setup is plain even if its name has a dot in it (`memcg.swap`).
 * *ret_name: what it names there.
 */
bool request_meant_for(const char *key, const struct description *workload, const char **ret_name);

/* True for `name`, `workload.name`, `setup.name` and `workload.setup.name`. */
bool request_is_key(const char *text);

/* Puts FILE:LINE:COLUMN before a message about something in the file. Returns false. */
bool request_wrap(const struct request *r, struct place place, struct error *err);

#endif
