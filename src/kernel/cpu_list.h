/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_CPU_LIST_H
#define CONTEND_KERNEL_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

/*
 * More CPUs than any kernel is built for (x86-64: 8192): a longer list is damaged, not a machine.
 */
enum { CPU_LIST_LIMIT = 1 << 16 };

/* Numbers of CPUs. {0} has none. */
struct cpu_list {
	bool *has; /* by number; use cpu_list_has() */
	size_t room;
};

void cpu_list_done(struct cpu_list *l);

#define __cpu_list __cleanup(cpu_list_done)

bool cpu_list_has(const struct cpu_list *l, size_t number);
void cpu_list_add(struct cpu_list *l, size_t number);

/*
 * Adds those of a list in the kernel's format, as bitmap_print_to_pagebuf() writes it: "0-3,8";
 * empty: none. ERROR_DATA where it is no such list; some of it may have been added by then.
 */
bool cpu_list_parse(struct cpu_list *l, const char *text, struct error *err);

#endif
