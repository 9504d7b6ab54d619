// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "report/calibration.h"
#include "report/mail.h"
#include "report/quote.h"

/* What a verdict says of the calibration that stands behind it. */

enum { CHANGES_SHOWN = 3, AGE_DAYS = 30, DAY_SECONDS = 24 * 3600 };

void calibration_put_date(struct text *out, int64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_SEC);
	char stamp[32] = "?";
	struct tm utc;

	if (gmtime_r(&seconds, &utc))
		strftime(stamp, sizeof(stamp), "%Y-%m-%d", &utc);
	text_puts(out, stamp);
}

void calibration_put_ids(struct text *out, const int64_t *ids, size_t count)
{
	bool row = true;

	for (size_t i = 1; i < count; i++)
		row &= ids[i] == ids[i - 1] + 1;
	if (!count || !ids[0])
		return;
	text_printf(out, "experiment%s ", count > 1 ? "s" : "");
	if (row && count > 2) {
		text_printf(out, "%" PRId64 " .. %" PRId64, ids[0], ids[count - 1]);
		return;
	}
	for (size_t i = 0; i < count; i++)
		text_printf(out, "%s%" PRId64, i ? ", " : "", ids[i]);
}

void calibration_put_resolved(struct text *out, double effect, double pairs, int64_t ns)
{
	text_printf(out, "%.2g %% in %.0f pairs", 100 * effect, pairs);
	if (ns) {
		text_puts(out, " (");
		mail_time(out, ns);
		text_puts(out, ")");
	}
}

/* The first few of the states that changed. */
static void put_changes(struct text *out, const struct fact_changes *changes)
{
	for (size_t i = 0; i < changes->count && i < CHANGES_SHOWN; i++) {
		const struct fact_change *c = &changes->list[i];

		text_printf(out, "%s%s ", i ? "; " : "", c->key);
		fingerprint_put_value(out, c->key, c->before);
		text_puts(out, " then, now ");
		fingerprint_put_value(out, c->key, c->after);
	}
	if (changes->count > CHANGES_SHOWN)
		text_printf(out, "; %zu more", changes->count - CHANGES_SHOWN);
}

static void put_quote(const struct findings *f, const struct facts *facts, size_t subject,
		      struct text *out)
{
	struct quote q __cleanup(quote_done) = quote_find(f, &facts->machine, subject);
	const struct calibration *c = q.calibration;
	int64_t days = q.age_ns / NS_PER_SEC / DAY_SECONDS;
	struct text line __text = {0};

	if (!c)
		return;
	if (f->experiment->subject_count > 1)
		text_printf(&line, "%s: ", c->workload);
	text_puts(&line, "calibrated ");
	calibration_put_date(&line, c->made_ns);
	if (days > AGE_DAYS)
		text_printf(&line, ", %" PRId64 " days before", days);
	text_puts(&line, " (");
	calibration_put_ids(&line, c->experiments, c->experiment_count);
	text_puts(&line, ")");
	if (q.changes.count) {
		text_puts(&line, " in another state of the machine, so what it resolves now is not "
				 "known: ");
		put_changes(&line, &q.changes);
		mail_remark(out, "%s", text_string(&line));
		return;
	}
	text_puts(&line, ": this machine resolves ");
	calibration_put_resolved(&line, c->effect, c->effect_pairs, c->effect_ns);
	if (c->alpha < f->experiment->alpha || c->alpha > f->experiment->alpha)
		text_printf(&line, " at alpha %g", c->alpha);
	if (c->rejected)
		text_puts(&line, ", with an A/A that was rejected");
	if (c->check == CALIBRATION_CONTRADICTED)
		text_puts(&line, "; its known shifts contradict that");
	else if (c->check == CALIBRATION_UNCLEAR)
		text_puts(&line, "; its known shifts do not confirm that");
	mail_remark(out, "%s", text_string(&line));
}

void mail_quotes(const struct findings *f, const struct facts *facts, struct text *out)
{
	for (size_t i = 0; i < f->experiment->subject_count; i++)
		put_quote(f, facts, i, out);
}
