// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/cpu_list.h"

/* Reads a list from sysfs. False where there is none, or none that can be understood. */
static bool read_list(struct cpu_list *s, const char *root, const char *path)
{
	char *line __free(memory) = file_read_line(root, path);
	struct error ignored;

	return line && cpu_list_parse(s, line, &ignored);
}

/* sched_getaffinity() refuses a set smaller than the kernel's own: try larger ones. */
static bool read_affinity(struct cpu_list *s, struct error *err)
{
	for (size_t count = CPU_SETSIZE; count <= CPU_LIST_LIMIT; count *= 2) {
		cpu_set_t *allowed __free(memory) = memory_alloc(CPU_ALLOC_SIZE(count));

		if (!sched_getaffinity(0, CPU_ALLOC_SIZE(count), allowed)) {
			for (size_t number = 0; number < count; number++) {
				if (CPU_ISSET_S(number, CPU_ALLOC_SIZE(count), allowed))
					cpu_list_add(s, number);
			}
			return true;
		}
		if (errno != EINVAL)
			break;
	}
	return error_set_errno(err, "sched_getaffinity");
}

static int read_integer(const char *root, const char *path, int otherwise)
{
	char *line __free(memory) = file_read_line(root, path);
	char *end;
	long value;

	if (!line || !*line)
		return otherwise;
	value = strtol(line, &end, 10);
	return *end || value < 0 || value > CPU_LIST_LIMIT ? otherwise : (int)value;
}

/* Fills in what sysfs says of one CPU's place. Its rank among its siblings comes later. */
static void place(const char *root, struct cpu *cpu)
{
	/* core_cpus_list is the newer name (Linux 5.3) of thread_siblings_list. */
	static const char *const names[] = {"core_cpus_list", "thread_siblings_list"};
	char *package __free(memory) = text_format(
		"/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu->number);

	cpu->package = read_integer(root, package, -1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path __free(memory) = text_format("/sys/devices/system/cpu/cpu%d/topology/%s",
							cpu->number, names[i]);
		struct cpu_list siblings __cpu_list = {0};

		if (!read_list(&siblings, root, path) ||
		    !cpu_list_has(&siblings, (size_t)cpu->number))
			continue;
		cpu->core = 0;
		while (!cpu_list_has(&siblings, (size_t)cpu->core))
			cpu->core++;
		return;
	}
}

static void place_nodes(const char *root, struct topology *t)
{
	struct cpu_list nodes __cpu_list = {0};

	if (!read_list(&nodes, root, "/sys/devices/system/node/online"))
		return;
	for (size_t node = 0; node < nodes.room; node++) {
		char *path __free(memory) =
			text_format("/sys/devices/system/node/node%zu/cpulist", node);
		struct cpu_list cpus __cpu_list = {0};

		if (!nodes.has[node] || !read_list(&cpus, root, path))
			continue;
		for (size_t i = 0; i < t->count; i++) {
			if (cpu_list_has(&cpus, (size_t)t->cpus[i].number))
				t->cpus[i].node = (int)node;
		}
	}
}

static int compare(const void *left, const void *right)
{
	const struct cpu *a = left, *b = right;

	if (a->sibling != b->sibling)
		return a->sibling < b->sibling ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Makes the topology of the CPUs that are in both sets. */
static bool build(const char *root, const struct cpu_list *allowed, struct topology *ret,
		  struct error *err)
{
	struct topology t = {.cpus = memory_array(allowed->room, sizeof(*t.cpus))};
	struct cpu_list online __cpu_list = {0};
	/* Without sysfs, what the scheduler allows is all there is to know. */
	bool known = read_list(&online, root, "/sys/devices/system/cpu/online");

	for (size_t number = 0; number < allowed->room; number++) {
		struct cpu *cpu = &t.cpus[t.count];

		if (!allowed->has[number] || (known && !cpu_list_has(&online, number)))
			continue;
		*cpu = (struct cpu){
			.number = (int)number,
			.core = (int)number,
			.package = -1,
			.node = -1,
		};
		place(root, cpu);
		for (size_t i = 0; i < t.count; i++)
			cpu->sibling += t.cpus[i].core == cpu->core;
		t.count++;
	}
	if (!t.count) {
		topology_done(&t);
		return error_set(err, ERROR_DATA, "none of the allowed CPUs is online");
	}
	place_nodes(root, &t);
	qsort(t.cpus, t.count, sizeof(*t.cpus), compare);
	*ret = t;
	return true;
}

void topology_done(struct topology *t)
{
	free(t->cpus);
	*t = (struct topology){0};
}

bool topology_read(const char *root, struct topology *ret, struct error *err)
{
	struct cpu_list allowed __cpu_list = {0};

	return read_affinity(&allowed, err) && build(root, &allowed, ret, err);
}

bool topology_read_list(const char *root, const char *allowed, struct topology *ret,
			struct error *err)
{
	struct cpu_list set __cpu_list = {0};

	return cpu_list_parse(&set, allowed, err) && build(root, &set, ret, err);
}
