/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_ORDER_H
#define CONTEND_EXPERIMENT_ORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * The random order: which arm of a pair runs first. A coin of its own for every subject and pair,
 * derived from the seed alone, so that it does not depend on what ran before. Part of what a seed
 * means: the coins of a seed never change between versions.
 */
int order_first_arm(uint64_t seed, size_t subject, int64_t pair);

#endif
