// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/random.h"

#include <sys/random.h>

#include "base/clock.h"

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void random_seed(struct random *r, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;

	/* Mix the stream in by way of the generator: seed + stream alone would make neighbours. */
	state = splitmix64(&state) ^ stream;
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&state);
}

uint64_t random_next(struct random *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotate(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t random_below(struct random *r, uint64_t bound)
{
	/* Reject the incomplete last stretch: 2^64 mod bound values. */
	uint64_t reject = -bound % bound;
	uint64_t x;

	do {
		x = random_next(r);
	} while (x < reject);
	return x % bound;
}

double random_unit(struct random *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}

uint64_t random_fresh_seed(void)
{
	uint32_t seed;

	/* Early in boot the pool may not be ready; the clock is then as good as it gets. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint32_t)(clock_wall_ns() ^ (clock_wall_ns() >> 32));
	return seed;
}
