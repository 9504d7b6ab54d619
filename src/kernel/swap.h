/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_SWAP_H
#define CONTEND_KERNEL_SWAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

/* What the machine swaps to, from /proc/swaps. */

struct swap_area {
	char *path; /* as swapoff() takes it: the kernel's escapes (\040) are undone */
	int64_t size_bytes, used_bytes;
	int priority;
};

struct swap_areas {
	struct swap_area *list;
	size_t count;
};

void swap_areas_done(struct swap_areas *a);

/* A kernel without CONFIG_SWAP has no /proc/swaps: ERROR_UNSUPPORTED. */
bool swap_areas_read(const char *root, struct swap_areas *ret, struct error *err);

const struct swap_area *swap_areas_find(const struct swap_areas *a, const char *path);

/* swapon() and swapoff(). priority: -1 has the kernel choose, below all that were chosen. */
bool swap_on(const char *path, int priority, struct error *err);
bool swap_off(const char *path, struct error *err);

/*
 * Writes the header that swapon() wants, as mkswap does: union swap_header of the kernel's
 * include/linux/swap.h, version 1. fd: the device; what it had at its begin is lost.
 */
bool swap_format(int fd, int64_t bytes, struct error *err);

#endif
