/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_FLAT_KEYED_H
#define CONTEND_KERNEL_FLAT_KEYED_H

#include <stdint.h>

/*
 * The number behind a key in a file of lines "key number", which cgroup-v2.rst calls flat keyed:
 * memory.stat, memory.events, /proc/vmstat. -1: it is not there, or no number.
 */
int64_t flat_keyed_integer(const char *root, const char *path, const char *key);

#endif
