// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <math.h>

#include "base/memory.h"
#include "judge/overall.h"

static const char *const finding_texts[] = {
	[FINDING_REGRESSED] = "regressed",
	[FINDING_CRASHES] = NULL, /* which arm does is said */
	[FINDING_IMPROVED] = "improved",
	[FINDING_CLEARED] = "cleared",
	[FINDING_UNDECIDED] = "undecided",
	[FINDING_NONE] = "not judged",
	[FINDING_IMPOSSIBLE] = "not possible",
};

void mail_findings(const struct findings *f, struct text *out)
{
	const struct judgement *j = f->judgement;
	struct text line __text = {0};
	const char *separator = ": ";
	bool several_arms = f->experiment->arm_count > 2;

	text_printf(&line, "%zu workloads", f->experiment->subject_count);
	if (several_arms)
		text_printf(&line, ", %zu comparisons with A", j->comparison_count);
	for (int finding = 0; finding < FINDING_COUNT; finding++) {
		size_t count = 0;

		for (size_t i = 0; i < j->comparison_count; i++)
			count += (int)comparison_finding(&j->comparisons[i]) == finding;
		if (!count)
			continue;
		text_printf(&line, "%s%zu %s", separator, count,
			    finding != FINDING_CRASHES ? finding_texts[finding]
			    : several_arms	       ? "crashing"
						       : "B crashes");
		separator = ", ";
	}
	mail_remark(out, "%s", text_string(&line));
}

/* Names the workloads of whose primary something holds. */
static void put_workloads(const struct judgement *j, struct text *out, const char *what,
			  bool (*picks)(const struct metric_verdict *v))
{
	struct text names __text = {0};

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *v = &j->comparisons[i];
		bool named = false;

		/* Of several arms it is named once. */
		for (size_t k = i; k-- > 0 && j->comparisons[k].index == v->index;)
			named |= picks(&j->comparisons[k].metrics[0]);
		if (picks(&v->metrics[0]) && !named)
			text_printf(&names, "%s%s", names.length ? ", " : "",
				    v->subject->description->name);
	}
	if (names.length)
		mail_remark(out, "%s: %s", what, text_string(&names));
}

/* How the primaries, which are one family, come to verdicts together. */
static void put_family(const struct findings *f, struct text *out)
{
	const struct judgement *j = f->judgement;
	bool several_arms = f->experiment->arm_count > 2;
	struct mail_family primaries = {
		.who = several_arms ? "comparison" : "workload",
		.groups = several_arms ? f->experiment->subject_count : 0,
		.alpha = f->experiment->alpha,
	};
	double decides = 0;

	if (j->first_end)
		return;
	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct metric_verdict *v = &j->comparisons[i].metrics[0];

		if (judge_rule_is_sequential(v->rule) && v->pairs && !metric_is_scarce(v))
			decides = fmax(decides, facts_deciding_evidence(v));
		if (v->rule != RULE_SIGN_FLIP)
			continue;
		primaries.comparisons = v->comparisons;
		primaries.pairs = v->pairs > primaries.pairs ? v->pairs : primaries.pairs;
	}
	mail_family(out, &primaries);
	if (decides > 0)
		mail_family_evidence(out, j->comparison_count,
				     several_arms ? "comparisons" : "workloads", decides);
}

/* What stands in place of a verdict. */
static const char *instead_of(const struct comparison *c)
{
	enum finding finding = comparison_finding(c);

	if (finding == FINDING_CRASHES)
		return c->arm == ARM_B ? "B crashes" : c->arm == ARM_C ? "C crashes" : "D crashes";
	return finding == FINDING_IMPOSSIBLE ? finding_texts[finding] : NULL;
}

/* The rows of a workload, of which that is the first comparison. Returns how many. */
static size_t put_rows(const struct comparison *c, size_t others, struct mail_row *rows)
{
	size_t count = 1;

	rows[0] = mail_row(&c->metrics[0]);
	if (others > 1)
		count = mail_rows_of_arms(c, others, c->metrics[0].metric, rows);
	for (size_t i = 0; i < count; i++) {
		rows[i].workload = c->subject->description->name;
		if (others == 1)
			rows[i].instead = instead_of(c);
		else if (rows[i].arm != ARM_A)
			rows[i].instead = instead_of(&c[rows[i].arm - ARM_B]);
	}
	return count;
}

/* All of them as one figure, which no verdict goes by. */
static void put_overall(const struct judgement *j, const struct experiment *e, int arm,
			struct text *out)
{
	const struct overall *o = j->overall[arm];
	const char *name = arm_words[arm];
	struct text line __text = {0};
	struct mail_row row;
	bool inverted = false;

	if (!o)
		return;
	for (size_t i = 0; i < j->comparison_count; i++)
		inverted |= facts_wants_more(&j->comparisons[i].metrics[0]);
	if (o->why_not) {
		mail_remark(out, "no overall figure for %s: %s", name, o->why_not);
		return;
	}
	row = mail_row(&o->v);
	text_printf(&line, "overall, geometric mean of %zu workloads%s: %s takes ", o->workloads,
		    inverted ? " (rates inverted)" : "", name);
	change_print(&line, &row.change, o->v.estimate);
	text_printf(&line, ", %g %% interval ", 100 * (1 - e->alpha));
	change_print_bound(&line, &row.change, o->v.interval.low);
	text_puts(&line, " .. ");
	change_print_bound(&line, &row.change, o->v.interval.high);
	text_printf(&line, ", from %zu", o->v.pairs);
	if (o->v.pairs < o->rounds)
		text_printf(&line, " of %zu", o->rounds);
	mail_remark(
		out,
		"%s rounds of a pair of each; no verdict goes by it (%s of %s/A over rounds, which "
		"need not be the mean of the rows)",
		text_string(&line), mail_average(judge_rule_is_sequential(o->v.rule)), name);
}

bool mail_summary(const struct findings *f, struct text *out, struct error *err)
{
	const struct judgement *j = f->judgement;
	size_t others = (size_t)f->experiment->arm_count - 1;
	struct mail_row *rows __free(memory) = memory_array(2 * j->comparison_count, sizeof(*rows));
	struct text line __text = {0};
	bool more = false;
	size_t count = 0;

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *c = &j->comparisons[i];

		if (i % others == 0)
			count += put_rows(c, others, rows + count);
		more |= comparison_finding(c) == FINDING_UNDECIDED && c->metrics[0].more_pairs > 0;
	}
	text_puts(out, "\n");
	if (!mail_table(out, "workload: primary", f->experiment, rows, count, err))
		return false;
	text_printf(&line, "verdicts corrected for %zu %s (%s), intervals not", j->comparison_count,
		    others > 1 ? "comparisons" : "workloads",
		    mail_correction(j->comparisons[0].metrics[0].correction));
	if (more) {
		text_puts(&line, "; +N = pairs still needed at a margin of ");
		percent_print(&line, f->experiment->margin);
	}
	mail_remark(out, "%s", text_string(&line));
	mail_remark(out, "%s",
		    mail_columns(f->experiment, judge_rule_is_sequential(rows[0].v->rule)));
	put_family(f, out);
	for (int arm = ARM_B; arm < f->experiment->arm_count; arm++)
		put_overall(j, f->experiment, arm, out);
	put_workloads(j, out, "higher is better", facts_wants_more);
	put_workloads(j, out,
		      others > 1
			      ? "some figures are zero, so the change is a difference in their unit"
			      : "some figures are zero, so the change is B - A in their unit",
		      facts_is_difference);
	return true;
}
