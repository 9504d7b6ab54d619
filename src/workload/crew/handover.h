/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_HANDOVER_H
#define CONTEND_WORKLOAD_CREW_HANDOVER_H

#include "workload/crew/process.h"

/*
 * What the agent hands to contend-runner, as its one argument: a JSON object, which is no part of
 * the line format. Both are of one version, or the runner refuses.
 *
 *	{"version":"0.1.0","workload":"external","role":0,"params":{…},"cpus":[0,1],"threads":false,
 *	 "stage":5,"bell":4}
 *
 * `stage` and `bell` are descriptors that it inherits, bell is -1 where its tasks are minded. So a
 * machine on which external test cases run needs contend-agent, contend-runner, the libraries of
 * that one, and the file.
 */
struct handover {
	json_t *job;
	struct param *declared;
	struct cast cast;
	struct placement placement;
	struct stage_map map;
	size_t role;
	bool threads;
};

void handover_done(struct handover *h);

/* The argument for a process of a guest. Owned by the caller. */
char *handover_make(const struct process *p);

/*
 * Reads one and maps the stage. The descriptor of that is closed, whatever comes of it. False: of
 * another version, damaged, or a stage that cannot be mapped.
 */
bool handover_take(const char *text, struct handover *ret, struct error *err);

#endif
