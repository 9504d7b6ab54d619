/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_RESOLUTION_H
#define CONTEND_EXPERIMENT_RESOLUTION_H

#include "base/nearest.h"
#include "experiment/request.h"

/*
 * What is at hand while a request is resolved into the subjects of an experiment
 * (request_resolve()), how it is looked up, and how a refusal names it. Of this folder alone.
 */
struct resolution {
	struct request *r;
	struct description *const *known; /* ends with NULL */
	int64_t cpus;			  /* that tasks may use; 0: not known */
	struct experiment *e;
};

/* For whom something was said, as it is written there: "--b", "b", "all arms". Static. */
const char *resolution_whom(int where, struct place place);

/* Adds for whom, but not that it was for all arms. Returns false. */
bool resolution_wrap(const struct said *said, struct error *err);

/*
 * Refuses (ERROR_USAGE) the name of a `what` that there is not. list: what `contend list` is to be
 * given to show those that there are; NULL: nothing.
 */
bool resolution_unknown(struct nearest *nearest, const char *what, const char *list,
			struct error *err);

/* A workload by its name; NULL: refused. Borrowed. */
const struct description *resolution_workload(struct description *const *known, const char *name,
					      struct error *err);

/* Refuses a "workload." before a parameter or metric that is not among the experiment's. */
bool resolution_check(const struct experiment *e, const char *key, struct error *err);

/*
 * The said pair that gives a parameter of a workload in an arm before number `end`; NULL: none. A
 * pair for all arms counts in each.
 */
const struct said *resolution_said(const struct request *r, size_t end,
				   const struct description *workload, const char *name, int where);

#endif
