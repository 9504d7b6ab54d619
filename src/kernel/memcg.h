/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_MEMCG_H
#define CONTEND_KERNEL_MEMCG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The memory controller of control groups, v1 and v2 alike. Groups are folders, by their path
 * below a root; hierarchies are looked for where systemd mounts them, below /sys/fs/cgroup.
 */

/* What differs in name or meaning. */
struct memcg_files {
	const char *limit;   /* of memory, bytes; v1: without swap */
	const char *usage;   /* of memory now, bytes */
	const char *peak;    /* the most so far; v2: Linux 5.19 */
	const char *swap;    /* v2: limit of swap; v1: of memory and swap together */
	const char *swapped; /* usage of the same */
	const char *high;    /* where reclaim begins; NULL: v1 has none */
	const char *events;  /* has oom_kill */
};

/* Which of the two has the memory controller: *ret_files is static. ERROR_UNSUPPORTED: none. */
bool memcg_find(const char *root, const struct memcg_files **ret_files, struct error *err);

/* Whether that is v2's. */
bool memcg_is_v2(const char *root);

/*
 * The group in which new ones are made, owned by the caller. On v1 it is this process's own, so
 * that its limits hold for them; on v2, where a group that has processes has no children with
 * limits, the top.
 */
bool memcg_parent(const char *root, char **ret_path, struct error *err);

/* How often the OOM killer has killed in a group, those below it not counted; -1: not known. */
int64_t memcg_oom_kills(const char *root, const char *group);

/* A number of bytes of a group's file; "max" is INT64_MAX; -1: it is not there. */
int64_t memcg_bytes(const char *root, const char *group, const char *file);

#endif
