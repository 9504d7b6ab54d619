/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_THP_H
#define CONTEND_KERNEL_THP_H

#include <stddef.h>

/* Bytes of a transparent huge page that one PMD maps; 0: this kernel has none. */
size_t thp_pmd_bytes(const char *root);

#endif
