/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_MACHINE_H
#define CONTEND_WORKLOAD_CREW_MACHINE_H

#include "model/json.h"
#include "workload/workload.h"

enum { MACHINE_MAX = 16 }; /* counters of a workload */

/*
 * What a workload wants of the machine's counters (struct machine_counter): read from just before
 * the windows open until just after they close, where the tasks count nothing.
 */
struct machine {
	const struct machine_counter *counters;		 /* NULL: none */
	const char *root;				 /* "", or the folder of a fake tree */
	const char *group;				 /* the run's memory cgroup; NULL: none */
	int64_t begin_ns, end_ns;			 /* clock_now_ns() */
	int64_t before[MACHINE_MAX], after[MACHINE_MAX]; /* -1: this kernel has none */
	bool of_group[MACHINE_MAX];
};

/* Borrows all of it. */
void machine_init(struct machine *m, const char *root, const char *group,
		  const struct machine_counter *counters);
void machine_begin(struct machine *m);
void machine_end(struct machine *m);

/* Sets "machine" in a record; nothing where it was not read twice. */
void machine_record(const struct machine *m, json_t *record);

#endif
