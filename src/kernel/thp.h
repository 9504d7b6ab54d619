/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_THP_H
#define CONTEND_KERNEL_THP_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a transparent huge page that one PMD maps; 0: this kernel has none. */
size_t thp_pmd_bytes(const char *root);

/*
 * A file of hugepages-SIZE/stats, "swpout", of all sizes added up; -1: no size has it (Linux 6.10
 * and later have swpout and swpout_fallback).
 */
int64_t thp_stat(const char *root, const char *name);

#endif
