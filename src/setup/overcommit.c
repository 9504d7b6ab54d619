// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/setup.h"

static const struct param params[] = {
	{"overcommit", PARAM_CHOICE, .choices = "0|1|2",
	 .help = "vm.overcommit_memory: by a guess, always, never beyond CommitLimit"},
	{.name = NULL},
};

static const struct knob knob = {
	.path = "/proc/sys/vm/overcommit_memory",
};

const struct setup setup_overcommit = {
	.name = "overcommit",
	.summary = "how much address space the kernel promises",
	.params = params,
	.rank = SETUP_SYSCTL,
	.knob = &knob,
};
