/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_OFFSPRING_H
#define CONTEND_WORKLOAD_CREW_OFFSPRING_H

#include <sys/resource.h>
#include <sys/types.h>

#include "workload/workload.h"

/*
 * A child that a task forks in its loop, and that is gone before the loop goes on. It is no worker:
 * it stays in the process group of its parent, with whom it is killed, and on its parent's CPU
 * unless it leaves that.
 * Nothing here allocates or knows an error object, so all of it may be called in a loop; what fails
 * leaves its reason in errno.
 *
 * A role that has children is ROLE_PROCESSES: a fork copies the mm of all threads, and
 * PR_SET_PDEATHSIG goes by the thread that forked.
 */
struct offspring {
	pid_t pid; /* 0: none */
	int pidfd;
};

enum { OFFSPRING_MAX = 256 }; /* of a task at once */

/*
 * Once before the first fork, in prepare(): keeps what the crew records into out of the children's
 * mm, where it would be torn down with what is measured. They must not touch w->tally, w->shared
 * or a series, then.
 */
bool offspring_prepare(const struct worker *w, struct error *err);

/*
 * Forks. Returns 0 in the child, 1 in the parent, -1 on failure. The child dies with its parent,
 * however that ends, and is dead already if its parent is. It has the descriptors of its parent.
 */
int offspring_fork(struct offspring *ret);

/* For supported(): on how many CPUs tasks and their children can be. 0: not known. */
size_t offspring_cpus(void);

/*
 * In the child: goes to the CPU that is so many behind its parent's, in the order in which tasks
 * are placed; 0 is the parent's. False with errno.
 */
bool offspring_move(const struct worker *w, unsigned int steps);

/* Sleeps until the child has ended (true), or before that another descriptor is readable (false);
 * -1: none. */
bool offspring_await(const struct offspring *o, int other_fd);

/*
 * Sleeps until one of several children has ended: its index. Those that were reaped do not count.
 */
size_t offspring_await_any(const struct offspring *o, size_t count);

/*
 * Reaps a child that has ended or is about to, and closes its pidfd afterwards: *ret_reaped_ns is
 * the moment between the two. True if it ended with exit status 0, or, where killed is set, by
 * SIGKILL. Otherwise errno is what worker_fail() takes: `reason` if not 0 where it exited, the
 * negative number of the signal where it was killed.
 */
bool offspring_reap(struct offspring *o, bool killed, int reason, int64_t *ret_reaped_ns,
		    struct rusage *ret_usage);

/* Sends SIGKILL. */
bool offspring_kill(const struct offspring *o);

/*
 * Waits until a process or thread sleeps in a system call that a signal interrupts. False: it has
 * ended, or has not come to it in 10 s. Only where procfs_is_ours().
 */
bool offspring_await_sleep(pid_t task);

/*
 * For role.note(): says so where children took much longer than the CPU time that was used for
 * them.
 * what: the series whose mean it is. Nothing where either is 0, not known.
 */
void offspring_tell_waiting(const char *what, double mean_ns, double cpu_ns, struct text *note);

/*
 * Waits for a child that ends by itself at once and needs no struct offspring, and reaps it. False
 * where it did not exit with 0: errno is its exit status, or the negative number of the signal.
 */
bool offspring_wait(pid_t pid, struct rusage *ret_usage);

/* CPU time in what wait4() tells of a child, in whole us each of user and system. */
int64_t offspring_used_ns(const struct rusage *usage);

/* CPU time that all threads of the child have used; -1: unknown. */
int64_t offspring_cpu_ns(const struct offspring *o);

#endif
