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
static bool count_mappings(pid_t pid, uintptr_t low, uintptr_t high, struct census *census,
			   struct error *err)
{
	char path[32], bytes[4096];
	uintptr_t begin = 0;
	bool in_begin = true;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);

	while ((n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (bytes[i] == '\n') {
				census->within += begin >= low && begin < high;
				census->mappings++;
				begin = 0;
				in_begin = true;
			} else if (in_begin && isxdigit((unsigned char)bytes[i])) {
				begin = begin << 4 | hex_value(bytes[i]);
			} else {
				in_begin = false;
			}
		}
	}
	return !n || error_set_errno(err, "%s", path);
}

bool census_take(pid_t pid, uintptr_t low, uintptr_t high, struct census *ret, struct error *err)
{
	char *path __free(memory) = text_format("/proc/%d/status", pid);
	struct census census = {0};

	if (!count_mappings(pid, low, high, &census, err))
		return false;
	census.rss_bytes = meminfo_bytes("", path, "VmRSS");
	census.page_table_bytes = meminfo_bytes("", path, "VmPTE");
	if (census.rss_bytes < 0 || census.page_table_bytes < 0)
		return error_set(err, ERROR_DATA, "%s: no VmRSS and VmPTE", path);
	*ret = census;
	return true;
}
