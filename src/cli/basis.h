/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_BASIS_H
#define CONTEND_CLI_BASIS_H

#include "cli/conduct.h"
#include "cli/precedent.h"
#include "report/plan.h"

/*
 * What a plan goes by: for each workload an experiment that is stored, or a pilot that is run for
 * it.
 */
struct basis {
	struct experiment *wanted;    /* what words ask for: both arms alike */
	struct precedent *precedents; /* of each workload, with the case of its own */
	struct plan_origin *origins;  /* of the same */
	size_t count;
};

enum { BASIS_PILOT_PAIRS = 8 };

void basis_done(struct basis *p);

/*
 * From a stored experiment: its number as typed, NULL: the newest of two arms. Of the request the
 * workloads choose among those that it has, and the primaries are set.
 */
bool basis_from_store(struct basis *p, const struct request *r, const char *from,
		      const struct common *c, struct error *err);

/*
 * For the workloads of the request: the newest stored experiment of each that fits (precedent.h),
 * and a pilot of those that have none, which is stored like any other experiment.
 * ERROR_INTERRUPTED: it was interrupted.
 */
bool basis_from_words(struct basis *p, struct request *r, const struct common *c,
		      struct error *err);

#endif
