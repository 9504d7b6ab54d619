/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_LAB_MEMBERS_H
#define CONTEND_LAB_MEMBERS_H

#include "lab/state.h"

/*
 * Who still takes part. An arm comes to rest where nothing more is to be won, and is given up where
 * it can do no more; a workload goes on while A and another arm do.
 */

/* True when an arm is in the next block of a workload that takes part. */
bool members_in_block(const struct lab *l, size_t subject, int arm);

/* The arms of the next block, as an entry has them. */
unsigned int members_of_block(const struct lab *l, size_t subject);

bool members_go_on(const struct lab *l, size_t subject);

/* Brings an arm to rest where nothing more is to be won, as a look shows. */
void members_rest(struct lab *l, const struct comparison *c);

/* Gives up arms and workloads that can do no more: the others go on without them. */
void members_give_up(struct lab *l);

/*
 * True when no workload goes on. It is decided then if one has come to rest: those that were given
 * up are not waited for.
 */
bool members_are_over(const struct lab *l, enum lab_end *ret_end);

#endif
