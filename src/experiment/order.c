// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/order.h"

#include "base/random.h"
#include "model/experiment.h"

/* Keeps the coins apart from whatever else is drawn from the same seed. */
static const uint64_t order_stream = UINT64_C(0x6f72646572);

void order_draw(uint64_t seed, size_t subject, int64_t block, int arm_count, int *ret_order)
{
	struct random r;

	/* A chain of seeds: subject + pair in one number would give subjects the same coins. */
	random_seed(&r, seed, order_stream);
	random_seed(&r, random_next(&r), subject);
	random_seed(&r, random_next(&r), (uint64_t)block);
	for (int i = 0; i < arm_count; i++)
		ret_order[i] = i;
	for (int i = arm_count - 1; i > 0; i--) {
		int k = (int)random_below(&r, (uint64_t)i + 1);
		int swap = ret_order[i];

		/* Turned round, so that of two arms heads is B first, as it always was. */
		k = i - k;
		ret_order[i] = ret_order[k];
		ret_order[k] = swap;
	}
}
