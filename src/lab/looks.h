/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_LAB_LOOKS_H
#define CONTEND_LAB_LOOKS_H

#include "lab/state.h"

/* What is seen of an experiment on the way: of what is kept of each look, and what follows. */

/*
 * Looks at what there is, keeps what it shows and brings arms and workloads to rest. of, by
 * subject: those whose look is kept, but for arms that were not in their last block; NULL: of all
 * that have pairs.
 */
bool looks_take(struct lab *l, const bool *of, struct error *err);

/* Keeps what a judgement shows; of as for looks_take(). */
bool looks_keep(struct lab *l, const struct judgement *j, const bool *of, struct error *err);

/*
 * A round that was cut: some workloads have its pair, others lack it. Those arms took part that did
 * not rest before it, which the runs of earlier rounds tell. True when some are due; *ret_had, by
 * subject, then says which have it, whose look is to be taken with that of the others.
 */
bool looks_in_a_round(struct lab *l, bool *ret_had);

#endif
