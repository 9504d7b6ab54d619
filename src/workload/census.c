// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/census.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/meminfo.h"

/* Of a digit as the kernel writes it. */
static unsigned int hex_value(char digit)
{
	return (unsigned int)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/*
 * Counts the mappings of a process, and those that begin in a range among them. Allocates nothing:
 * what it did would be mapped in all later children, and not in the one that is counted.
 */
static bool count_mappings(pid_t pid, const struct space_state *space, int64_t *ret_all,
			   size_t *ret_within, struct error *err)
{
	char path[32], bytes[4096];
	uintptr_t begin = 0;
	bool in_begin = true;
	int64_t all = 0;
	size_t within = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);

	while ((n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (bytes[i] == '\n') {
				within += begin >= space->low && begin < space->high;
				all++;
				begin = 0;
				in_begin = true;
			} else if (in_begin && isxdigit((unsigned char)bytes[i])) {
				begin = begin << 4 | hex_value(bytes[i]);
			} else {
				in_begin = false;
			}
		}
	}
	if (n < 0)
		return error_set_errno(err, "%s", path);
	*ret_all = all;
	*ret_within = within;
	return true;
}

bool census_take(pid_t pid, const struct space *space, const struct space_state *state,
		 struct census *ret, struct error *err)
{
	char *status __free(memory) = text_format("/proc/%d/status", pid);
	char *rollup __free(memory) = text_format("/proc/%d/smaps_rollup", pid);
	struct census c;
	size_t within;

	if (!count_mappings(pid, state, &c.mappings, &within, err))
		return false;
	if (within != space->mappings)
		return error_set(err, ERROR_DATA, "the kernel made %zu mappings of %zu", within,
				 space->mappings);
	c.rss_bytes = meminfo_bytes("", status, "VmRSS");
	c.page_table_bytes = meminfo_bytes("", status, "VmPTE");
	if (c.rss_bytes < 0 || c.page_table_bytes < 0)
		return error_set(err, ERROR_DATA, "%s: no VmRSS and VmPTE", status);
	c.huge_page_bytes = meminfo_bytes("", rollup, "AnonHugePages");
	if (c.huge_page_bytes < 0)
		c.huge_page_bytes = 0;
	if (space->thp == SPACE_THP_MADVISE && space_touched_pages(space) && !c.huge_page_bytes)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"hugepage=madvise: the kernel gave no huge page (%s: AnonHugePages)",
			rollup);
	*ret = c;
	return true;
}

void census_state(const struct census *c, struct worker *w, unsigned int first)
{
	worker_state(w, first, (uint64_t)c->mappings);
	worker_state(w, first + 1, (uint64_t)c->rss_bytes);
	worker_state(w, first + 2, (uint64_t)c->page_table_bytes);
	worker_state(w, first + 3, (uint64_t)c->huge_page_bytes);
	worker_state(w, first + 4, 1);
}
