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

/*
 * Hears of the OOM killer in a group. v1: an eventfd on memory.oom_control, which is signalled
 * before a victim is looked for. v2: oom_kill of memory.events, which is counted right before the
 * victim is sent its signal; whoever polls is told at once, or where he was told of something (as
 * of each time that the limit was met) less than 10 ms ago, then (CGROUP_FILE_NOTIFY_MIN_INTV).
 */
struct memcg_oom_watch {
	int fd;	       /* of the eventfd, or of memory.events */
	int control;   /* v1: memory.oom_control; -1 */
	int64_t kills; /* v2: so many are known */
};

#define MEMCG_OOM_WATCH_NONE                                                                       \
	{                                                                                          \
		.fd = -1, .control = -1                                                            \
	}

/* group: as of the machine itself. */
bool memcg_oom_watch_open(struct memcg_oom_watch *w, const char *group, struct error *err);
void memcg_oom_watch_close(struct memcg_oom_watch *w);

/* Forgets what happened until now. Allocates nothing. */
void memcg_oom_watch_clear(struct memcg_oom_watch *w);

/*
 * Sleeps until something has happened since then (true), or before that another descriptor is
 * readable (false). Allocates nothing.
 */
bool memcg_oom_watch_await(const struct memcg_oom_watch *w, int other_fd);

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
