/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_EVIDENCE_TRACEPOINT_H
#define CONTEND_TESTS_EVIDENCE_TRACEPOINT_H

#include <stdint.h>

#include "base/error.h"

enum { TRACEPOINT_NAME = 64, TRACEPOINT_FILTER = 96 };

/* An event that the kernel counts for a task and for what it creates. */
struct tracepoint {
	uint32_t type; /* PERF_TYPE_... */
	uint64_t id;   /* its config */
	char filter[TRACEPOINT_FILTER];
	/*
	 * Counted on all CPUs for tasks of a name. An event that belongs to a task ends before its
	 * exit_mm() (Linux 6.16; perf_event_exit_task() came later before): it does not see how the
	 * address space goes.
	 */
	bool by_name;
};

/*
 * Finds an event: one of the short names of tracepoint.c ("lock_write"), or "SYSTEM:EVENT" with
 * "{FILTER}" behind it, and with "@" in front where it is counted by name. ERROR_UNSUPPORTED: this
 * kernel does not have it.
 */
bool tracepoint_find(const char *words, struct tracepoint *ret, struct error *err);

/*
 * Counts the event for the calling thread and all threads and processes that it makes from now on;
 * disabled until PERF_EVENT_IOC_ENABLE. The descriptor is the caller's.
 */
bool tracepoint_open(const struct tracepoint *t, int *ret_fd, struct error *err);

/* Counts one that is counted by name for what runs under it on a CPU, from now on. */
bool tracepoint_open_named(const struct tracepoint *t, const char *name, int cpu, int *ret_fd,
			   struct error *err);

#endif
