/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_HOST_H
#define CONTEND_KERNEL_HOST_H

#include "model/json.h"

/*
 * What a run has to say about the machine under test, as a JSON object of strings and numbers:
 * kernel (release), version, machine, cpus_online, cpus_allowed, cpu_model, hypervisor ("none",
 * "KVM", …), memory_bytes, page_bytes, clocksource, thp, load1. What cannot be read is left out: absent
 * means unknown.
 */
json_t *host_describe(const char *root);

#endif
