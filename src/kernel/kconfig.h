/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_KCONFIG_H
#define CONTEND_KERNEL_KCONFIG_H

#include "model/json.h"

/*
 * Adds how the kernel was configured, as far as it concerns memory management and locks: a fact
 * "CONFIG_NAME" each, "y", "m", a number or a text; "n" where it says that it is not set; "absent"
 * where it has no such line: not known to that kernel or architecture, or what it depends on is not
 * set, or nobody is asked about it and nothing selects it. An option that was renamed has its name
 * of today. The first of /proc/config.gz, /boot/config-RELEASE, /lib/modules/RELEASE/config that
 * can be read to its end; without one nothing is added. release may be NULL: unknown.
 */
void kconfig_describe(json_t *host, const char *root, const char *release);

#endif
