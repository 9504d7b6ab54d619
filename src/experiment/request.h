/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_REQUEST_H
#define CONTEND_EXPERIMENT_REQUEST_H

#include "model/experiment.h"

/*
 * From the words of a command line to an experiment: which workloads, what holds for both arms,
 * what for one.
 *
 * A key is `name` or `workload.name`. A plain name goes to every workload of the request that has
 * such a parameter. Nothing overrides anything: a parameter of a workload may be said once for both
 * arms or once for each arm, and whatever gives it twice is refused, also when one of the two is
 * plain and the other one addressed, or one for both arms and the other one in --a. The request
 * reads the same in any order then, and what a typing error meant is never guessed.
 */

/* "key=value", and where it was said: --a and --b belong to an arm, the rest to both. */
enum { SAID_BOTH = -1, SAID_A = ARM_A, SAID_B = ARM_B };

struct said {
	int where;
	char *key; /* "file" or "proc_maps.file" */
	char *value;
};

struct request {
	char **workloads;
	size_t workload_count;
	struct said *said;
	size_t said_count;
	/*
	 * A metric's name or "workload.metric"; borrowed; NULL: each workload's own. A plain name
	 * holds for the workloads that have it.
	 */
	const char *primary;
};

void request_done(struct request *r);

/*
 * A positional word: a workload's name, or key=value for both arms. Only the first "=" splits, the
 * value is taken as it is: no comma and no backslash means anything.
 */
bool request_add_word(struct request *r, const char *word, struct error *err);

/*
 * The value of --a or --b: "k=v,k=v". A comma starts a new pair only before `name=`, so that
 * "tasks=1,2,4" is one parameter; "\," is a comma, any other backslash is itself. "" is allowed: an
 * arm as the defaults are. Called again it adds to the arm. On failure nothing was added.
 */
bool request_add_arm(struct request *r, int arm, const char *text, struct error *err);

/*
 * Makes the subjects of an experiment: finds each workload among the descriptions (a list that ends
 * with NULL; it takes its own references), checks every key and value, refuses duplicates, unknown
 * ones (with the nearest name) and a "workload.key" of a workload that does not take part. Every
 * refusal is ERROR_USAGE. Sets the labels: what was said in the arm, as --a takes it, "" when
 * nothing was. e has no subjects before and is unchanged on failure.
 */
bool request_resolve(const struct request *r, struct description *const *known,
		     struct experiment *e, struct error *err);

#endif
