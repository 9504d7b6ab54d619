/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_EVIDENCE_OWN_H
#define CONTEND_TESTS_EVIDENCE_OWN_H

#include <stdint.h>

/* What the calling process has. */
enum { OWN_MAPPINGS, OWN_RSS, OWN_PAGE_TABLES, OWN_HEAP, OWN_DESCRIPTORS, OWN_MAX };

/* Their names in what the programs of this folder print: rss_kib ... */
extern const char *const own_names[OWN_MAX];

/*
 * Reads them, without allocating; -1: not known. Resident is the sum over all mappings, for VmRSS
 * is not exact (Linux 6.2). The heap is what malloc() has given out, in all arenas. The lowest
 * descriptor that is free stands for their number.
 */
void own_read(int64_t ret_facts[OWN_MAX]);

/*
 * Leaves behind what a leak would, some of each: mappings that are merged with none, pages of them,
 * page tables for these, heap, descriptors.
 */
void own_leak(void);

#endif
