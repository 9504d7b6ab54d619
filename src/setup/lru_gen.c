// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/setup.h"

static const struct param params[] = {
	{"lru_gen", PARAM_SWITCH,
	 .help = "the multi-gen LRU with all its parts, or the active and inactive lists"},
	{.name = NULL},
};

static const struct knob knob = {
	.path = "/sys/kernel/mm/lru_gen/enabled",
	.lacks = "CONFIG_LRU_GEN",
	.yes = "y",
	.no = "n",
};

const struct setup setup_lru_gen = {
	.name = "lru_gen",
	.summary = "which LRU lists reclaim goes by",
	.params = params,
	.rank = SETUP_PAGES,
	.knob = &knob,
};
