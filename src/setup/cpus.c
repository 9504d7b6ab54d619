// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>

#include "base/memory.h"
#include "kernel/cpu_list.h"
#include "setup/setup.h"

/* As sched_setaffinity() takes it: no smaller than any kernel's own, or it is refused. */
enum { SET_BYTES = CPU_LIST_LIMIT / 8 };

/* Owned by the caller. */
static cpu_set_t *set_of(const struct cpu_list *list)
{
	cpu_set_t *set = memory_alloc(SET_BYTES);

	for (size_t cpu = 0; cpu < list->room; cpu++) {
		if (cpu_list_has(list, cpu))
			CPU_SET_S(cpu, SET_BYTES, set);
	}
	return set;
}

/*
 * Of this process alone, and of what it forks: the tasks are placed among the CPUs that it may use.
 * Nothing of the machine changes, and nothing needs to be put back.
 */
static bool apply(struct scene *scene, struct error *err)
{
	const char *text = scene_value(scene, "cpus");
	struct cpu_list list __cpu_list = {0};

	if (!cpu_list_parse(&list, text, err))
		return error_wrap(err, "cpus");
	cpu_set_t *set __free(memory) = set_of(&list);
	cpu_set_t *got __free(memory) = memory_alloc(SET_BYTES);

	/* EINVAL: none of them is there. Of some the kernel takes those that are. */
	if (sched_setaffinity(0, SET_BYTES, set) && errno != EINVAL)
		return error_set_errno(err, "sched_setaffinity");
	if (sched_getaffinity(0, SET_BYTES, got) || !CPU_EQUAL_S(SET_BYTES, set, got))
		return error_set(err, ERROR_UNSUPPORTED,
				 "cpus=%s: not all of them are there, online and allowed to this "
				 "process",
				 text);
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
