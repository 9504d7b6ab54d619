/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_TOUCH_H
#define CONTEND_WORKLOAD_TOUCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writing to a share of the pages of a range, evenly spread: after n pages, as many of them have
 * been written as the share says, rounded down.
 */
static inline size_t touch_before(double ratio, size_t n)
{
	return (size_t)((double)n * ratio);
}

/*
 * Writes to the pages at `at`, which are `count` of a larger range, from its page `first` on. Where
 * the share is all of them it is one call to the kernel. Allocates nothing from the heap; false
 * with errno on failure.
 */
bool touch_pages(char *at, size_t page_bytes, size_t first, size_t count, double ratio);

#endif
