// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

static bool render(const struct findings *f, struct text *out, struct error *err)
{
	struct facts facts __cleanup(facts_done) = facts_collect(f);

	if (f->experiment->plan == PLAN_SINGLE && f->experiment->curve_count)
		return mail_run_curve(f, &facts, out, err);
	if (f->experiment->plan == PLAN_SINGLE)
		return f->experiment->pairs > 1 ? mail_runs(f, &facts, out, err)
						: mail_run(f, &facts, out, err);
	if (!f->judgement)
		return error_set(err, ERROR_DATA, "mail report: the experiment was not judged");
	return mail_compare(f, &facts, out, err);
}

const struct report report_mail = {
	.name = "mail",
	.summary = "plain text for a mail: ASCII, 78 columns",
	.render = render,
};
