// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/setup.h"

static const struct param params[] = {
	{"min_free_kbytes", PARAM_COUNT, .high = 0x1p31, .help = "vm.min_free_kbytes"},
	{.name = NULL},
};

static const struct knob knob = {
	.path = "/proc/sys/vm/min_free_kbytes",
};

const struct setup setup_min_free_kbytes = {
	.name = "min_free_kbytes",
	.summary = "the memory that the kernel keeps free",
	.params = params,
	.rank = SETUP_SYSCTL,
	.knob = &knob,
};
