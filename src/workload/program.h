/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_PROGRAM_H
#define CONTEND_WORKLOAD_PROGRAM_H

#include <stdbool.h>

#include "base/error.h"

/*
 * The smallest static program, for workloads that execute one: its first instructions are
 * exit_group(0). It has one page of text, a stack, and no data, library, interpreter or relocation.
 * It is part of the agent, so that it needs no file system: it lies in a memfd, whose pages the
 * kernel maps as those of any file in tmpfs.
 */

/*
 * Writes the program into a new memfd. *ret_fd is close-on-exec and for program_become(). False
 * with ERROR_UNSUPPORTED where this build has none for the machine, or the kernel forbids it.
 */
bool program_open(int *ret_fd, struct error *err);

/*
 * execveat(): returns only when that failed, with errno. Calls nothing else, so it may follow
 * vfork.
 */
void program_become(int fd);

#endif
