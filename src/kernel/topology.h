/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_TOPOLOGY_H
#define CONTEND_KERNEL_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

/* A CPU that this process may use. */
struct cpu {
	int number;
	int core;    /* lowest-numbered CPU of the same core: equal for SMT siblings */
	int sibling; /* its rank among the siblings of its core: 0 is the core's first */
	int package; /* -1: unknown */
	int node;    /* NUMA node, -1: unknown */
};

/*
 * The CPUs in the order in which tasks are placed on them: one of each core first, then the second
 * SMT sibling of each, and so on; within that by number.
 */
struct topology {
	struct cpu *cpus;
	size_t count;
};

void topology_done(struct topology *t);

/*
 * Reads the CPUs allowed to the calling thread (sched_getaffinity), narrowed to those online, with
 * their siblings from sysfs under root ("" is this machine). CPUs of which sysfs tells nothing are
 * cores of their own.
 */
bool topology_read(const char *root, struct topology *ret, struct error *err);

/* The same for a given list in the kernel's format ("0-3,8"); for captured machines. */
bool topology_read_list(const char *root, const char *allowed, struct topology *ret,
			struct error *err);

#endif
