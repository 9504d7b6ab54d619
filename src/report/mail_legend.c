// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/block.h"

/* True when a row of the table has that verdict. */
static bool any_verdict(const struct block *b, enum verdict verdict)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		if (block_has_row(&b->v->metrics[i]) && b->v->metrics[i].verdict == verdict)
			return true;
	}
	return false;
}

static bool any_worse(const struct block *b)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		if (b->v->metrics[i].worse)
			return true;
	}
	return false;
}

static bool any_more_pairs(const struct block *b)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];

		if (block_has_row(v) && v->verdict == VERDICT_UNDECIDED && v->more_pairs > 0)
			return true;
	}
	return false;
}

static bool wants_more(const struct metric_verdict *v)
{
	return v->metric->better == BETTER_HIGHER;
}

static bool is_difference(const struct metric_verdict *v)
{
	return v->pairs && v->scale == SCALE_DIFFERENCE;
}

/* How the metrics that are not primary, which are one family, are kept together. */
static void put_correction(const struct block *b, struct text *out)
{
	for (size_t i = 1; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];

		if (v->correction == CORRECTION_NONE)
			continue;
		text_printf(out,
			    "; the others corrected %sfor %zu comparisons (verdicts by %s, "
			    "intervals not)",
			    v->correction == CORRECTION_MAX_T ? "jointly " : "", v->comparisons,
			    v->correction == CORRECTION_MAX_T ? "max-T" : "Holm");
		return;
	}
}

void block_put_unreachable(const struct block *b, struct text *out)
{
	struct mail_family others = {.who = "secondary", .alpha = b->f->experiment->alpha};

	/* In an extension they are tested by another rule. */
	if (b->j->first_end)
		return;
	for (size_t i = 1; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];

		if (!v->comparisons || v->rule != RULE_SIGN_FLIP)
			continue;
		others.jointly = v->correction == CORRECTION_MAX_T;
		others.comparisons = v->comparisons;
		others.pairs = v->pairs > others.pairs ? v->pairs : others.pairs;
	}
	mail_family(out, &others);
}

static void put_margin(struct text *out, const struct block *b)
{
	percent_print(out, b->f->experiment->margin);
}

void block_put_legend(const struct block *b, struct text *out)
{
	const struct metric_verdict *primary = block_primary(b);
	struct text line __text = {0}, margin __text = {0};

	/* How the primaries of several workloads are corrected stands with their summary. */
	text_puts(&line, "* primary");
	put_correction(b, &line);
	put_margin(&margin, b);
	if (any_more_pairs(b))
		text_printf(&line, "; +N = pairs still needed at a margin of %s",
			    text_string(&margin));
	mail_remark(out, "%s", text_string(&line));

	if (any_verdict(b, VERDICT_CLEARED)) {
		text_done(&line);
		text_printf(&line, "cleared = not worse by %s or more", text_string(&margin));
		if (primary->verdict == VERDICT_CLEARED && primary->bound > 0) {
			struct text bound __text = {0};
			const struct change_style style = {.decimals = 2};

			change_print(&bound, &style, primary->bound);
			text_printf(&line, " (primary: worse by %s at most)", text_string(&bound));
		}
		if (any_worse(b))
			text_puts(&line, "; worse = significantly worse, within that margin");
		mail_remark(out, "%s", text_string(&line));
	}
}

void block_put_columns(const struct block *b, bool alone, struct text *out)
{
	struct text higher __text = {0}, differences __text = {0};
	bool looks = block_primary(b)->rule == RULE_E_PROCESS;

	block_put_labels(b, &higher, wants_more);
	block_put_labels(b, &differences, is_difference);
	/* Of several workloads the rule stands with their summary. */
	if (alone)
		mail_remark(out, "%s%s%s%s%s", mail_columns(looks),
			    differences.length ? ", of figures with zeros " : "",
			    differences.length ? mail_average(looks) : "",
			    differences.length ? " of B - A, in their unit: " : "",
			    text_string(&differences));
	else if (differences.length)
		mail_remark(
			out,
			"of figures with zeros the change is the %s of B - A, in their unit: %s",
			mail_average(looks), text_string(&differences));
	if (higher.length)
		mail_remark(out, "higher is better: %s", text_string(&higher));
}
