// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "setup/setup.h"

/*
 * "0-3,8" to a set. Of this process alone, and of what it forks: the tasks are placed among the
 * CPUs that it may use. Nothing of the machine changes, and nothing needs to be put back.
 */
static bool read_list(const char *list, cpu_set_t *ret, struct error *err)
{
	const char *at = list;
	int first, last, length;

	CPU_ZERO(ret);
	do {
		length = 0;
		if (sscanf(at, "%d-%d%n", &first, &last, &length) != 2 || !length) {
			length = 0;
			if (sscanf(at, "%d%n", &first, &length) != 1)
				break;
			last = first;
		}
		if (first < 0 || last < first || last >= CPU_SETSIZE)
			break;
		for (int cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, ret);
		at += length;
		if (!*at)
			return true;
	} while (*at++ == ',');
	return error_set(err, ERROR_USAGE, "cpus=%s: must be a list of CPUs, as 0-3,8", list);
}

static bool apply(struct scene *scene, struct error *err)
{
	const char *list = scene_value(scene, "cpus");
	cpu_set_t set, got;

	if (!read_list(list, &set, err))
		return false;
	/* EINVAL: none of them is there. Of some the kernel takes those that are. */
	if (sched_setaffinity(0, sizeof(set), &set) && errno != EINVAL)
		return error_set_errno(err, "sched_setaffinity");
	if (sched_getaffinity(0, sizeof(got), &got) || !CPU_EQUAL(&set, &got))
		return error_set(err, ERROR_UNSUPPORTED,
				 "cpus=%s: not all of them are there, online and allowed to this "
				 "process",
				 list);
	return true;
}

static bool supported(const char *root __attribute__((unused)),
		      struct error *err __attribute__((unused)))
{
	return true;
}

static const struct param params[] = {
	{"cpus", PARAM_TEXT,
	 .help = "the CPUs for the run's tasks, 0-3,8; by affinity alone, other "
		 "programs may use them, too"},
	{.name = NULL},
};

const struct setup setup_cpus = {
	.name = "cpus",
	.summary = "which CPUs the tasks use",
	.params = params,
	.rank = SETUP_PAGES,
	.private = true,
	.supported = supported,
	.apply = apply,
};
