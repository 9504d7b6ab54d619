// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

static const char *const verdict_texts[] = {
	[VERDICT_REGRESSED] = "regressed",
	[VERDICT_IMPROVED] = "improved",
	[VERDICT_CLEARED] = "cleared",
	[VERDICT_UNDECIDED] = "undecided",
	[VERDICT_NONE] = "not judged",
};

const char *mail_columns(const struct experiment *e, bool looks)
{
	if (e->arm_count > 2)
		return looks ? "median: of the runs; change: Hodges-Lehmann estimate of the ratio "
			       "to A over the blocks"
			     : "median: of the runs; change: geometric mean of the ratio to A over "
			       "the blocks";
	return looks ? "A, B: medians over the runs; change: Hodges-Lehmann estimate of B/A"
		     : "A, B: medians over the runs; change: geometric mean of B/A over the pairs";
}

const char *mail_average(bool looks)
{
	return looks ? "Hodges-Lehmann estimate" : "mean";
}

const char *mail_correction(enum judge_correction correction)
{
	static const char *const words[] = {
		[CORRECTION_NONE] = NULL,
		[CORRECTION_HOLM] = "Holm",
		[CORRECTION_MAX_T] = "max-T",
		[CORRECTION_BLOCKS] = "closed test, permutations within blocks",
	};

	return words[correction];
}

struct mail_row mail_row(const struct metric_verdict *v)
{
	const double shown[] = {v->middle_a, v->middle_b};
	struct mail_row row = {.v = v};

	row.figure = figure_style_of(v->metric->unit, shown, 2);
	row.change = change_style_of(v);
	return row;
}

static bool is_same(double a, double b)
{
	return a >= b && a <= b;
}

bool mail_is_constant(const struct metric_verdict *v)
{
	if (v->primary || v->verdict != VERDICT_NONE || !v->pairs || metric_has_no_events(v))
		return false;
	for (size_t i = 0; i < v->pairs; i++) {
		if (!is_same(v->a[i], v->middle_a) || !is_same(v->b[i], v->middle_a))
			return false;
	}
	return true;
}

bool mail_has_row(const struct metric_verdict *v)
{
	return v->primary || (v->pairs && !mail_is_constant(v));
}

static const struct metric_verdict *find_metric(const struct comparison *c, const struct metric *m)
{
	for (size_t i = 0; i < c->metric_count; i++) {
		if (c->metrics[i].metric == m)
			return &c->metrics[i];
	}
	return NULL;
}

size_t mail_rows_of_arms(const struct comparison *comparisons, size_t count,
			 const struct metric *metric, struct mail_row *ret_rows)
{
	double shown[ARM_MOST + 1];
	size_t rows = 1;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct metric_verdict *v = find_metric(&comparisons[i], metric);

		if (!v)
			continue;
		any |= mail_has_row(v);
		ret_rows[rows] = (struct mail_row){.v = v, .arm = comparisons[i].arm};
		shown[rows++] = v->middle_b;
	}
	if (!any)
		return 0;
	/* The figure of A as the comparison has it that has most pairs. */
	ret_rows[0] = (struct mail_row){.v = ret_rows[1].v, .arm = ARM_A};
	for (size_t i = 2; i < rows; i++) {
		if (ret_rows[i].v->pairs > ret_rows[0].v->pairs)
			ret_rows[0].v = ret_rows[i].v;
	}
	shown[0] = ret_rows[0].v->middle_a;
	for (size_t i = 0; i < rows; i++) {
		ret_rows[i].figure = figure_style_of(metric->unit, shown, rows);
		ret_rows[i].change = change_style_of(ret_rows[i].v);
	}
	return rows;
}

static char *figure_cell(const struct mail_row *row, double value)
{
	struct text plain __text = {0};
	struct text out = {0};

	if (row->is_mean)
		return memory_string("-");
	figure_print(&plain, &row->figure, value);
	/* The unit is the workload's word. */
	page_ascii(&out, text_string(&plain), 0);
	return text_take(&out);
}

static char *change_cell(const struct mail_row *row)
{
	struct text plain __text = {0};
	struct text out = {0};

	if (row->v->pairs)
		change_print(&plain, &row->change, row->v->estimate);
	else
		text_puts(&plain, "-");
	page_ascii(&out, text_string(&plain), 0);
	return text_take(&out);
}

static bool is_unbounded(const struct mail_row *row)
{
	const struct interval *i = &row->v->interval;
	double below = row->change.kind == CHANGE_UNIT ? -INFINITY : -1;

	return i->low <= below && i->high == INFINITY;
}

static char *bound_text(const struct mail_row *row, double bound)
{
	struct text out = {0};

	change_print_bound(&out, &row->change, bound);
	return text_take(&out);
}

/* "LOW .. HIGH", each end right-aligned among the rows. */
static char *interval_cell(const struct mail_row *row)
{
	char *low __free(memory) = bound_text(row, row->v->interval.low);
	char *high __free(memory) = bound_text(row, row->v->interval.high);

	if (!row->v->pairs || metric_is_scarce(row->v))
		return memory_string("-");
	if (is_unbounded(row))
		return memory_string("unbounded");
	return text_format("%s\t%s", low, high);
}

static void put_more_pairs(struct text *out, int64_t more)
{
	if (more > MORE_PAIRS_MAX)
		text_printf(out, " >+%d", MORE_PAIRS_MAX);
	else
		text_printf(out, " +%" PRId64, more);
}

static char *verdict_cell(const struct mail_row *row)
{
	const struct metric_verdict *v = row->v;
	struct text out = {0};

	if (row->instead)
		return memory_string(row->instead);
	if (metric_is_scarce(v) && !v->won_before)
		text_printf(&out, "%zu of %zu pairs", v->pairs, v->pairs + v->refused);
	else
		text_puts(&out, verdict_texts[v->verdict]);
	if (v->worse)
		text_puts(&out, ", worse");
	if (v->verdict == VERDICT_UNDECIDED && v->more_pairs > 0)
		put_more_pairs(&out, v->more_pairs);
	/* Where each row is a workload all of them are primaries. */
	if (v->primary && !row->workload && !row->label)
		text_puts(&out, " *");
	return text_take(&out);
}

static char *label_cell(const struct mail_row *row)
{
	const struct metric_verdict *v = row->v;
	char *label __free(memory) = mail_row_label(v->metric, &row->figure);
	struct text out = {0};

	if (row->workload)
		text_printf(&out, "%s: ", row->workload);
	text_puts(&out, row->label ? row->label : label);
	/* Where there are so few that there is no verdict they stand in its place. */
	if (v->pairs && v->refused && (!metric_is_scarce(v) || v->won_before || row->instead))
		text_printf(&out, " (%zu/%zu)", v->pairs, v->pairs + v->refused);
	return text_take(&out);
}

/* Of more than two arms: the label stands in A's row, which is the first of its metric. */
static void fill_table_of_arms(struct page_table *t, const struct mail_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool of_a = rows[i].arm == ARM_A;
		char **cells = page_table_row(t);

		if (of_a)
			cells[0] = label_cell(&rows[i]);
		cells[1] = memory_string(arm_words[rows[i].arm]);
		cells[2] = figure_cell(&rows[i], of_a ? rows[i].v->middle_a : rows[i].v->middle_b);
		if (of_a)
			continue;
		cells[3] = change_cell(&rows[i]);
		cells[4] = interval_cell(&rows[i]);
		cells[5] = verdict_cell(&rows[i]);
	}
}

static void fill_table(struct page_table *t, const struct mail_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct metric_verdict *v = rows[i].v;
		char **cells = page_table_row(t);

		cells[0] = label_cell(&rows[i]);
		cells[1] = figure_cell(&rows[i], v->middle_a);
		cells[2] = figure_cell(&rows[i], v->middle_b);
		cells[3] = change_cell(&rows[i]);
		cells[4] = interval_cell(&rows[i]);
		cells[5] = verdict_cell(&rows[i]);
	}
}

bool mail_table(struct text *out, const char *what, const struct experiment *e,
		const struct mail_row *rows, size_t count, struct error *err)
{
	char *level __free(memory) = text_format("%g %% interval", 100 * (1 - e->alpha));
	bool of_arms = e->arm_count > 2;
	const struct page_column columns[] = {
		{what, false},
		{of_arms ? "" : "A", !of_arms},
		{of_arms ? "median" : "B", true},
		{"change", true},
		{level, true},
		{"verdict", false},
	};
	struct page_table t __cleanup(page_table_done) = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(columns[0]),
	};

	if (of_arms)
		fill_table_of_arms(&t, rows, count);
	else
		fill_table(&t, rows, count);
	return page_table_print(out, &t, err);
}
