// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/block.h"

/* True when a test picks a row of the table. */
static bool any(const struct block *b, bool (*picks)(const struct metric_verdict *v))
{
	for (size_t i = 0; i < b->comparison_count; i++) {
		const struct comparison *c = &b->comparisons[i];

		for (size_t k = 0; k < c->metric_count; k++) {
			if (mail_has_row(&c->metrics[k]) && picks(&c->metrics[k]))
				return true;
		}
	}
	return false;
}

static bool is_cleared(const struct metric_verdict *v)
{
	return v->verdict == VERDICT_CLEARED;
}

static bool is_worse(const struct metric_verdict *v)
{
	return v->worse;
}

static bool needs_more_pairs(const struct metric_verdict *v)
{
	return v->verdict == VERDICT_UNDECIDED && v->more_pairs > 0;
}

/* A metric of the workload's family of those that are not primary; NULL: there is none. */
static const struct metric_verdict *find_corrected(const struct block *b)
{
	for (size_t i = 0; i < b->comparison_count; i++) {
		const struct comparison *c = &b->comparisons[i];

		for (size_t k = 1; k < c->metric_count; k++) {
			if (c->metrics[k].correction != CORRECTION_NONE)
				return &c->metrics[k];
		}
	}
	return NULL;
}

/* How the metrics that are not primary, which are one family, are kept together. */
static void put_correction(const struct block *b, struct text *out)
{
	const struct metric_verdict *v = find_corrected(b);

	if (v)
		text_printf(out,
			    "; the others corrected %sfor %zu comparisons (verdicts by %s, "
			    "intervals not)",
			    v->correction == CORRECTION_MAX_T ? "jointly " : "", v->comparisons,
			    mail_correction(v->correction));
}

/* Of several arms the primaries of one workload are a family, too. */
static void put_correction_of_arms(const struct block *b, struct text *out)
{
	const struct metric_verdict *v = block_primary(b);

	if (b->comparison_count > 1 && b->comparison_count == b->j->comparison_count &&
	    v->correction != CORRECTION_NONE)
		text_printf(out, ", corrected for %zu comparisons (%s)", v->comparisons,
			    mail_correction(v->correction));
}

void block_put_unreachable(const struct block *b, struct text *out)
{
	struct mail_family others = {.who = "secondary", .alpha = b->f->experiment->alpha};

	/* In an extension they are tested by another rule. */
	if (b->j->first_end)
		return;
	for (size_t i = 0; i < b->comparison_count; i++) {
		const struct comparison *c = &b->comparisons[i];

		for (size_t k = 1; k < c->metric_count; k++) {
			const struct metric_verdict *v = &c->metrics[k];

			if (!v->comparisons || v->rule != RULE_SIGN_FLIP)
				continue;
			/* Jointly in each arm. */
			others.groups = v->correction == CORRECTION_MAX_T ? b->comparison_count : 0;
			others.comparisons = v->comparisons;
			others.pairs = v->pairs > others.pairs ? v->pairs : others.pairs;
		}
	}
	mail_family(out, &others);
}

static void put_margin(struct text *out, const struct block *b)
{
	percent_print(out, b->f->experiment->margin);
}

/* How far the primary, of several arms each, can be worse that was cleared by a bound. */
static void put_bounds(const struct block *b, struct text *out)
{
	const struct change_style style = {.decimals = 2};
	bool several = b->comparison_count > 1, any = false;

	for (size_t i = 0; i < b->comparison_count; i++) {
		const struct metric_verdict *v = &b->comparisons[i].metrics[0];
		struct text bound __text = {0};

		if (v->verdict != VERDICT_CLEARED || !(v->bound > 0))
			continue;
		change_print(&bound, &style, v->bound);
		text_puts(out, any ? ", " : " (primary: ");
		if (several)
			text_printf(out, "%s ", arm_words[b->comparisons[i].arm]);
		text_printf(out, "worse by %s at most", text_string(&bound));
		any = true;
	}
	if (any)
		text_puts(out, ")");
}

void block_put_legend(const struct block *b, struct text *out)
{
	struct text line __text = {0}, margin __text = {0};

	/* How the primaries of several workloads are corrected stands with their summary. */
	text_puts(&line, "* primary");
	put_correction_of_arms(b, &line);
	put_correction(b, &line);
	put_margin(&margin, b);
	if (any(b, needs_more_pairs))
		text_printf(&line, "; +N = pairs still needed at a margin of %s",
			    text_string(&margin));
	mail_remark(out, "%s", text_string(&line));

	if (any(b, is_cleared)) {
		text_done(&line);
		text_printf(&line, "cleared = not worse by %s or more", text_string(&margin));
		put_bounds(b, &line);
		if (any(b, is_worse))
			text_puts(&line, "; worse = significantly worse, within that margin");
		mail_remark(out, "%s", text_string(&line));
	}
}

void block_put_columns(const struct block *b, bool alone, struct text *out)
{
	struct text higher __text = {0}, differences __text = {0};
	bool looks = judge_rule_is_sequential(block_primary(b)->rule);
	const char *of = b->comparison_count > 1 ? "differences" : "B - A";

	block_put_labels_of_all(b, &higher, facts_wants_more);
	block_put_labels_of_all(b, &differences, facts_is_difference);
	/* Of several workloads the rule stands with their summary. */
	if (alone && differences.length)
		mail_remark(out, "%s, of figures with zeros %s of %s, in their unit: %s",
			    mail_columns(b->f->experiment, looks), mail_average(looks), of,
			    text_string(&differences));
	else if (alone)
		mail_remark(out, "%s", mail_columns(b->f->experiment, looks));
	else if (differences.length)
		mail_remark(out,
			    "of figures with zeros the change is the %s of %s, in their unit: %s",
			    mail_average(looks), of, text_string(&differences));
	if (higher.length)
		mail_remark(out, "higher is better: %s", text_string(&higher));
}
