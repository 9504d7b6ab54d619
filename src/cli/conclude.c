// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/conclude.h"

#include "cli/command.h"
#include "cli/output.h"
#include "judge/arm.h"
#include "lab/lab.h"

static int status_of(const struct experiment *e, const struct entries *runs,
		     const struct judgement *j, const char *how)
{
	struct arm_description *d __free(arm_description) = NULL;

	if (!how || text_equal(how, lab_end_words[LAB_INTERRUPTED]))
		return STATUS_INTERRUPTED;
	if (j)
		return judgement_status(j, e->strict);
	d = arm_describe(e, runs, 0);
	return arm_status(d);
}

int conclude(const struct lab_case *held, const struct judgement *j, const struct report *report,
	     struct error *err)
{
	struct text out __text = {0};
	struct findings findings = {
		.experiment = held->experiment,
		.runs = &held->runs,
		.judgement = j,
		.history = &held->history,
		.end = held->history.how,
		.version = CONTEND_VERSION,
		.status = status_of(held->experiment, &held->runs, j, held->history.how),
	};

	if (!report->render(&findings, &out, err))
		return COMMAND_FAILED;
	if (output_text(&out, err))
		return findings.status;
	/* Its terminal has hung up: the store has what it would have printed. */
	if (findings.status == STATUS_INTERRUPTED)
		err->code = ERROR_INTERRUPTED;
	return COMMAND_FAILED;
}
