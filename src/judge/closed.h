/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_CLOSED_H
#define CONTEND_JUDGE_CLOSED_H

#include "judge/verdict.h"

/*
 * The primary of a workload in several arms, each against A, at the end of a plan of pairs:
 * adjusted p by closed testing with permutations within blocks (stats/blocks.h). ret_p: by
 * comparison, for the `count` comparisons of one workload. One without a verdict of its own (under
 * 6 pairs, figures in few) gets 1 and takes part in no set. seed: of the permutations.
 */
void closed_adjust(const struct comparison *comparisons, size_t count, uint64_t seed,
		   double *ret_p);

#endif
