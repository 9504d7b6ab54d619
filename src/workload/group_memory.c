// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/group_memory.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/memcg.h"

static const int64_t LIMIT_NS = 10 * NS_PER_SEC;

bool group_memory_open(struct group_memory *g, const struct cast *cast, struct error *err)
{
	const char *group = cast_memcg(cast);
	const struct memcg_files *files;

	g->fd = -1;
	if (!group)
		return true;
	if (!memcg_find("", &files, err))
		return false;
	char *path __free(memory) = text_format("%s/%s", group, files->usage);

	g->fd = open(path, O_RDONLY | O_CLOEXEC);
	return g->fd >= 0 || error_set_errno(err, "open %s", path);
}

int64_t group_memory_bytes(const struct group_memory *g)
{
	char text[32];
	ssize_t n = g->fd < 0 ? -1 : pread(g->fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return -1;
	text[n] = '\0';
	return strtoll(text, NULL, 10);
}

int64_t group_memory_least_bytes(void)
{
	enum { BATCH_PAGES = 64, CPUS = 2, TENTH = 10 };

	return (int64_t)BATCH_PAGES * CPUS * TENTH * sysconf(_SC_PAGESIZE);
}

int64_t group_memory_await(const struct group_memory *g, int64_t before, int64_t full)
{
	int64_t low = before + (full - before) / 10, now_ns = clock_now_ns();
	int64_t deadline_ns = now_ns + LIMIT_NS;

	if (before < 0 || full - before < group_memory_least_bytes())
		return 0;
	while (now_ns < deadline_ns) {
		int64_t bytes = group_memory_bytes(g);

		now_ns = clock_now_ns();
		if (bytes >= 0 && bytes <= low)
			return now_ns;
		sched_yield();
	}
	return -1;
}
