/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_CONCLUDE_H
#define CONTEND_CLI_CONCLUDE_H

#include "lab/lab.h"
#include "report/report.h"

/*
 * Prints the report of an experiment as it stands, or as it ended. Returns the exit status that goes
 * with it, or COMMAND_FAILED with err set.
 */
int conclude(const struct lab_case *held, const struct judgement *j, const struct report *report,
	     struct error *err);

#endif
