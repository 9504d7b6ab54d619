/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_TASK_USAGE_H
#define CONTEND_KERNEL_TASK_USAGE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * What a thread has used, read from outside of it: /proc/PID/task/TID. The CPU time there is what
 * the scheduler accounted when the thread last left its CPU, or at the last tick (up to 10 ms ago):
 * it is exact for a reader who is on the same CPU, and therefore keeps the thread off it.
 */
struct task_usage {
	int64_t cpu_ns;
	int64_t run_delay_ns; /* runnable, and not on a CPU */
	int64_t voluntary_switches;
	int64_t involuntary_switches;
	int64_t minor_faults;
	int64_t major_faults;
	int cpu; /* where it is, or was last */
};

/* The files of a thread, kept open. -1: none. */
struct task_usage_files {
	int schedstat;
	int stat;
	int status;
};

#define TASK_USAGE_FILES_NONE                                                                      \
	{                                                                                          \
		.schedstat = -1, .stat = -1, .status = -1                                          \
	}

/* tid: of a thread of any process of ours, in our PID namespace (procfs_is_ours()). */
bool task_usage_open(pid_t tid, struct task_usage_files *ret, struct error *err);
void task_usage_close(struct task_usage_files *f);

/* Nothing here allocates. False with errno: the thread has ended. */
bool task_usage_read(const struct task_usage_files *f, struct task_usage *ret);

/* Only the two times of it, in one system call. */
bool task_usage_read_times(const struct task_usage_files *f, struct task_usage *ret);

/* What the text of /proc/PID/task/TID/stat and status say. False where they do not. */
bool task_usage_parse_stat(const char *text, struct task_usage *ret);
bool task_usage_parse_status(const char *text, struct task_usage *ret);

/*
 * False (ERROR_UNSUPPORTED) where this kernel tells nobody of the CPU time of another thread: it
 * has no CONFIG_SCHED_INFO.
 */
bool task_usage_supported(struct error *err);

#endif
