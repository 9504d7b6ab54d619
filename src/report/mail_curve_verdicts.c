// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "base/memory.h"
#include "judge/curve.h"
#include "report/block.h"

/* A curve of several arms: what was judged of its points, and of all of them together. */

/* ---- rows ---- */

size_t mail_curve_rows_most(const struct findings *f, const struct curve *c)
{
	return (2 * c->count) * (size_t)f->experiment->arm_count;
}

/* Labels a row; of more than two arms only A's has its label. */
static void label_row(struct mail_row *row, char **labels, size_t index, const char *what,
		      const char *which)
{
	labels[index] = text_format("%s\t%s", what, which);
	row->label = labels[index];
}

/* What a comparison came to where that is no verdict. */
static const char *instead_of(const struct comparison *c)
{
	static const char *const crashes[ARM_MOST] = {NULL, "B crashes", "C crashes", "D crashes"};

	switch (comparison_finding(c)) {
	case FINDING_CRASHES:
		return crashes[c->arm];
	case FINDING_IMPOSSIBLE:
		return "not possible";
	default:
		return NULL;
	}
}

static size_t point_rows(const struct findings *f, const struct curve *c, size_t point,
			 struct mail_row *rows)
{
	size_t others = (size_t)f->experiment->arm_count - 1, count = 1;
	const struct comparison *first =
		curve_comparison(f->judgement, f->experiment, c, point, ARM_B);

	rows[0] = mail_row(&first->metrics[0]);
	if (others > 1)
		count = mail_rows_of_arms(first, others, first->metrics[0].metric, rows);
	for (size_t i = 0; i < count; i++) {
		if (others == 1)
			rows[i].instead = instead_of(first);
		else if (rows[i].arm != ARM_A)
			rows[i].instead = instead_of(&first[rows[i].arm - ARM_B]);
	}
	return count;
}

/* A row for each arm of verdicts that have one metric, and before them one for A's figure. */
static size_t rows_of(const struct findings *f, const struct curve *c,
		      const struct metric_verdict *(*get)(const struct curve_verdict *cv,
							  size_t index),
		      size_t index, struct mail_row *rows)
{
	const struct experiment *e = f->experiment;
	size_t count = 0;

	for (int arm = ARM_B; arm < e->arm_count; arm++) {
		const struct curve_verdict *cv = curve_verdict_of(f->judgement, c, arm);

		if (!count && e->arm_count > 2) {
			rows[count] = mail_row(get(cv, index));
			rows[count++].arm = ARM_A;
		}
		rows[count] = mail_row(get(cv, index));
		rows[count++].arm = arm;
	}
	return count;
}

static const struct metric_verdict *get_mean(const struct curve_verdict *cv, size_t ignored)
{
	(void)ignored;
	return &cv->mean->v;
}

static const struct metric_verdict *get_scaling(const struct curve_verdict *cv, size_t index)
{
	return &cv->scalings[index];
}

/* True where the arms have a mean, or some of them; why they have none stands below. */
static bool has_mean(const struct findings *f, const struct curve *c)
{
	for (int arm = ARM_B; arm < f->experiment->arm_count; arm++) {
		if (!curve_verdict_of(f->judgement, c, arm)->mean->why_not)
			return true;
	}
	return false;
}

size_t mail_curve_rows(const struct findings *f, const struct curve *c, bool scaling,
		       struct mail_row *rows, char **labels)
{
	const struct subject *s = &f->experiment->subjects[c->first];
	char *primary __free(memory) = facts_label(description_metric(s->description, s->primary));
	char *what __free(memory) = scaling ? memory_string(primary)
					    : text_format("%s: %s", s->description->name, primary);
	char **heads __free(memory) = mail_curve_heads(f->experiment, c);
	size_t count = 0, added;

	for (size_t i = 0; i < c->count; i++, count += added) {
		added = point_rows(f, c, i, rows + count);
		for (size_t k = 0; k < added; k++)
			label_row(&rows[count + k], labels, count + k, what, heads[i]);
	}
	if (has_mean(f, c)) {
		added = rows_of(f, c, get_mean, 0, rows + count);
		for (size_t k = 0; k < added; k++) {
			label_row(&rows[count + k], labels, count + k, what, "mean");
			rows[count + k].is_mean = true;
		}
		count += added;
	}
	for (size_t i = 1; scaling && i < c->count; i++, count += added) {
		added = rows_of(f, c, get_scaling, i - 1, rows + count);
		for (size_t k = 0; k < added; k++)
			label_row(&rows[count + k], labels, count + k, "scaling", heads[i]);
	}
	for (size_t i = 0; i < c->count; i++)
		free(heads[i]);
	return count;
}

static bool put_table(const struct findings *f, const struct curve *c, struct text *out,
		      struct error *err)
{
	size_t most = mail_curve_rows_most(f, c);
	struct mail_row *rows __free(memory) = memory_array(most, sizeof(*rows));
	char **labels __free(memory) = memory_array(most, sizeof(char *));
	size_t count = mail_curve_rows(f, c, true, rows, labels);
	bool printed = mail_table(out, "metric", f->experiment, rows, count, err);

	for (size_t i = 0; i < count; i++)
		free(labels[i]);
	return printed;
}

/* ---- how to read them ---- */

/* Of the first arm that has a mean; NULL: none has. */
static const struct overall *any_mean(const struct findings *f, const struct curve *c)
{
	for (int arm = ARM_B; arm < f->experiment->arm_count; arm++) {
		const struct overall *mean = curve_verdict_of(f->judgement, c, arm)->mean;

		if (!mean->why_not)
			return mean;
	}
	return NULL;
}

static void put_correction(struct text *line, const struct metric_verdict *v, const char *what)
{
	if (v->comparisons > 1)
		text_printf(line, ", corrected for %zu %s (%s)", v->comparisons, what,
			    mail_correction(v->correction));
}

static void put_mean(const struct findings *f, const struct curve *c, struct text *out)
{
	const struct overall *mean = any_mean(f, c);
	struct text line __text = {0};

	for (int arm = ARM_B; arm < f->experiment->arm_count; arm++) {
		const struct overall *own = curve_verdict_of(f->judgement, c, arm)->mean;

		if (own->why_not)
			mail_remark(out, "no mean over the points for %s: %s", arm_words[arm],
				    own->why_not);
	}
	if (!mean)
		return;
	text_printf(&line,
		    "mean: geometric mean of B/A over the points, a figure a round, from %zu",
		    mean->v.pairs);
	if (mean->v.pairs < mean->rounds)
		text_printf(&line, " of %zu", mean->rounds);
	text_puts(&line, " rounds");
	put_correction(&line, &mean->v, "means");
	mail_remark(out, "%s; the exit status goes by the points", text_string(&line));
}

static void put_scaling(const struct findings *f, const struct curve *c, struct text *out)
{
	const struct curve_verdict *cv = curve_verdict_of(f->judgement, c, ARM_B);
	const struct metric_verdict *v = &cv->scalings[0];
	const struct subject *s = &f->experiment->subjects[c->first];
	bool rate = description_metric(s->description, s->primary)->summary == SUMMARY_RATE;
	struct text line __text = {0};

	text_printf(&line,
		    "scaling: a point over that of %s=%lld in the same round%s, medians; its "
		    "change is what the arms differ in more at that point than at the first",
		    curve_param, (long long)experiment_point(f->experiment, c->first),
		    rate ? ", by task" : "");
	put_correction(&line, v, "points");
	mail_remark(out, "%s", text_string(&line));
}

/* ---- point by point ---- */

/* Secondaries with a verdict: "p99 regressed +12.3% (+8.0 .. +16.1)". */
static void put_others(const struct block *b, struct text *out)
{
	struct text line __text = {0};

	for (size_t i = 1; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		char *label __free(memory) = facts_label(v->metric);
		struct mail_row row = mail_row(v);

		if (v->verdict != VERDICT_REGRESSED && v->verdict != VERDICT_IMPROVED)
			continue;
		text_printf(&line, "%s%s %s ", line.length ? "; " : "", label,
			    verdict_words[v->verdict]);
		change_print(&line, &row.change, v->estimate);
		text_puts(&line, " (");
		change_print_bound(&line, &row.change, v->interval.low);
		text_puts(&line, " .. ");
		change_print_bound(&line, &row.change, v->interval.high);
		text_puts(&line, ")");
	}
	if (line.length)
		mail_remark(out, "besides: %s", text_string(&line));
}

static void put_comparison(const struct block *b, struct text *out)
{
	if (b->v->why_not)
		mail_remark(out, "%s: %s", block_gave_up(b->v) ? instead_of(b->v) : "given up",
			    b->v->why_not);
	block_put_rule(b, out);
	put_others(b, out);
	block_put_dropped(b, out);
}

/* What is said of the runs of all arms of a point. */
static void put_runs(const struct block *b, struct text *out)
{
	if (!b->j->blind)
		mail_diagnoses(b->f, b->all, b->v->index, out);
	mail_recurrences(out, b->facts, false);
	block_put_defaults(b, out);
}

/* Both, for what differs only in the number of tasks is said once. */
static void put_all(const struct block *b, struct text *out)
{
	if (b->j->blind)
		block_put_dropped(b, out);
	else
		put_comparison(b, out);
	if (b->comparison_count == 1)
		put_runs(b, out);
}

/*
 * Remarks of each point, or of more than two arms of each point and arm, headed "tasks=4, C against
 * A".
 */
static void put_each(const struct findings *f, const struct facts *facts, const struct curve *c,
		     size_t arms, void (*put)(const struct block *b, struct text *out),
		     struct text *out)
{
	size_t others = (size_t)f->experiment->arm_count - 1, count = c->count * arms;
	struct text *parts __free(memory) = memory_array(count, sizeof(*parts));
	char **points __free(memory) = mail_curve_heads(f->experiment, c);
	char **heads __free(memory) = memory_array(count, sizeof(char *));

	for (size_t i = 0; i < count; i++) {
		size_t point = i / arms;
		const struct comparison *v = curve_comparison(f->judgement, f->experiment, c, point,
							      ARM_B + (int)(i % arms));
		const struct block b = {
			.f = f,
			.j = f->judgement,
			.v = v,
			.comparisons = v,
			.comparison_count = others,
			.all = facts,
			.facts = &facts->subjects[c->first + point],
		};

		put(&b, &parts[i]);
		heads[i] =
			arms > 1 ? text_format("%s, %s against A", points[point], arm_words[v->arm])
				 : memory_string(points[point]);
	}
	mail_put_each(parts, (const char *const *)heads, count, out);
	for (size_t i = 0; i < count; i++) {
		text_done(&parts[i]);
		free(heads[i]);
	}
	for (size_t i = 0; i < c->count; i++)
		free(points[i]);
}

static void put_points(const struct findings *f, const struct facts *facts, const struct curve *c,
		       struct text *out)
{
	size_t others = (size_t)f->experiment->arm_count - 1;
	struct text remarks __text = {0};

	put_each(f, facts, c, others, put_all, &remarks);
	if (others > 1)
		put_each(f, facts, c, 1, put_runs, &remarks);
	/* Those that all have stand apart from what is above; those of one have a head. */
	if (remarks.length && *remarks.bytes != '\n')
		text_puts(out, "\n");
	text_puts(out, text_string(&remarks));
}

/* ---- all of it ---- */

static void put_size(const struct findings *f, const struct facts *facts, const struct curve *c,
		     bool alone, struct text *out)
{
	struct subject_facts all = mail_curve_facts(facts, c);
	size_t least = SIZE_MAX, most = 0;
	struct text line __text = {0};

	for (size_t i = 0; i < c->count; i++) {
		for (int arm = ARM_B; arm < f->experiment->arm_count; arm++) {
			const struct comparison *v =
				curve_comparison(f->judgement, f->experiment, c, i, arm);

			least = v->pairs < least ? v->pairs : least;
			most = v->pairs > most ? v->pairs : most;
		}
	}
	mail_count(&line, c->count, "point");
	text_puts(&line, " of ");
	if (least < most)
		text_printf(&line, "%zu to ", least);
	mail_count(&line, most, f->experiment->arm_count > 2 ? "block" : "pair");
	text_puts(&line, " in random order, ");
	mail_count(&line, mail_all(all.runs), "run");
	if (mail_all(all.not_ok))
		text_printf(&line, " (%zu ok)", mail_all(all.runs) - mail_all(all.not_ok));
	mail_windows(&line, &all);
	if (alone)
		text_printf(&line, ", seed %" PRIu64, f->experiment->seed);
	page_paragraph(out, "  ", "  ", text_string(&line));
}

bool mail_curve(const struct findings *f, const struct facts *facts, const struct curve *c,
		bool alone, struct text *out, struct error *err)
{
	const struct experiment *e = f->experiment;
	char *params __free(memory) = mail_curve_params(e, c, e->arm_count);

	if (*params)
		page_paragraph(out, e->arm_count > 2 ? "  all   " : "  both  ", "        ", params);
	put_size(f, facts, c, alone, out);
	if (alone)
		mail_doubts(facts, out);
	text_puts(out, "\n");
	if (f->judgement->blind) {
		mail_remark(out,
			    "no figure is shown before the end of what was planned, for who has "
			    "seen one must not decide where that is");
		put_points(f, facts, c, out);
		return true;
	}
	if (!put_table(f, c, out, err))
		return false;
	if (alone)
		mail_primaries(f, out);
	put_mean(f, c, out);
	put_scaling(f, c, out);
	if (!mail_curve_points(f, c, out, err))
		return false;
	put_points(f, facts, c, out);
	return true;
}
