/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_COMMAND_H
#define CONTEND_EXPERIMENT_COMMAND_H

#include "base/text.h"
#include "experiment/request.h"

/*
 * The command that a workload executes (PARAM_COMMAND). Its words are kept as they were given, and
 * what {key} stands for beside them: whatever is no parameter of the workload becomes one, of type
 * PARAM_WORD, in the description that the experiment keeps. So it is checked, compared, stored and
 * repeated like any other.
 */

/* The parameter of a workload that is a command; NULL: it has none. */
const struct param *command_param(const struct description *d);

/*
 * The description of a workload for an experiment, a new reference: with the keys of the command,
 * and the figures that are asked for by PARAM_METRIC, as metrics. The same description where there
 * are none; those of another experiment are left out. False where a word or a figure cannot be
 * (ERROR_USAGE); *ret_place: what is to blame.
 */
bool command_describe(const struct request *r, const struct description *d, json_t **ret_object,
		      struct place *ret_place, struct error *err);

/*
 * The parameters of an arm for the agent, a new object: with the command as it is executed, and
 * without what its keys stand for. False where one has no value.
 */
bool command_params(const struct subject *s, int arm, json_t **ret_params, struct error *err);

/* Appends the words of a command, each quoted where a shell demands it, with a blank before it. */
void command_quote(struct text *out, const char *command);

#endif
