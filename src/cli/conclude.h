/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_CONCLUDE_H
#define CONTEND_CLI_CONCLUDE_H

#include "cli/options.h"
#include "lab/lab.h"

/*
 * Prints the report of an experiment as it stands, or as it ended. Returns the exit status that
 * goes with it, or COMMAND_FAILED with err set. store: what it is in, whose calibrations are
 * quoted. c: how it is shown.
 */
int conclude(const struct lab_case *held, const struct judgement *j, struct store *store,
	     const struct common *c, struct error *err);

#endif
