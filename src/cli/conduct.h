/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_CONDUCT_H
#define CONTEND_CLI_CONDUCT_H

#include "cli/options.h"
#include "experiment/request.h"
#include "model/experiment.h"
#include "store/store.h"

/* The store that the options name. Owned by the caller. */
bool conduct_store(const struct common *c, bool create, struct store **ret_store,
		   struct error *err);

/*
 * Does an experiment from the request to the report: plan, margin and alpha of e are set, the rest
 * is filled in. Returns the exit status, or COMMAND_FAILED with err set.
 */
int conduct(struct experiment *e, const struct request *request, const struct common *c,
	    struct error *err);

#endif
