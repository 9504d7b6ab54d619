// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/setup.h"

static const struct param params[] = {
	{"zswap", PARAM_SWITCH,
	 .help = "pages are compressed into memory before they go to a swap area"},
	{.name = NULL},
};

static const struct knob knob = {
	.path = "/sys/module/zswap/parameters/enabled",
	.lacks = "CONFIG_ZSWAP",
	.yes = "Y",
	.no = "N",
};

const struct setup setup_zswap = {
	.name = "zswap",
	.summary = "the compressed cache in front of swap",
	.params = params,
	.rank = SETUP_SWAP,
	.knob = &knob,
};
