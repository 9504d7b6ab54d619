/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_MAPS_H
#define CONTEND_KERNEL_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* The files below /proc/PID that tell of its mappings, read as a monitoring program does. */
enum { MAPS_BUFFER_BYTES = 64 << 10 };

struct maps {
	char path[64];
	bool query; /* not by reading, but mapping by mapping with the PROCMAP_QUERY ioctl */
	char buffer[MAPS_BUFFER_BYTES];
};

/* file: a name below /proc/PID ("smaps"), or "query". Allocates nothing, here and below. */
void maps_init(struct maps *m, pid_t pid, const char *file);

/* False (ERROR_UNSUPPORTED) where this kernel has no such file or ioctl. */
bool maps_supported(const char *file, struct error *err);

/*
 * One scan: opens the file, reads it to the end, closes it. Returns the bytes that came (for "query"
 * those of the answers), 0 with errno ESRCH where the process has no mappings any more, -1 with
 * errno on failure.
 */
int64_t maps_scan(struct maps *m);

/*
 * A scan that counts the mappings shown: one by one in maps, smaps, numa_maps and "query"; of other
 * files the figure says nothing. -1 with err set on failure.
 */
int64_t maps_count(struct maps *m, struct error *err);

/* Addresses of a mapping, from the first byte to behind the last one. */
struct maps_range {
	uintptr_t low, high;
};

/* The mapping of this process in which an address lies; ERROR_DATA where there is none. */
bool maps_find(uintptr_t address, struct maps_range *ret, struct error *err);

#endif
