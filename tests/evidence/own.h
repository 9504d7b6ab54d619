/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_EVIDENCE_OWN_H
#define CONTEND_TESTS_EVIDENCE_OWN_H

#include <stdint.h>

/* What the calling process has. */
enum { OWN_MAPPINGS, OWN_RSS, OWN_PAGE_TABLES, OWN_DESCRIPTORS, OWN_MAX };

/* Their names in what the programs of this folder print: rss_kib ... */
extern const char *const own_names[OWN_MAX];

/*
 * Reads them, without allocating; -1: not known. Resident is the sum over all mappings, for VmRSS
 * is not exact (Linux 6.2). The lowest descriptor that is free stands for their number.
 */
void own_read(int64_t ret_facts[OWN_MAX]);

/*
 * Leaves behind what a leak would: a mapping that is merged with none, a page of it, the page table
 * for that, and a descriptor.
 */
void own_leak(void);

#endif
