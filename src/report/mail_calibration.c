// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "report/calibration.h"
#include "report/mail.h"

enum { COLUMN_COUNT = 8 };

/* ---- the table ---- */

static char *label_cell(const struct calibration_row *row)
{
	return row->delay ? text_format("delay=%s", row->delay) : memory_string("none (A/A)");
}

static char *change_cell(const struct change_style *style, double change)
{
	struct text out = {0};

	change_print(&out, style, change);
	return text_take(&out);
}

static char *interval_cell(const struct change_style *style, const struct interval *i)
{
	struct text out = {0};

	change_print_bound(&out, style, i->low);
	text_puts(&out, " .. ");
	change_print_bound(&out, style, i->high);
	return text_take(&out);
}

static char *time_cell(const struct calibration_row *row)
{
	struct text out = {0};

	mail_time(&out, row->run_ns);
	return text_take(&out);
}

static void fill_row(struct page_table *t, const struct calibration_row *row)
{
	struct mail_row style;
	char **cells = page_table_row(t);

	cells[0] = label_cell(row);
	if (row->run_ns)
		cells[7] = time_cell(row);
	if (!row->ended) {
		cells[2] = memory_string("not ended");
		return;
	}
	cells[2] = memory_string(row->backwards ? "backwards" : row->found ? "yes" : "no");
	cells[3] = text_format("%zu/%" PRId64, row->pairs, row->most_pairs);
	if (!row->pairs)
		return;
	style = mail_row(row->v);
	cells[4] = change_cell(&style.change, row->v->estimate);
	cells[5] = interval_cell(&style.change, &row->v->interval);
	if (isnan(row->expected))
		return;
	cells[1] = change_cell(&style.change, row->expected);
	cells[6] = memory_string(row->held ? "yes" : "no");
}

static bool put_table(const struct calibration_answer *a, struct text *out, struct error *err)
{
	char *level __free(memory) = text_format("%g %% interval", 100 * (1 - a->alpha));
	const struct page_column columns[COLUMN_COUNT] = {
		{"B is slowed", false}, {"must be", true}, {"found", true}, {"pairs", true},
		{"change", true},	{level, true},	   {"holds", true}, {"time", true},
	};
	struct page_table t __cleanup(page_table_done) = {
		.columns = columns,
		.column_count = COLUMN_COUNT,
	};

	fill_row(&t, &a->aa);
	for (size_t i = 0; i < a->shift_count; i++)
		fill_row(&t, &a->shifts[i]);
	return page_table_print(out, &t, err);
}

/* ---- what it says ---- */

static void put_legend(const struct calibration_answer *a, struct text *out)
{
	if (a->unseen) {
		struct text line __text = {0};

		text_printf(&line, "no known shifts: %s", a->unseen);
		if (a->instead)
			text_printf(&line, "; --primary %s would show it", a->instead);
		mail_remark(out, "%s", text_string(&line));
		return;
	}
	mail_remark(out, "delay= slows B between operations by a share of the time that they take; "
			 "the judge is not told");
	if (a->open)
		mail_remark(out, "what the change must be is not known: %s", a->open);
	else
		mail_remark(out, "must be: what the delay comes to in the metric; holds: whether "
				 "the interval has that inside");
}

static void put_aa(const struct calibration_answer *a, struct text *out)
{
	const struct calibration_cuts *c = &a->cuts;
	struct text line __text = {0};

	if (!a->aa.ended)
		return;
	text_printf(&line, "A/A: %s", a->aa.found ? "REJECTED, a false alarm" : "not rejected");
	if (c->count) {
		text_printf(&line,
			    "; cut into %zu experiments of %zu pairs: %zu rejected, where 95 %% of "
			    "such counts are %zu to %zu (level ",
			    c->count, c->pairs, c->rejected, c->low, c->high);
		percent_print(&line, c->level);
		text_puts(&line, ")");
	}
	if (!isnan(c->rate_bound) && c->count)
		text_printf(&line, "; that shows no more than a rate of false alarms below %.0f %%",
			    100 * c->rate_bound);
	mail_remark(out, "%s", text_string(&line));
	if (calibration_alarms(a))
		mail_remark(out,
			    "NOT SOUND: A/A is rejected more often than its level explains; no "
			    "verdict of this machine can be believed before that is mended");
	if (!isnan(a->sd_upper))
		mail_remark(out,
			    "sd of the differences: %.2g %% in %zu pairs; planned with its 80 %% "
			    "limit, %.2g %%",
			    100 * a->sd, a->aa.pairs, 100 * a->sd_upper);
}

static void put_check(const struct calibration_answer *a, struct text *out)
{
	switch (a->check) {
	case CALIBRATION_CONFIRMED:
		mail_remark(out,
			    "confirmed: of %zu known shifts that were to be found in 80 %% or "
			    "more all were",
			    a->due);
		break;
	case CALIBRATION_CONTRADICTED:
		mail_remark(out,
			    "CONTRADICTED: of %zu known shifts that were to be found in 80 %% "
			    "or more %zu %s not, which by chance comes in %.2g %%",
			    a->due, a->due - a->due_found,
			    a->due - a->due_found == 1 ? "was" : "were", 100 * a->due_chance);
		break;
	case CALIBRATION_UNCLEAR:
		mail_remark(out,
			    "not confirmed: of %zu known shifts that were to be found in 80 %% or "
			    "more %zu %s not, which by chance comes in %.2g %%: calibrate again",
			    a->due, a->due - a->due_found,
			    a->due - a->due_found == 1 ? "was" : "were", 100 * a->due_chance);
		break;
	case CALIBRATION_UNCHECKED:
		mail_remark(out, "not checked: %s",
			    a->unseen ? "without known shifts"
			    : a->open ? "it is not known what the shifts must be"
				      : "none of the known shifts had the pairs in which it is "
					"found in 80 % or more");
	}
	for (size_t i = 0; i < a->shift_count; i++)
		if (a->shifts[i].lucky)
			mail_remark(out,
				    "delay=%s was found by luck, which comes in %.0f %%: its "
				    "estimate is exaggerated",
				    a->shifts[i].delay, 100 * a->shifts[i].power);
	if (a->held < a->known)
		mail_remark(out, "%zu of %zu intervals do not hold what was injected",
			    a->known - a->held, a->known);
}

/* "delay=1% has not ended, and 1 known shift was not begun: " */
static void put_missing(const struct calibration_answer *a, struct text *line)
{
	size_t begun = 0, before = line->length;

	for (size_t i = 0; i < a->shift_count; i++) {
		if (a->shifts[i].ended)
			continue;
		text_printf(line, "%sdelay=%s has not ended", line->length > before ? ", " : "",
			    a->shifts[i].delay);
		begun++;
	}
	if (a->missing > begun)
		text_printf(line, "%s%zu known shift%s not begun", begun ? ", and " : "",
			    a->missing - begun, a->missing - begun == 1 ? " was" : "s were");
	text_puts(line, ": ");
}

static void put_resolved(const struct calibration_answer *a, struct text *out)
{
	struct text line __text = {0};

	if (a->aa.ended)
		text_puts(out, "\n");
	if (a->unplanned) {
		mail_remark(out, "what this machine resolves is not known: %s", a->unplanned);
		return;
	}
	if (a->missing)
		put_missing(a, &line);
	text_puts(&line, a->missing ? "A/A alone would have it that this machine resolves "
				    : "this machine resolves ");
	calibration_put_resolved(&line, a->effect, a->effect_pairs, a->effect_ns);
	text_printf(&line,
		    ": the smallest change that is found in 80 %% of experiments of at most "
		    "%zu pairs, and what they take on average",
		    a->most_pairs);
	mail_remark(out, "%s", text_string(&line));
	put_check(a, out);
	mail_remark(out, "A/A cannot show what is the same in all runs of an arm: another binary, "
			 "its layout, another boot");
}

/* ---- the whole ---- */

static void put_size(const struct calibration_findings *f, struct text *out)
{
	const struct calibration_answer *a = f->answer;
	int64_t *ids __free(memory) = memory_array(a->shift_count + 1, sizeof(*ids));
	char *label __free(memory) = facts_label(a->primary);
	struct text line __text = {0};

	ids[0] = a->aa.experiment;
	for (size_t i = 0; i < a->shift_count; i++)
		ids[i + 1] = a->shifts[i].experiment;
	calibration_put_ids(&line, ids, a->shift_count + 1);
	text_printf(&line, "%s%zu runs in ", line.length ? ": " : "", a->runs);
	mail_time(&line, a->took_ns);
	text_printf(&line, "; primary %s (%s)", label, a->primary->unit);
	page_paragraph(out, "  ", "  ", text_string(&line));
}

static void put_head(const struct calibration_findings *f, const struct facts *facts,
		     struct text *out)
{
	const struct calibration_answer *a = f->answer;
	char *params __free(memory) = mail_params(a->subject, 1);
	char *machine __free(memory) = mail_machine(facts);
	const struct mail_part parts[] = {
		{"both  ", *params ? params : "(defaults)"},
		{"", machine},
	};

	mail_remark(out, "calibration for %s: %s", a->subject->description->name,
		    a->subject->description->summary);
	mail_parts(out, parts, sizeof(parts) / sizeof(parts[0]));
	put_size(f, out);
	if (a->missing) {
		struct text line __text = {0};

		text_printf(&line, "NOT COMPLETE: %zu of its experiments %s missing%s%s",
			    a->missing, a->missing == 1 ? "is" : "are", f->stopped ? ": " : "",
			    f->stopped ? f->stopped : "");
		page_paragraph(out, "  ", "  ", text_string(&line));
	}
}

static void put_foot(const struct calibration_findings *f, const char *version,
		     const struct facts *facts, struct text *out)
{
	struct text line __text = {0};

	text_puts(out, "\n");
	mail_environment(f->aa, facts, out);
	if (f->kept && f->kept->id) {
		text_printf(&line, "calibration %" PRId64 ", ", f->kept->id);
		calibration_put_date(&line, f->kept->made_ns);
		text_puts(&line, ", ");
	}
	mail_remark(out, "%scontend %s; to repeat it:", text_string(&line), version);
	page_command(out, f->command);
}

static bool put_one(const struct calibration_findings *f, const char *version, struct text *out,
		    struct error *err)
{
	struct facts facts __cleanup(facts_done) = facts_collect(f->aa);

	put_head(f, &facts, out);
	text_puts(out, "\n");
	if (!put_table(f->answer, out, err))
		return false;
	put_legend(f->answer, out);
	text_puts(out, "\n");
	put_aa(f->answer, out);
	put_resolved(f->answer, out);
	put_foot(f, version, &facts, out);
	return true;
}

bool calibration_mail(const struct calibration_report *r, struct text *out, struct error *err)
{
	for (size_t i = 0; i < r->count; i++) {
		if (i)
			text_puts(out, "\n");
		if (!put_one(&r->list[i], r->version, out, err))
			return false;
	}
	return true;
}
