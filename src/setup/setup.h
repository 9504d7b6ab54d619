/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_SETUP_SETUP_H
#define CONTEND_SETUP_SETUP_H

#include "model/json.h"
#include "model/param.h"

/*
 * The door for whoever adds a setup: something that changes the machine for a run. A setup has no
 * undo callback. apply() changes the machine only by way of the journal, which stores and syncs the
 * old state before each change and replays it backwards at the end, whoever died meanwhile.
 */
struct journal;

struct setup {
	const char *name;
	const char *summary;
	const struct param *params; /* ends with a NULL name */

	/* False with the reason in err where this machine cannot. */
	bool (*supported)(struct error *err);

	/* Makes the change that the values ask for; values not given change nothing. */
	bool (*apply)(struct journal *journal, const json_t *values, struct error *err);
};

/* All setups of this build; ends with NULL. */
const struct setup *const *setup_all(void);

#endif
