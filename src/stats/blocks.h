/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_BLOCKS_H
#define CONTEND_STATS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/*
 * More than two arms: a block is one run of each arm next to each other, in random order, and each
 * arm is compared with arm 0 (A) by the differences within blocks.
 *
 * Under H0 that A and some arms do not differ, every order of these arms' figures within a block is
 * as likely. For each set S of arms that is tested by permuting the figures of A and S within
 * blocks, and the largest r = |sum d| / sqrt(sum d^2) of S is compared with what the permutations
 * give. An arm's adjusted p is the largest p of all sets that it is in (closed testing: Marcus,
 * Peritz and Gabriel 1976). So the chance of any false "differs from A" is alpha at most, whichever
 * arms do differ and by how much: an arm that does never takes part in a set without it, and its
 * figures are not exchanged for others'.
 *
 * Runs may be missing. Which ones are is taken as given, as it is where a pair is dropped whole: of
 * those that a block has, every order of their figures is as likely still, so these are permuted,
 * the places that are empty stay so, and the test of a set keeps its level. r is over the blocks
 * that have the arm and A; it has mean square 1 over the permutations however many these are, so an
 * arm that was soon given up costs the others hardly any power. A block without A compares nothing.
 *
 * A set of one arm is the exact sign-flip test (sign_flip.h); larger ones take BLOCKS_DRAWS random
 * permutations, p = (b + 1)/(B + 1). 0.1 s for four arms of 20 blocks.
 */
enum {
	BLOCKS_MOST_ARMS = 6, /* A and five */
	BLOCKS_DRAWS = 9999,
};

/*
 * y[arm * blocks + block]: logarithms of figures, or figures where there is no logarithm; NAN where
 * an arm is missing in a block. When all differences of a set are 0 its p is 1. An arm that no
 * block has together with A gets 1 and is in no set. 2 <= arms <= BLOCKS_MOST_ARMS. ret_p[arm - 1]
 * for the arms after A.
 */
void blocks_compare(const double *y, size_t arms, size_t blocks, uint64_t seed, double *ret_p);

#endif
