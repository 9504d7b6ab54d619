/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_CHILD_H
#define CONTEND_BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * A child process: known by its pidfd, in a process group of its own, never a shell. A forked one
 * is killed by the kernel when the thread that forked it ends (PR_SET_PDEATHSIG); a started program
 * sees the end of its input then, and may have to put something in order before it goes.
 */
struct child {
	pid_t pid;  /* 0: none */
	int pidfd;  /* -1: none; readable when the child has ended */
	int input;  /* our end of its standard input, -1: none */
	int output; /* our end of its standard output, -1: none */
};

#define CHILD_NONE                                                                                 \
	{                                                                                          \
		.pid = 0, .pidfd = -1, .input = -1, .output = -1                                   \
	}

/*
 * Forks. Returns 0 in the child, 1 in the parent, -1 with err set on failure (in the parent). The
 * child has default signal handlers and mask, and is dead already if its parent is.
 */
int child_fork(struct child *ret_child, struct error *err);

/*
 * Starts a program with its standard input and output connected to pipes (ours are close-on-exec
 * and non-blocking for output); standard error is shared. A program that cannot be executed is an
 * error here, not an exit status.
 */
bool child_start(struct child *ret_child, char *const argv[], struct error *err);

/*
 * Waits until the child has ended, at most until deadline_ns (clock_now_ns(); 0: do not wait).
 * Returns true and its wait status, false when it still runs. Reaps it: pid is 0 afterwards.
 */
bool child_reap(struct child *c, int64_t deadline_ns, int *ret_status);

/* Kills the child's process group and reaps the child; closes the descriptors. Idempotent. */
void child_done(struct child *c);

/*
 * Reaps whatever has ended and is no struct child: when its own parent dies a process falls to PID
 * 1, which this program may be, or to a subreaper. Does nothing while there is a struct child that
 * has not been reaped, whose status it might take.
 */
void child_reap_strays(void);

/* Words for a wait status: "exit status 3", "killed by SIGSEGV". Borrowed, static per thread. */
const char *child_status_text(int status);

#endif
