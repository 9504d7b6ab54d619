// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include "base/memory.h"

static const char *const finding_texts[] = {
	[FINDING_REGRESSED] = "regressed",
	[FINDING_B_CRASHES] = "B crashes",
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

	text_printf(&line, "%zu workloads", j->subject_count);
	for (int finding = 0; finding < FINDING_COUNT; finding++) {
		size_t count = 0;

		for (size_t i = 0; i < j->subject_count; i++)
			count += (int)subject_finding(&j->subjects[i]) == finding;
		if (!count)
			continue;
		text_printf(&line, "%s%zu %s", separator, count, finding_texts[finding]);
		separator = ", ";
	}
	mail_remark(out, "%s", text_string(&line));
}

static bool wants_more(const struct metric_verdict *v)
{
	return v->metric->better == BETTER_HIGHER;
}

static bool is_difference(const struct metric_verdict *v)
{
	return v->pairs && v->scale == SCALE_DIFFERENCE;
}

/* Names the workloads of whose primary something holds. */
static void put_workloads(const struct judgement *j, struct text *out, const char *what,
			  bool (*picks)(const struct metric_verdict *v))
{
	struct text names __text = {0};

	for (size_t i = 0; i < j->subject_count; i++) {
		const struct subject_verdict *v = &j->subjects[i];

		if (picks(&v->metrics[0]))
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
	struct mail_family primaries = {.who = "workload", .alpha = f->experiment->alpha};
	bool looks = false;

	if (j->first_end)
		return;
	for (size_t i = 0; i < j->subject_count; i++) {
		const struct metric_verdict *v = &j->subjects[i].metrics[0];

		looks |= v->rule == RULE_E_PROCESS && v->pairs && !metric_is_scarce(v);
		if (v->rule != RULE_SIGN_FLIP)
			continue;
		primaries.comparisons = v->comparisons;
		primaries.pairs = v->pairs > primaries.pairs ? v->pairs : primaries.pairs;
	}
	mail_family(out, &primaries);
	if (looks)
		mail_family_evidence(out, j->subject_count, f->experiment->alpha);
}

bool mail_summary(const struct findings *f, struct text *out, struct error *err)
{
	const struct judgement *j = f->judgement;
	struct mail_row *rows __free(memory) = memory_array(j->subject_count, sizeof(*rows));
	struct text line __text = {0};
	bool more = false;

	for (size_t i = 0; i < j->subject_count; i++) {
		const struct subject_verdict *v = &j->subjects[i];
		enum finding finding = subject_finding(v);

		rows[i] = mail_row(&v->metrics[0]);
		rows[i].workload = v->subject->description->name;
		if (finding == FINDING_B_CRASHES || finding == FINDING_IMPOSSIBLE)
			rows[i].instead = finding_texts[finding];
		more |= finding == FINDING_UNDECIDED && v->metrics[0].more_pairs > 0;
	}
	text_puts(out, "\n");
	if (!mail_table(out, "workload: primary", f->experiment, rows, j->subject_count, err))
		return false;
	text_printf(&line, "verdicts corrected for %zu workloads (Holm), intervals not",
		    j->subject_count);
	if (more) {
		text_puts(&line, "; +N = pairs still needed at a margin of ");
		percent_print(&line, f->experiment->margin);
	}
	mail_remark(out, "%s", text_string(&line));
	mail_remark(out, "%s", mail_columns(rows[0].v->rule == RULE_E_PROCESS));
	put_family(f, out);
	put_workloads(j, out, "higher is better", wants_more);
	put_workloads(j, out, "some figures are zero, so the change is B - A in their unit",
		      is_difference);
	return true;
}
