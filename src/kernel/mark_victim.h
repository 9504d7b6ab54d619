/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_MARK_VICTIM_H
#define CONTEND_KERNEL_MARK_VICTIM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"

/*
 * When the OOM killer chose whom: the tracepoint oom:mark_victim (Linux 4.13), which stands in
 * mark_oom_victim(), right behind the victim's SIGKILL. Seen on all CPUs: it is recorded on
 * that of whoever ran out of memory.
 */
struct mark_victim {
	int pid_offset; /* of the victim, in what the event records */
	size_t count;	/* CPUs */
	struct mark_victim_ring *rings;
};

/*
 * ERROR_UNSUPPORTED where this process may not (CAP_PERFMON), is in another PID namespace than the
 * kernel's first one, or the kernel has no such event. Calls tracefs_mount().
 */
bool mark_victim_open(struct mark_victim *m, struct error *err);
void mark_victim_close(struct mark_victim *m);

/* Nothing below allocates. */

/*
 * Sleeps until somebody was chosen (true), or before that another descriptor is readable (false).
 */
bool mark_victim_await(const struct mark_victim *m, int other_fd);

/*
 * Forgets what was seen so far, and says when the process was chosen, if it was: clock_now_ns(); 0:
 * it was not.
 */
int64_t mark_victim_take(struct mark_victim *m, pid_t pid);

#endif
