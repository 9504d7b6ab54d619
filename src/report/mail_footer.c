// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "experiment/repeat.h"

/* What ends a mail: the machine, where the experiment is kept, the command that repeats it. */

/* Which experiment of whose store, when, by which version. */
static void put_origin(const struct findings *f, struct text *out)
{
	const struct experiment *e = f->experiment;
	time_t seconds = (time_t)(e->created_ns / NS_PER_SEC);
	struct text line __text = {0};
	char stamp[32] = "";
	struct tm utc;

	if (e->created_ns && gmtime_r(&seconds, &utc))
		strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M UTC", &utc);
	if (e->id)
		text_printf(&line, "experiment %" PRId64 ", ", e->id);
	if (*stamp)
		text_printf(&line, "%s, ", stamp);
	mail_remark(out, "%scontend %s; to repeat it:", text_string(&line), f->version);
}

void mail_footer(const struct findings *f, const struct facts *facts, struct text *out)
{
	const struct experiment *e = f->experiment;

	text_puts(out, "\n");
	mail_environment(f, facts, out);
	if (!e->command || !*e->command)
		return;
	put_origin(f, out);
	if (!page_command(out, e->command))
		mail_remark(out, "(bytes that are not ASCII are written \\xNN: the JSON report has "
				 "the command itself)");
	if (repeat_caveat(e))
		mail_remark(out, "%s", repeat_caveat(e));
	for (size_t i = 0; f->history && i < f->history->session_count; i++) {
		struct text change __text = {0};

		if (repeat_change(e, f->history, i, &change))
			mail_remark(out, "%s", text_string(&change));
	}
}
