/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_ZRAM_H
#define CONTEND_KERNEL_ZRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The devices of zram, /sys/block/zramN (Documentation/admin-guide/blockdev/zram.rst). */

/* The device with the next higher number; before the first is -1, as is behind the last. */
int zram_next(const char *root, int number);

bool zram_exists(const char *root, int number);

/* True when it has no size, so that nobody uses it. */
bool zram_is_free(const char *root, int number);

/* "/sys/block/zramN/file"; owned by the caller. */
char *zram_path(int number, const char *file);

/* Makes a device (Linux 4.2); needs /sys/class/zram-control, which is there with the module. */
bool zram_add(const char *root, int *ret_number, struct error *err);
bool zram_remove(const char *root, int number, struct error *err);

/*
 * What all devices that are in use hold together, in bytes: "orig_data_size", "compr_data_size" or
 * "mem_used_total" of mm_stat. -1: none is in use, or the word is another one.
 */
int64_t zram_stat(const char *root, const char *word);

/* Gives back all its memory and its size. EBUSY while somebody has it open, as swap for one. */
bool zram_reset(const char *root, int number, struct error *err);

#endif
