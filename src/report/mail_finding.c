// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "report/mail.h"

/* The first lines of a comparison of one workload: what was found, a sentence for each arm. */

static const char *const finding_texts[] = {
	[FINDING_REGRESSED] = "regressed",
	[FINDING_CRASHES] = "CRASHES",
	[FINDING_IMPROVED] = "improved",
	[FINDING_CLEARED] = "cleared",
	[FINDING_UNDECIDED] = "undecided",
	[FINDING_NONE] = "not judged",
	[FINDING_IMPOSSIBLE] = "not possible",
};

/* "writer call p99 -99.9% (-99.9 .. -99.1)" */
static void put_primary(const struct metric_verdict *v, struct text *line)
{
	char *label __free(memory) = facts_label(v->metric);
	struct mail_row row = mail_row(v);

	text_printf(line, ": %s", label);
	if (!v->pairs || metric_is_scarce(v))
		return;
	text_puts(line, " ");
	change_print(line, &row.change, v->estimate);
	text_puts(line, " (");
	change_print_bound(line, &row.change, v->interval.low);
	text_puts(line, " .. ");
	change_print_bound(line, &row.change, v->interval.high);
	text_puts(line, ")");
	if (v->verdict != VERDICT_UNDECIDED || v->more_pairs <= 0)
		return;
	if (v->more_pairs > MORE_PAIRS_MAX)
		text_printf(line, ", over %d more pairs needed", MORE_PAIRS_MAX);
	else
		text_printf(line, ", %" PRId64 " more pair%s needed", v->more_pairs,
			    v->more_pairs == 1 ? "" : "s");
}

static void put_comparison(const struct findings *f, const struct comparison *c, struct text *out)
{
	const struct metric_verdict *v = &c->metrics[0];
	enum finding finding = comparison_finding(c);
	bool several_arms = f->experiment->arm_count > 2;
	bool alarm = finding == FINDING_REGRESSED || finding == FINDING_IMPROVED;
	struct text line __text = {0};

	text_printf(&line, "%s: ", c->subject->description->name);
	if (c->aa)
		text_puts(&line, alarm ? "FALSE ALARM (A/A): " : "A/A: ");
	if (several_arms || finding == FINDING_CRASHES)
		text_printf(&line, "%s ", arm_words[c->arm]);
	text_puts(&line, finding_texts[finding]);
	if (finding == FINDING_CLEARED && v->worse)
		text_puts(&line, ", worse within the margin");
	if (finding != FINDING_CRASHES && finding != FINDING_IMPOSSIBLE)
		put_primary(v, &line);
	mail_remark(out, "%s", text_string(&line));
}

void mail_finding(const struct findings *f, struct text *out)
{
	for (size_t i = 0; i < f->judgement->comparison_count; i++)
		put_comparison(f, &f->judgement->comparisons[i], out);
}
