/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_TRACEFS_H
#define CONTEND_KERNEL_TRACEFS_H

#include <stdint.h>

#include "base/error.h"

/* The kernel's tracepoints, as tracefs has them below /sys/kernel/tracing. */

/*
 * Makes tracefs readable for this process and what it forks, in a mount namespace of its own, where
 * the machine has not mounted it. False (ERROR_UNSUPPORTED) where neither is possible.
 */
bool tracefs_mount(struct error *err);

/* The number by which perf_event_open() knows an event; -1: this kernel does not have it. */
int64_t tracefs_event_id(const char *system, const char *event);

/* Where a field lies in what the event records, in bytes; -1: it has none of that name. */
int tracefs_field_offset(const char *system, const char *event, const char *field);

#endif
