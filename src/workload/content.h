/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CONTENT_H
#define CONTEND_WORKLOAD_CONTENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * What pages are filled with, so that they compress as well as is asked for: a share of each is
 * random, the rest zero. No page is all zero or one word over and over, which swap (Linux 6.12) and
 * zram do not store at all.
 */
struct content {
	size_t page, random_bytes; /* of a page, whole words */
	char *pool;		   /* random bytes, of which each page has other ones */
};

/* random_ratio: 0 to 1. Allocates. */
void content_init(struct content *c, size_t page, double random_ratio, uint64_t seed);

/* Fills page `number` of a region, which is all zero or was filled by this before. */
void content_fill(const struct content *c, char *at, size_t number);

#endif
