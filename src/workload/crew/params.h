/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_PARAMS_H
#define CONTEND_WORKLOAD_CREW_PARAMS_H

#include "base/cleanup.h"
#include "workload/workload.h"

/*
 * The parameters of a workload: its own, then the common ones that mean something to it and that it
 * does not declare itself. The list is the caller's, the strings are not.
 */
struct param *params_declared(const struct workload *w);

/* All values of a run as a new object of strings, those that nobody gave included. */
json_t *params_all(const struct cast *cast);

/* The number of tasks of a role; 0: it is left out. */
unsigned int cast_tasks(const struct cast *cast, const struct role *role);

/* Whether the tasks of a role are the threads of one process. */
bool cast_threads(const struct cast *cast, const struct role *role);

/* Whether the tasks of a role never look up from their loop: see role.endless. */
bool cast_endless(const struct cast *cast, const struct role *role);

/* Operations a second and task of a role; 0: closed loop. */
double cast_rate(const struct cast *cast, const struct role *role);

int cast_nice(const struct cast *cast, const struct role *role);

#endif
