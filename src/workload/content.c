// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/content.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"

enum { POOL_PAGES = 16 };

void content_init(struct content *c, size_t page, double random_ratio, uint64_t seed)
{
	size_t words = POOL_PAGES * page / sizeof(uint64_t);
	uint64_t *pool = memory_array(words, sizeof(*pool));
	struct random random;

	random_seed(&random, seed, 0);
	for (size_t i = 0; i < words; i++)
		pool[i] = random_next(&random);
	*c = (struct content){
		.page = page,
		.random_bytes = (size_t)(random_ratio * (double)page) & ~(sizeof(*pool) - 1),
		.pool = (char *)pool,
	};
}

void content_fill(const struct content *c, char *at, size_t number)
{
	/* A step that has no common divisor with the words of the pool: neighbours differ. */
	size_t starts = (POOL_PAGES - 1) * c->page / sizeof(uint64_t);

	memcpy(at, c->pool + number * 1009 % starts * sizeof(uint64_t), c->random_bytes);
	/* The first word is not the others': not zero, and another one in each page. */
	*(uint64_t *)(void *)at = number + 1;
}
