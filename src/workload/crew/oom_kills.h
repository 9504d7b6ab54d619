/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_OOM_KILLS_H
#define CONTEND_WORKLOAD_CREW_OOM_KILLS_H

#include "workload/workload.h"

/* How often the OOM killer has killed; -1: not known. */
struct oom_kills {
	int64_t group; /* in the memory cgroup of the tasks */
	int64_t machine;
};

struct oom_kills oom_kills_read(const struct cast *cast);

/*
 * Says that it has killed since, how often and where; NULL: it has not, or that is not known. Owned
 * by the caller.
 */
char *oom_kills_since(const struct oom_kills *before, const struct cast *cast);

#endif
