/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_HYPERVISOR_H
#define CONTEND_KERNEL_HYPERVISOR_H

/*
 * Under what the machine runs: "none" on bare metal, "KVM", "QEMU TCG", "Xen" …; NULL: unknown. Owned
 * by the caller.
 */
char *hypervisor_name(const char *root);

#endif
