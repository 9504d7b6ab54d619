/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_MEMFD_H
#define CONTEND_KERNEL_MEMFD_H

/*
 * memfd_create() that says whether the memory may be executed, as vm.memfd_noexec=2 demands.
 * kind: MFD_NOEXEC_SEAL or MFD_EXEC (kernel/abi.h); before Linux 6.3 there were no such flags, and
 * it is made without. flags: all others. -1 with errno on failure.
 */
int memfd_make(const char *name, unsigned int kind, unsigned int flags);

#endif
