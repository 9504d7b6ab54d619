// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/conclude.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/shell.h"
#include "cli/command.h"
#include "cli/output.h"
#include "experiment/repeat.h"
#include "judge/arm.h"
#include "lab/lab.h"

static int status_of(const struct experiment *e, const struct entries *runs,
		     const struct judgement *j, const char *how)
{
	int status = STATUS_OK;

	if (!how || text_equal(how, lab_end_words[LAB_INTERRUPTED]))
		return STATUS_INTERRUPTED;
	if (j)
		return judgement_status(j, e->strict);
	for (size_t i = 0; i < e->subject_count && status == STATUS_OK; i++) {
		struct arm_description *d __free(arm_description) = arm_describe(e, runs, i);

		status = arm_status(d);
	}
	return status;
}

/* Whoever pastes it must come to the same store. */
static char *take_up_command(const struct experiment *e, const char *store)
{
	struct text out = {0};

	text_printf(&out, "contend ab --resume %" PRId64, e->id);
	if (store) {
		text_puts(&out, " --store");
		shell_put_word(&out, store);
	}
	return text_take(&out);
}

int conclude(const struct lab_case *held, const struct judgement *j, struct store *store,
	     const struct common *c, struct error *err)
{
	struct calibrations calibrations __cleanup(calibrations_done) = {0};
	struct text out __text = {0};
	char *take_up __free(memory) = take_up_command(held->experiment, c->store);
	struct findings findings = {
		.experiment = held->experiment,
		.runs = &held->runs,
		.judgement = j,
		.history = &held->history,
		.calibrations = &calibrations,
		.end = held->history.how,
		.version = CONTEND_VERSION,
		.take_up = take_up,
		.status = status_of(held->experiment, &held->runs, j, held->history.how),
	};

	if (!store_read_calibrations(store, &calibrations, err) ||
	    !c->report->render(&findings, &out, err))
		return COMMAND_FAILED;
	if (output_text(&out, err))
		return findings.status;
	/* Its terminal has hung up: the store has what it would have printed. */
	if (findings.status == STATUS_INTERRUPTED)
		err->code = ERROR_INTERRUPTED;
	return COMMAND_FAILED;
}
