/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_ASLR_H
#define CONTEND_KERNEL_ASLR_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Whether the kernel chooses the addresses of a program's stack, mappings, vdso and break at
 * random: decided when it is executed, by its personality (ADDR_NO_RANDOMIZE) and
 * kernel.randomize_va_space, and handed down to what it forks and executes.
 */

/*
 * This process's personality forbids it. True also where somebody else (setarch -R) has seen to it.
 */
bool aslr_is_forbidden(void);

/* For the programs that this process executes from now on; it keeps its own addresses. */
bool aslr_forbid(struct error *err);

/*
 * What /proc/PID/personality said before, of a program that was executed for that; owned by the
 * caller.
 */
char *aslr_personality_before(void);

#endif
