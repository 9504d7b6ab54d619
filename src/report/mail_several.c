// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include "base/memory.h"

static const char *const finding_texts[] = {
	[FINDING_REGRESSED] = "regressed",
	[FINDING_CRASHES] = NULL, /* which arm does is said */
	[FINDING_IMPROVED] = "improved",
	[FINDING_CLEARED] = "cleared",
	[FINDING_UNDECIDED] = "undecided",
	[FINDING_NONE] = "not judged",
	[FINDING_IMPOSSIBLE] = "not possible",
};

size_t mail_workloads(const struct experiment *e)
{
	size_t count = e->subject_count;

	for (size_t i = 0; i < e->curve_count; i++)
		count -= e->curves[i].count - 1;
	return count;
}

/* What the comparisons are of: "4 workloads", "brk1, 3 points". */
static void put_subjects(const struct experiment *e, struct text *line)
{
	size_t workloads = mail_workloads(e);

	if (workloads > 1)
		text_printf(line, "%zu workloads", workloads);
	else
		text_puts(line, e->subjects[0].description->name);
	if (e->curve_count)
		text_printf(line, ", %zu points", e->subject_count);
}

void mail_findings(const struct findings *f, struct text *out)
{
	const struct judgement *j = f->judgement;
	struct text line __text = {0};
	const char *separator = ": ";
	bool several_arms = f->experiment->arm_count > 2;

	put_subjects(f->experiment, &line);
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

bool mail_summary(const struct findings *f, struct text *out, struct error *err)
{
	const struct experiment *e = f->experiment;
	size_t others = (size_t)e->arm_count - 1, most = 0, count = 0;
	struct mail_row *rows __free(memory) = NULL;
	char **labels __free(memory) = NULL;
	bool printed;

	for (size_t i = 0; i < e->subject_count; i++)
		most += others + 1;
	for (size_t i = 0; i < e->curve_count; i++)
		most += mail_curve_rows_most(f, &e->curves[i]);
	rows = memory_array(most, sizeof(*rows));
	labels = memory_array(most, sizeof(char *));
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct curve *c = experiment_curve(e, i);

		if (!c)
			count += put_rows(&f->judgement->comparisons[i * others], others,
					  rows + count);
		else if (c->first == i)
			count += mail_curve_rows(f, c, false, rows + count, labels + count);
	}
	text_puts(out, "\n");
	printed = mail_table(out, "workload: primary", e, rows, count, err);
	for (size_t i = 0; i < most; i++)
		free(labels[i]);
	if (printed)
		mail_primaries(f, out);
	return printed;
}
