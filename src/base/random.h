/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_RANDOM_H
#define CONTEND_BASE_RANDOM_H

#include <stdint.h>

/*
 * Repeatable random numbers: xoshiro256++ (Blackman and Vigna 2019), its state filled by splitmix64
 * from a seed and a stream number, so that independent uses of one seed do not share a sequence.
 * Not for secrets.
 */
struct random {
	uint64_t s[4];
};

void random_seed(struct random *r, uint64_t seed, uint64_t stream);
uint64_t random_next(struct random *r);

/* Uniform in [0, bound), without bias; bound > 0. */
uint64_t random_below(struct random *r, uint64_t bound);

/* Uniform in [0, 1), 53 bits. */
double random_unit(struct random *r);

/* A seed from the kernel, short enough (below 2^32) to be typed again. */
uint64_t random_fresh_seed(void);

#endif
