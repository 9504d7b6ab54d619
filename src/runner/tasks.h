/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_RUNNER_TASKS_H
#define CONTEND_RUNNER_TASKS_H

#include "runner/test.h"

/*
 * The tasks of a test case, as threads of this process or as processes that are forked from it, as
 * those of will-it-scale are: what its prepare function made is theirs.
 */

/*
 * Before anything of the test case runs: what comes by signal is waited for by this thread, and all
 * else does what it does by default, also where a sanitizer has put a handler of its own.
 */
void tasks_claim_signals(void);

/*
 * Makes them, and waits until the keeper says by SIGTERM that all is measured, and for the end of
 * those that end by themselves. False with the reason; a process of a task that ends before its
 * time ends this one, and the keeper tells (struct guest).
 */
bool tasks_perform(const struct handover *h, const struct test *test, struct error *err);

#endif
