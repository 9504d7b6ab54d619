// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/setup.h"

static const struct param params[] = {
	{"ksm", PARAM_SWITCH, .help = "ksmd runs, or has stopped; what it has merged stays merged"},
	{.name = NULL},
};

/* Not 2, which unmerges: that could not be undone. */
static const struct knob knob = {
	.path = "/sys/kernel/mm/ksm/run",
	.lacks = "CONFIG_KSM",
	.yes = "1",
	.no = "0",
};

const struct setup setup_ksm = {
	.name = "ksm",
	.summary = "same-page merging",
	.params = params,
	.rank = SETUP_PAGES,
	.knob = &knob,
};
