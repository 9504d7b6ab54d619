// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <math.h>

#include "base/memory.h"
#include "judge/overall.h"

/* What the primaries of several workloads, points or arms have in common: they are one family. */

/* Names the workloads of whose primary something holds. */
static void put_workloads(const struct judgement *j, struct text *out, const char *what,
			  bool (*picks)(const struct metric_verdict *v))
{
	struct text names __text = {0};
	const char *last = "";

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *v = &j->comparisons[i];
		const char *name = v->subject->description->name;

		/* Of several arms and points it is named once: they are next to each other. */
		if (!picks(&v->metrics[0]) || text_equal(name, last))
			continue;
		text_printf(&names, "%s%s", names.length ? ", " : "", name);
		last = name;
	}
	if (names.length)
		mail_remark(out, "%s: %s", what, text_string(&names));
}

/* What the members of the family of primaries are called. */
static const char *members(const struct experiment *e)
{
	return e->arm_count > 2 ? "comparisons" : e->curve_count ? "points" : "workloads";
}

/* How the primaries, which are one family, come to verdicts together. */
static void put_family(const struct findings *f, struct text *out)
{
	const struct judgement *j = f->judgement;
	bool several_arms = f->experiment->arm_count > 2;
	struct mail_family primaries = {
		.who = several_arms		    ? "comparison"
		       : f->experiment->curve_count ? "point"
						    : "workload",
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
		mail_family_evidence(out, j->comparison_count, members(f->experiment), decides);
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

void mail_primaries(const struct findings *f, struct text *out)
{
	const struct judgement *j = f->judgement;
	const struct metric_verdict *first = &j->comparisons[0].metrics[0];
	struct text line __text = {0};
	bool more = false;

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *c = &j->comparisons[i];

		more |= comparison_finding(c) == FINDING_UNDECIDED && c->metrics[0].more_pairs > 0;
	}
	text_printf(&line, "verdicts corrected for %zu %s (%s), intervals not", j->comparison_count,
		    members(f->experiment), mail_correction(first->correction));
	if (more) {
		text_puts(&line, "; +N = pairs still needed at a margin of ");
		percent_print(&line, f->experiment->margin);
	}
	mail_remark(out, "%s", text_string(&line));
	mail_remark(out, "%s", mail_columns(f->experiment, judge_rule_is_sequential(first->rule)));
	put_family(f, out);
	for (int arm = ARM_B; arm < f->experiment->arm_count; arm++)
		put_overall(j, f->experiment, arm, out);
	put_workloads(j, out, "higher is better", facts_wants_more);
	put_workloads(j, out, "the change lies outside of its interval, as is explained below",
		      mail_lies_outside);
	put_workloads(j, out,
		      f->experiment->arm_count > 2
			      ? "some figures are zero, so the change is a difference in their unit"
			      : "some figures are zero, so the change is B - A in their unit",
		      facts_is_difference);
}
