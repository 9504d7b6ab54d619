/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_CONCLUDE_H
#define CONTEND_CLI_CONCLUDE_H

#include "report/report.h"

/*
 * Prints the report of an experiment. how: the word for its end, NULL: it has none. Returns the
 * exit status that goes with it, or COMMAND_FAILED with err set.
 */
int conclude(const struct experiment *e, const struct entries *runs, const struct judgement *j,
	     const char *how, const struct report *report, struct error *err);

#endif
