// SPDX-License-Identifier: GPL-2.0-or-later
#include "own.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const own_names[OWN_MAX] = {"mappings", "rss_kib", "page_tables_kib", "heap_bytes",
					"descriptors"};

/*
 * Reads a file of /proc/self without allocating. Returns the lines of it, the descriptor it had,
 * and in ret_kib what stands behind `name`.
 */
static int64_t read_own(const char *path, const char *name, int *ret_fd, int64_t *ret_kib)
{
	char bytes[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int64_t lines = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	*ret_fd = fd;
	while ((n = read(fd, bytes, sizeof(bytes) - 1)) > 0) {
		const char *found;

		bytes[n] = '\0';
		for (const char *c = bytes; (c = strchr(c, '\n')); c++)
			lines++;
		found = name ? strstr(bytes, name) : NULL;
		if (found)
			*ret_kib = strtoll(found + strlen(name), NULL, 10);
	}
	close(fd);
	return lines;
}

void own_read(int64_t ret_facts[OWN_MAX])
{
	int64_t facts[OWN_MAX] = {-1, -1, -1, -1, -1};
	struct mallinfo2 heap = mallinfo2();
	int fd = -1, ignored;

	facts[OWN_MAPPINGS] = read_own("/proc/self/maps", NULL, &fd, NULL);
	read_own("/proc/self/smaps_rollup", "\nRss:", &ignored, &facts[OWN_RSS]);
	read_own("/proc/self/status", "\nVmPTE:", &ignored, &facts[OWN_PAGE_TABLES]);
	facts[OWN_HEAP] = (int64_t)(heap.uordblks + heap.hblkhd);
	facts[OWN_DESCRIPTORS] = fd;
	memcpy(ret_facts, facts, sizeof(facts));
}

void own_leak(void)
{
	const size_t bytes = 4 << 20, touched = 64 << 10;

	for (int i = 0; i < 4; i++) {
		char *left = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				  -1, 0);

		if (left == MAP_FAILED || !malloc(4000) ||
		    open("/proc/self/maps", O_RDONLY | O_CLOEXEC) < 0)
			abort();
		memset(left, 1, touched);
	}
}
