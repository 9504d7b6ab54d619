/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_PROCFS_H
#define CONTEND_KERNEL_PROCFS_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Whether /proc is that of our PID namespace: in another one's /proc/PID is somebody else's
 * process.
 * False: it is not, or is not mounted (ERROR_UNSUPPORTED).
 */
bool procfs_is_ours(struct error *err);

#endif
