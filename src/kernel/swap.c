// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/swap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/seq_file.h"

/* From sys/swap.h of the kernel; the C library's has them under the same names. */
enum { PRIORITY_MAX = SWAP_FLAG_PRIO_MASK };

void swap_areas_done(struct swap_areas *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->list[i].path);
	free(a->list);
	*a = (struct swap_areas){0};
}

static bool read_row(const char *line, struct swap_area *ret)
{
	long long size_kib, used_kib;
	int end = 0, priority;

	/* The first blank ends the path: one inside of it is escaped. */
	if (sscanf(line, "%*s%n %*s %lld %lld %d", &end, &size_kib, &used_kib, &priority) != 3)
		return false;
	ret->path = text_format("%.*s", end, line);
	seq_file_unescape(ret->path);
	ret->size_bytes = size_kib << 10;
	ret->used_bytes = used_kib << 10;
	ret->priority = priority;
	return true;
}

static bool add_row(struct swap_areas *a, const char *line, struct error *err)
{
	struct swap_area area;

	if (!read_row(line, &area))
		return error_set(err, ERROR_DATA, "/proc/swaps: not understood: '%.100s'", line);
	a->list = memory_grow(a->list, (a->count + 1) * sizeof(*a->list));
	a->list[a->count++] = area;
	return true;
}

bool swap_areas_read(const char *root, struct swap_areas *ret, struct error *err)
{
	struct swap_areas areas __cleanup(swap_areas_done) = {0};
	struct text all __text = {0};
	char *rest, *line;

	if (!file_read(root, "/proc/swaps", 1 << 20, &all, err)) {
		err->code = ERROR_UNSUPPORTED;
		return error_wrap(err, "this kernel tells of no swap");
	}
	line = all.length ? strtok_r(all.bytes, "\n", &rest) : NULL; /* the heading */
	while (line && (line = strtok_r(NULL, "\n", &rest))) {
		if (!add_row(&areas, line, err))
			return false;
	}
	*ret = areas;
	areas = (struct swap_areas){0};
	return true;
}

const struct swap_area *swap_areas_find(const struct swap_areas *a, const char *path)
{
	for (size_t i = 0; i < a->count; i++) {
		if (text_equal(a->list[i].path, path))
			return &a->list[i];
	}
	return NULL;
}

bool swap_on(const char *path, int priority, struct error *err)
{
	int flags = 0;

	if (priority >= 0)
		flags = SWAP_FLAG_PREFER | (priority < PRIORITY_MAX ? priority : PRIORITY_MAX)
						   << SWAP_FLAG_PRIO_SHIFT;
	if (swapon(path, flags))
		return error_set_errno(err, "swapon %s", path);
	return true;
}

bool swap_off(const char *path, struct error *err)
{
	if (swapoff(path))
		return error_set_errno(err, "swapoff %s", path);
	return true;
}

bool swap_format(int fd, int64_t bytes, struct error *err)
{
	static const char magic[] = "SWAPSPACE2"; /* the last ten bytes of the page */
	enum { INFO_OFFSET = 1024, VERSION = 1 }; /* before it: room for a boot sector */
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *header __free(memory) = memory_alloc(page);
	int64_t pages = bytes / (int64_t)page;
	uint32_t info[] = {VERSION, 0};

	if (pages < 10)
		return error_set(err, ERROR_UNSUPPORTED, "%lld bytes are too few for swap",
				 (long long)bytes);
	/* The kernel has no more than 32 bits for it. */
	info[1] = pages - 1 > UINT32_MAX ? UINT32_MAX : (uint32_t)(pages - 1);
	memcpy(header + INFO_OFFSET, info, sizeof(info));
	memcpy(header + page - (sizeof(magic) - 1), magic, sizeof(magic) - 1);
	if (lseek(fd, 0, SEEK_SET) < 0)
		return error_set_errno(err, "seek");
	if (!file_write_all(fd, header, page, err))
		return false;
	/* swapon() reads what is on the device, past what is only in the cache of this file. */
	return !fsync(fd) || error_set_errno(err, "sync");
}
