/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_PRECEDENT_H
#define CONTEND_CLI_PRECEDENT_H

#include "lab/lab.h"
#include "store/store.h"

/*
 * Stored experiments from which something can be learnt about another one: of the same workload
 * with the same parameters, on the same machine.
 */

/* One, whole, and the workload of it that is meant. */
struct precedent {
	struct lab_case held;
	size_t subject;	   /* index */
	char *passed_over; /* why a newer experiment of that workload is not it; NULL: none was */
};

void precedent_done(struct precedent *p);

/*
 * The newest stored experiment of two arms of which A is what the subject's A is, which has ended
 * or takes looks, has JUDGE_LEAST_PAIRS whole pairs, and ran in the state that this machine is in:
 * host, a fingerprint; what is not known in both is not compared. *ret_found false: there is none,
 * and ret->passed_over may still say why not. The case is ret's.
 */
bool precedent_find(struct store *store, const struct subject *wanted, json_t *host,
		    bool *ret_found, struct precedent *ret, struct error *err);

/*
 * Refuses (ERROR_DATA) an experiment that has no pairs, or may not be looked at yet. The message
 * does not name it.
 */
bool precedent_check(const struct experiment *e, struct error *err);

#endif
