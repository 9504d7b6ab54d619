// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/setup.h"

static const struct param params[] = {
	{"numa_balancing", PARAM_CHOICE, .choices = "0|1|2|3", .help = "kernel.numa_balancing"},
	{.name = NULL},
};

static const struct knob knob = {
	.path = "/proc/sys/kernel/numa_balancing",
	.lacks = "CONFIG_NUMA_BALANCING",
};

const struct setup setup_numa_balancing = {
	.name = "numa_balancing",
	.summary = "automatic NUMA balancing",
	.params = params,
	.rank = SETUP_SYSCTL,
	.knob = &knob,
};
