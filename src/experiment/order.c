// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/order.h"

#include "base/random.h"
#include "model/experiment.h"

/* Keeps the coins apart from whatever else is drawn from the same seed. */
static const uint64_t order_stream = UINT64_C(0x6f72646572);

int order_first_arm(uint64_t seed, size_t subject, int64_t pair)
{
	struct random r;

	/* A chain of seeds: subject + pair in one number would give subjects the same coins. */
	random_seed(&r, seed, order_stream);
	random_seed(&r, random_next(&r), subject);
	random_seed(&r, random_next(&r), (uint64_t)pair);
	return random_below(&r, 2) ? ARM_B : ARM_A;
}
