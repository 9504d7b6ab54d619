// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"

/* What happened to an experiment beside its runs: looks, takings-up, and how it can go on. */

static void put_level(struct text *out, double ratio)
{
	text_printf(out, "%.2g %%", 100 * ratio);
}

/* "E 33.6", or "p 0.0312". */
static void put_finding(struct text *out, const struct look *l)
{
	struct text p __text = {0};

	if (!isnan(l->evidence)) {
		text_printf(out, "E %.3g", l->evidence);
		return;
	}
	probability_print(&p, l->p);
	text_printf(out, "p %s", text_string(&p));
}

/*
 * Looks after every pair are as good as their number; those with a level of their own are listed.
 */
void mail_looks(const struct findings *f, const struct comparison *c, struct text *out)
{
	const struct history *h = f->history;
	const struct look *first = NULL, *last = NULL;
	struct text line __text = {0};
	size_t count = 0;

	for (size_t i = 0; h && i < h->look_count; i++) {
		if (h->looks[i].subject != c->index || h->looks[i].arm != c->arm)
			continue;
		last = &h->looks[i];
		first = count++ ? first : last;
	}
	if (!count || (count == 1 && !experiment_takes_looks(f->experiment)))
		return;
	if (!experiment_takes_looks(f->experiment)) {
		text_printf(&line, "looks: %zu, ", count);
		for (const struct look *l = first; l <= last; l++) {
			text_printf(&line, "%safter %" PRId64 " pairs at ", l == first ? "" : "; ",
				    l->pairs);
			put_level(&line, l->level);
			text_puts(&line, ": ");
			put_finding(&line, l);
			text_printf(&line, ", %s", l->verdict);
		}
	} else {
		if (first == last)
			text_printf(&line, "judged after pair %" PRId64, last->pairs);
		else if (last->pairs - first->pairs + 1 == (int64_t)count)
			text_printf(&line, "judged after pairs %" PRId64 " .. %" PRId64,
				    first->pairs, last->pairs);
		else
			text_printf(&line,
				    "judged %zu times between pairs %" PRId64 " and %" PRId64,
				    count, first->pairs, last->pairs);
		text_puts(&line, "; the last: ");
		put_finding(&line, last);
	}
	mail_remark(out, "%s", text_string(&line));
}

static void put_sessions(const struct findings *f, struct text *out)
{
	const struct history *h = f->history;
	const struct session *last;
	struct text line __text = {0};
	char stamp[32] = "?";
	struct tm utc;
	time_t seconds;

	if (!h || h->session_count < 2)
		return;
	last = &h->sessions[h->session_count - 1];
	seconds = (time_t)(last->began_ns / NS_PER_SEC);
	if (gmtime_r(&seconds, &utc))
		strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M UTC", &utc);
	text_puts(&line, "taken up again");
	if (h->session_count > 2)
		text_printf(&line, " %zu times, the last time", h->session_count - 1);
	text_printf(&line, " %s by contend %s", stamp, last->version);
	if (last->budget_ns && last->budget_ns != h->sessions[0].budget_ns) {
		text_puts(&line, ", with a budget of ");
		mail_time(&line, last->budget_ns);
	} else if (last->pairs != h->sessions[0].pairs) {
		text_printf(&line, ", with --%spairs %" PRId64 " instead of %" PRId64,
			    f->experiment->plan == PLAN_DECIDED ? "max-" : "", last->pairs,
			    h->sessions[0].pairs);
	}
	mail_remark(out, "%s", text_string(&line));
}

static bool is_word(const char *word, const char *of)
{
	return word && text_equal(word, of);
}

/* pairs: 0: as planned. */
static void put_command(const struct findings *f, int64_t pairs, struct text *out)
{
	struct text line __text = {0};

	if (f->take_up)
		text_puts(&line, f->take_up);
	else
		text_printf(&line, "contend ab --resume %" PRId64, f->experiment->id);
	if (pairs)
		text_printf(&line, " --pairs %" PRId64, pairs);
	page_command(out, text_string(&line));
}

static void put_ways_on(const struct findings *f, struct text *out)
{
	const struct experiment *e = f->experiment;
	const struct judgement *j = f->judgement;
	int64_t pairs = 0;

	if (!e->id || !j || is_word(f->end, "decided") || is_word(f->end, "futile") ||
	    is_word(f->end, "planned end"))
		return;
	for (size_t i = 0; i < j->comparison_count; i++) {
		int64_t own = (int64_t)(j->comparisons[i].pairs + j->comparisons[i].dropped);

		pairs = own > pairs ? own : pairs;
	}
	text_puts(out, "\n");
	if (!f->end)
		mail_remark(out, "unless it is running still, to go on:");
	else
		mail_remark(out, "to go on%s:",
			    is_word(f->end, "gave up") ? " when that has been mended" : "");
	put_command(f, 0, out);
	if (!j->blind || !pairs)
		return;
	mail_remark(out, "to end it with the pairs that it has, and see what came of them:");
	put_command(f, pairs, out);
}

void mail_history(const struct findings *f, const struct facts *facts, struct text *out)
{
	if (facts->set_aside)
		mail_remark(out,
			    "%zu run%s of a pair that was cut %s set aside: the pair was run again",
			    facts->set_aside, facts->set_aside == 1 ? "" : "s",
			    facts->set_aside == 1 ? "was" : "were");
	put_sessions(f, out);
	put_ways_on(f, out);
}
