/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_HOST_H
#define CONTEND_KERNEL_HOST_H

#include "kernel/cpu_time.h"
#include "model/json.h"

/*
 * The fingerprint of a machine: what a run has to say about where it ran, as a JSON object of
 * strings and numbers. model/fingerprint.c lists the facts, docs/wire.md describes them. What
 * cannot be read is left out: absent means unknown.
 */
json_t *host_describe(const char *root);

/*
 * Adds what only the time of a run shows, between two readings of CPU time: steal_ratio. Nothing
 * where it is not known (cpu_time_steal_ratio()).
 */
void host_add_run(json_t *host, const struct cpu_time *before, const struct cpu_time *after);

/* The parts of host_describe(), each in a file of its own. */
void host_add_cpus(json_t *host, const char *root);   /* cpu.c */
void host_add_mm(json_t *host, const char *root);     /* mm.c */
void host_add_access(json_t *host, const char *root); /* access.c */

#endif
