// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cgroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/flat_keyed.h"

/* /proc/self/cgroup: a line "hierarchy:controllers:path" each; hierarchy 0 is v2. */
struct place {
	bool v1, v2;
	char *unified, *memory, *cpu; /* paths of the group; NULL: not in such a hierarchy */
};

static void place_done(struct place *p)
{
	free(p->unified);
	free(p->memory);
	free(p->cpu);
}

static bool has_controller(const char *list, const char *name)
{
	size_t length = strlen(name);

	while ((list = strstr(list, name))) {
		if (!list[length] || list[length] == ',')
			return true;
		list += length;
	}
	return false;
}

static void take_line(struct place *p, char *line)
{
	char *hierarchy = strsep(&line, ":"), *controllers = strsep(&line, ":");

	if (!line)
		return;
	if (text_equal(hierarchy, "0")) {
		p->v2 = true;
		free(p->unified);
		p->unified = memory_string(line);
		return;
	}
	/* "name=systemd" limits nothing. */
	p->v1 |= *controllers && !text_starts(controllers, "name=");
	if (!p->memory && has_controller(controllers, "memory"))
		p->memory = memory_string(line);
	/* Not cpuset and cpuacct. */
	if (!p->cpu && has_controller(controllers, "cpu"))
		p->cpu = memory_string(line);
}

static bool read_place(const char *root, struct place *ret)
{
	struct text contents __text = {0};
	struct error ignored;
	char *rest, *line;

	if (!file_read(root, "/proc/self/cgroup", 1 << 20, &contents, &ignored) || !contents.length)
		return false;
	rest = contents.bytes;
	while ((line = strsep(&rest, "\n")))
		take_line(ret, line);
	return true;
}

/* A file of a group. NULL: it is not there. */
static char *read_file(const char *root, const char *mount, const char *group, const char *name)
{
	char *path __free(memory) = text_format("%s%s/%s", mount, group, name);

	return file_read_line(root, path);
}

/* "max", or a number that v1 has near INT64_MAX where there is no limit. */
static bool read_bytes(const char *root, const char *mount, const char *group, const char *name,
		       int64_t *ret)
{
	char *line __free(memory) = read_file(root, mount, group, name);
	long long value;
	char *end;

	if (!line || !*line)
		return false;
	*ret = INT64_MAX;
	if (text_equal(line, "max"))
		return true;
	errno = 0;
	value = strtoll(line, &end, 10);
	if (*end || value < 0)
		return false;
	/* PAGE_COUNTER_MAX is LONG_MAX rounded down to pages, of 64 KiB at most. */
	if (!errno && value < INT64_MAX - 65536)
		*ret = value;
	return true;
}

/* A number of a file that has a key and a number in each line. -1: it is not there. */
static int64_t read_keyed(const char *root, const char *mount, const char *group, const char *name,
			  const char *key)
{
	char *path __free(memory) = text_format("%s%s/%s", mount, group, name);

	return flat_keyed_integer(root, path, key);
}

/* The files of a group of which v1 and v2 have other names. */
struct names {
	const char *limit, *usage, *active, *inactive, *oom;
};

static const struct names memory_names[] = {
	{"memory.max", "memory.current", "active_file", "inactive_file", "memory.events"},
	{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file",
	 "total_inactive_file", "memory.oom_control"},
};

/*
 * What is left below a limit. The page cache of the group goes before anything is killed; tmpfs,
 * which the usage has as well, is on other lists and stays.
 */
static int64_t left_below(int64_t limit, const char *root, const char *mount, const char *group,
			  const struct names *names)
{
	int64_t usage, active, inactive, left;

	if (limit == INT64_MAX || !read_bytes(root, mount, group, names->usage, &usage))
		return limit;
	active = read_keyed(root, mount, group, "memory.stat", names->active);
	inactive = read_keyed(root, mount, group, "memory.stat", names->inactive);
	left = limit - usage + (active > 0 ? active : 0) + (inactive > 0 ? inactive : 0);
	return left < 0 ? 0 : left < limit ? left : limit;
}

/* Takes the limit of one group. */
static void take_memory(const char *root, const char *mount, const char *group, struct cgroup *c)
{
	for (size_t i = 0; i < sizeof(memory_names) / sizeof(memory_names[0]); i++) {
		const struct names *names = &memory_names[i];
		int64_t bytes, left;

		if (!read_bytes(root, mount, group, names->limit, &bytes))
			continue;
		c->memory_known = true;
		c->memory_bytes = bytes < c->memory_bytes ? bytes : c->memory_bytes;
		left = left_below(bytes, root, mount, group, names);
		c->memory_left_bytes = left < c->memory_left_bytes ? left : c->memory_left_bytes;
	}
}

/* The kill is counted in the group of who is killed, whichever group above has the limit. */
static int64_t read_oom_kills(const char *root, const char *mount, const char *path)
{
	const char *group = text_equal(path, "/") ? "" : path;
	int64_t kills = -1;

	for (size_t i = 0; i < sizeof(memory_names) / sizeof(memory_names[0]) && kills < 0; i++)
		kills = read_keyed(root, mount, group, memory_names[i].oom, "oom_kill");
	return kills;
}

static double quota(const char *quota_us, const char *period_us)
{
	double share = strtod(quota_us, NULL), period = strtod(period_us, NULL);

	/* -1 and "max" are no limit. */
	return share > 0 && period > 0 ? share / period : 0;
}

/* cpu.max: "max 100000" or "150000 100000". */
static bool read_cpus(const char *root, const char *mount, const char *group, double *ret)
{
	char *line __free(memory) = read_file(root, mount, group, "cpu.max");
	char *v1_quota __free(memory) = read_file(root, mount, group, "cpu.cfs_quota_us");
	char *v1_period __free(memory) = read_file(root, mount, group, "cpu.cfs_period_us");
	const char *blank = line ? strchr(line, ' ') : NULL;

	if (blank)
		*ret = quota(line, blank + 1);
	else if (v1_quota && v1_period)
		*ret = quota(v1_quota, v1_period);
	else
		return false;
	return true;
}

/* Takes the last folder off a path: "/a/b" to "/a" to "". False: there was none. */
static bool go_up(char *group)
{
	char *slash = strrchr(group, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/*
 * Goes from the group to the top of its hierarchy. The group may not be below what is mounted (a
 * container without a namespace of its own): what is there counts.
 */
static void take_limits(const char *root, const char *mount, const char *path, bool memory,
			bool cpu, struct cgroup *c)
{
	char *group __free(memory) = memory_string(text_equal(path, "/") ? "" : path);

	do {
		double cpus;

		if (memory)
			take_memory(root, mount, group, c);
		if (cpu && read_cpus(root, mount, group, &cpus)) {
			c->cpu_known = true;
			if (cpus > 0 && (!(c->cpus > 0) || cpus < c->cpus))
				c->cpus = cpus;
		}
	} while (go_up(group));
	if (memory)
		c->oom_kills = read_oom_kills(root, mount, path);
}

struct cgroup cgroup_read(const char *root)
{
	struct place place __cleanup(place_done) = {0};
	struct cgroup c = {
		.memory_bytes = INT64_MAX, .memory_left_bytes = INT64_MAX, .oom_kills = -1};

	if (!read_place(root, &place))
		return c;
	c.version = place.v1 && place.v2 ? "hybrid" : place.v1 ? "v1" : place.v2 ? "v2" : NULL;
	if (place.memory)
		take_limits(root, "/sys/fs/cgroup/memory", place.memory, true, false, &c);
	if (place.cpu)
		take_limits(root, "/sys/fs/cgroup/cpu", place.cpu, false, true, &c);
	if (place.unified) {
		char *controllers __free(memory) =
			file_read_line(root, "/sys/fs/cgroup/cgroup.controllers");

		take_limits(root, "/sys/fs/cgroup", place.unified, !place.memory, !place.cpu, &c);
		/* The top group of v2 has no files of limits, and no limit. */
		c.memory_known |= controllers && !place.memory;
		c.cpu_known |= controllers && !place.cpu;
	}
	return c;
}
