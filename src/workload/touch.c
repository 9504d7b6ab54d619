// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/touch.h"

#include <errno.h>
#include <sys/mman.h>

/* All pages of a mapping, in one call where the kernel has it (Linux 5.14). */
static bool populate(char *at, size_t page_bytes, size_t count)
{
	if (!madvise(at, count * page_bytes, MADV_POPULATE_WRITE))
		return true;
	if (errno != EINVAL)
		return false;
	for (size_t i = 0; i < count; i++)
		((volatile char *)at)[i * page_bytes] = 1;
	return true;
}

bool touch_pages(char *at, size_t page_bytes, size_t first, size_t count, double ratio)
{
	size_t before = touch_before(ratio, first);
	size_t touched = touch_before(ratio, first + count) - before;

	if (touched == count)
		return !count || populate(at, page_bytes, count);
	for (size_t i = 0; touched && i < count; i++) {
		size_t after = touch_before(ratio, first + i + 1);

		if (after > before)
			((volatile char *)at)[i * page_bytes] = 1;
		before = after;
	}
	return true;
}
