/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_ORDER_H
#define CONTEND_EXPERIMENT_ORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * The random order: in which the arms of a block, of two arms a pair, run. Drawn anew for every
 * subject and block from the seed alone, so that it does not depend on what ran before: of two arms
 * by a coin, of more by Fisher and Yates' shuffle, all orders equally likely. Part of what a seed
 * means: the orders of a seed never change between versions. ret_order: arms, arm_count of them.
 */
void order_draw(uint64_t seed, size_t subject, int64_t block, int arm_count, int *ret_order);

#endif
