// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "report/block.h"

bool block_has_row(const struct metric_verdict *v)
{
	return v->pairs || v->primary;
}

bool block_gave_up(const struct subject_verdict *v)
{
	return v->b_crashes || v->impossible;
}

const struct metric_verdict *block_primary(const struct block *b)
{
	return &b->v->metrics[0];
}

void block_put_labels(const struct block *b, struct text *out,
		      bool (*picks)(const struct metric_verdict *v))
{
	struct mail_labels labels __cleanup(mail_labels_done) = {0};

	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];

		if (block_has_row(v) && picks(v))
			mail_add_label(&labels, v->metric);
	}
	text_puts(out, text_string(&labels.text));
}

static bool put_table(const struct block *b, struct text *out, struct error *err)
{
	size_t of = b->v->metric_count, count = 0;
	struct mail_row *rows __free(memory) = memory_array(of, sizeof(*rows));
	const struct metric **metrics __free(memory) = memory_array(of, sizeof(*metrics));
	size_t *order __free(memory) = memory_array(of, sizeof(*order));

	for (size_t i = 0; i < of; i++)
		metrics[i] = b->v->metrics[i].metric;
	mail_order(metrics, of, order);
	for (size_t i = 0; i < of; i++) {
		const struct metric_verdict *v = &b->v->metrics[order[i]];

		if (block_has_row(v))
			rows[count++] = mail_row(v);
	}
	return mail_table(out, "metric", b->f->experiment, rows, count, err);
}

/* What left a workload without an answer comes before the table. */
static void put_trouble(const struct block *b, struct text *out)
{
	const char *why = b->v->why_not ? b->v->why_not : "";
	int arm = b->v->failures_in_row[ARM_A] < b->v->failures_in_row[ARM_B] ? ARM_B : ARM_A;

	if (!block_gave_up(b->v))
		return;
	if (b->v->b_crashes)
		mail_remark(out, "B CRASHES, its last %zu runs in a row: %s",
			    b->v->crashes_in_row[ARM_B], why);
	else if (b->v->failures_in_row[arm])
		mail_remark(out, "NOT POSSIBLE, the last %zu runs of %s gave nothing: %s",
			    b->v->failures_in_row[arm], arm_words[arm], why);
	else
		mail_remark(out, "NOT POSSIBLE: %s", why);
	text_puts(out, "\n");
}

static void put_size(const struct block *b, struct text *out, bool alone)
{
	const struct subject_facts *facts = b->facts;
	struct text line __text = {0}, seed __text = {0};

	mail_count(&line, b->v->pairs, "pair");
	text_puts(&line, " in random order, ");
	mail_count(&line, facts->runs[ARM_A] + facts->runs[ARM_B], "run");
	mail_windows(&line, facts);
	text_printf(&seed, "seed %" PRIu64, b->f->experiment->seed);
	/* Whole on the line or below it. */
	if (alone && strlen("  , ") + line.length + seed.length <= PAGE_WIDTH) {
		text_printf(&line, ", %s", text_string(&seed));
		alone = false;
	}
	page_paragraph(out, "  ", "  ", text_string(&line));
	if (alone)
		page_paragraph(out, "  ", "  ", text_string(&seed));
}

static void put_arms(const struct findings *f, const struct facts *facts, struct text *out)
{
	const struct experiment *e = f->experiment;
	const char *a = e->labels[ARM_A] ? e->labels[ARM_A] : "";
	const char *b = e->labels[ARM_B] ? e->labels[ARM_B] : "";
	char *machine __free(memory) = mail_machine(facts);
	const bool bare = !*a && !*b;
	const struct mail_part parts[] = {
		{"A  ", bare ? NULL
			: *a ? a
			     : "(defaults)"},
		{"B  ", bare ? NULL
			: *b ? b
			     : "(defaults)"},
		{"", bare ? "A and B alike" : NULL},
		{"", machine},
	};

	mail_parts(out, parts, sizeof(parts) / sizeof(parts[0]));
	if (f->judgement->aa)
		page_paragraph(out, "  ", "  ",
			       "A/A: both arms are the same; a rejection is a false alarm");
}

static void put_common_params(const struct block *b, struct text *out)
{
	json_t *const *params = b->v->subject->params;
	char *common __free(memory) = mail_params(params[ARM_A], params[ARM_B]);

	if (*common)
		page_paragraph(out, "  both  ", "        ", common);
}

/* Counts, and nothing by which the arms could be told apart. */
static void put_blind(const struct block *b, struct text *out)
{
	mail_remark(out,
		    "%zu of %" PRId64
		    " planned pairs: no figure is shown before the end, for who has seen one must "
		    "not decide where that is",
		    b->v->pairs + b->v->dropped, b->f->experiment->pairs);
	block_put_dropped(b, out);
	mail_recurrences(out, b->facts, false);
	block_put_defaults(b, out);
}

static bool put_block(const struct block *b, bool alone, struct text *out, struct error *err)
{
	put_common_params(b, out);
	if (!alone && !b->j->aa && subject_is_aa(b->v->subject))
		page_paragraph(out, "  ", "  ",
			       "A/A: both arms are the same here; a rejection is a false alarm");
	put_size(b, out, alone);
	text_puts(out, "\n");
	put_trouble(b, out);
	if (b->j->blind) {
		put_blind(b, out);
		return true;
	}
	if (!put_table(b, out, err))
		return false;
	block_put_legend(b, out);
	text_puts(out, "\n");
	if (b->v->pairs)
		block_put_columns(b, alone, out);
	block_put_rule(b, out);
	block_put_unreachable(b, out);
	mail_looks(b->f, (size_t)(b->v - b->j->subjects), out);
	block_put_explored(b, out);
	block_put_remarks(b, out);
	mail_recurrences(out, b->facts, false);
	block_put_defaults(b, out);
	return true;
}

static void put_title(const struct subject *s, struct text *out)
{
	mail_remark(out, "%s: %s", s->description->name, s->description->summary);
}

/* Says of an experiment without its planned or decided end how it ended. */
static void put_end(const struct findings *f, struct text *out)
{
	const struct judgement *j = f->judgement;
	bool interrupted = f->status == STATUS_INTERRUPTED;
	struct text line __text = {0};

	if (f->end && !interrupted && (j->finished || j->b_crashes || j->impossible))
		return;
	if (f->end)
		text_printf(&line, "ended: %s, before the planned end", f->end);
	else
		text_puts(&line, "not ended: what there is so far");
	page_paragraph(out, "  ", "  ", text_string(&line));
}

/* "48 runs in 107 s, seed 4021": of all workloads together. */
static void put_size_of_all(const struct findings *f, const struct facts *facts, struct text *out)
{
	struct text line __text = {0};

	mail_count(&line, facts->runs[ARM_A] + facts->runs[ARM_B], "run");
	if (facts->run_ns) {
		text_puts(&line, " in ");
		mail_time(&line, facts->run_ns);
	}
	text_printf(&line, ", seed %" PRIu64, f->experiment->seed);
	page_paragraph(out, "  ", "  ", text_string(&line));
}

bool mail_compare(const struct findings *f, const struct facts *facts, struct text *out,
		  struct error *err)
{
	const struct judgement *j = f->judgement;
	bool alone = j->subject_count == 1;

	if (alone)
		put_title(j->subjects[0].subject, out);
	else if (j->blind)
		mail_remark(out, "%zu workloads", j->subject_count);
	else
		mail_findings(f, out);
	put_arms(f, facts, out);
	if (!alone)
		put_size_of_all(f, facts, out);
	put_end(f, out);
	if (!alone && !j->blind && !mail_summary(f, out, err))
		return false;
	for (size_t i = 0; i < j->subject_count; i++) {
		const struct block b = {
			.f = f, .j = j, .v = &j->subjects[i], .facts = &facts->subjects[i]};

		if (!alone) {
			text_puts(out, "\n");
			put_title(b.v->subject, out);
		}
		if (!put_block(&b, alone, out, err))
			return false;
	}
	mail_history(f, facts, out);
	mail_quotes(f, facts, out);
	mail_footer(f, facts, out);
	return true;
}
