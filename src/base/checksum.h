/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_CHECKSUM_H
#define CONTEND_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923): tells an accident from what was written, not an
 * attacker.
 */
static inline uint64_t checksum_fnv1a(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t sum = 0xcbf29ce484222325;

	while (length--)
		sum = (sum ^ *at++) * 0x100000001b3;
	return sum;
}

#endif
