/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_SURROUNDINGS_H
#define CONTEND_KERNEL_SURROUNDINGS_H

#include "base/error.h"

/*
 * Where the processes that are measured live, and the agent does not: it would be limited, and
 * killed, with them.
 */
struct surroundings {
	int group;   /* cgroup.procs of their control group, open for writing; -1: the agent's */
	char *memcg; /* its path (kernel/memcg.h); NULL: the agent's */
};

#define SURROUNDINGS_NONE                                                                          \
	{                                                                                          \
		.group = -1                                                                        \
	}

/*
 * Moves this process there: a process of workers, as the first thing that it does. What it has
 * touched by then stays charged to where it comes from (Linux 6.11 and later move no charges on v1
 * either).
 */
bool surroundings_enter(const struct surroundings *s, struct error *err);

void surroundings_done(struct surroundings *s);

#endif
