/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_MEMINFO_H
#define CONTEND_KERNEL_MEMINFO_H

#include <stdint.h>

/*
 * A line of /proc/meminfo or /proc/PID/status that has kB behind its number ("MemAvailable",
 * "VmPTE"), in bytes; -1: there is none. Both files count in KiB, whatever they say.
 */
int64_t meminfo_bytes(const char *root, const char *path, const char *field);

/*
 * What is available for new memory without swapping (MemAvailable; where it is unknown all there
 * is).
 */
int64_t meminfo_available_bytes(const char *root);

#endif
