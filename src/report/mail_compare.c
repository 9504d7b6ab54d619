// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "report/block.h"

static bool is_listed(const struct metric *const *metrics, size_t count,
		      const struct metric *metric)
{
	for (size_t i = 0; i < count; i++) {
		if (metrics[i] == metric)
			return true;
	}
	return false;
}

/* The metrics of all comparisons, the primary first; returns how many. */
static size_t list_metrics(const struct block *b, const struct metric **metrics)
{
	size_t count = 0;

	for (size_t i = 0; i < b->comparison_count; i++) {
		const struct comparison *c = &b->comparisons[i];

		for (size_t k = 0; k < c->metric_count; k++) {
			if (!is_listed(metrics, count, c->metrics[k].metric))
				metrics[count++] = c->metrics[k].metric;
		}
	}
	return count;
}

/* Of two arms a row for each metric, of more one for each arm of it. Returns how many. */
static size_t put_rows(const struct block *b, struct mail_row *rows)
{
	size_t most = b->v->subject->description->metric_count, of, count = 0;
	const struct metric **metrics __free(memory) = memory_array(most, sizeof(struct metric *));
	size_t *order __free(memory) = memory_array(most, sizeof(*order));

	of = list_metrics(b, metrics);
	mail_order(metrics, of, order);
	for (size_t i = 0; i < of; i++) {
		if (b->comparison_count > 1)
			count += mail_rows_of_arms(b->comparisons, b->comparison_count,
						   metrics[order[i]], rows + count);
		else if (mail_has_row(&b->v->metrics[order[i]]))
			rows[count++] = mail_row(&b->v->metrics[order[i]]);
	}
	return count;
}

static bool put_table(const struct block *b, struct text *out, struct error *err)
{
	size_t most = b->v->subject->description->metric_count * (b->comparison_count + 1);
	struct mail_row *rows __free(memory) = memory_array(most, sizeof(*rows));

	return mail_table(out, "metric", b->f->experiment, rows, put_rows(b, rows), err);
}

/* What left a workload without an answer comes before the table. */
static void put_trouble(const struct block *b, struct text *out)
{
	const char *why = b->v->why_not ? b->v->why_not : "";
	int other = b->v->arm;
	int arm = b->v->failures_in_row[ARM_A] < b->v->failures_in_row[other] ? other : ARM_A;

	if (b->v->crashes)
		mail_remark(out, "%s CRASHES, its last %zu runs in a row: %s", arm_words[other],
			    b->v->crashes_in_row[other], why);
	else if (b->v->failures_in_row[arm])
		mail_remark(out, "NOT POSSIBLE, the last %zu runs of %s gave nothing: %s",
			    b->v->failures_in_row[arm], arm_words[arm], why);
	else
		mail_remark(out, "NOT POSSIBLE: %s", why);
}

/* What is wrong with A is wrong with all comparisons, and is said once. */
static void put_troubles(const struct block *b, struct text *out)
{
	const char *before = NULL;
	bool any = false;

	for (size_t i = 0; i < b->comparison_count; i++) {
		struct block own = *b;

		own.v = &b->comparisons[i];
		if (!block_gave_up(own.v))
			continue;
		if (!before || own.v->crashes || !own.v->why_not ||
		    !text_equal(before, own.v->why_not))
			put_trouble(&own, out);
		before = own.v->why_not;
		any = true;
	}
	text_puts(out, any ? "\n" : "");
}

/* Those that the arm has that has most. */
static size_t blocks_of(const struct block *b)
{
	size_t most = 0;

	for (size_t i = 0; i < b->comparison_count; i++) {
		if (b->comparisons[i].pairs > most)
			most = b->comparisons[i].pairs;
	}
	return most;
}

static void put_size(const struct block *b, struct text *out, bool alone)
{
	const struct subject_facts *facts = b->facts;
	struct text line __text = {0}, seed __text = {0};

	if (b->comparison_count > 1) {
		mail_count(&line, blocks_of(b), "block");
		text_puts(&line, " of ");
		mail_arms(&line, b->f->experiment);
	} else {
		mail_count(&line, b->v->pairs, "pair");
	}
	text_puts(&line, " in random order, ");
	mail_count(&line, mail_all(facts->runs), "run");
	if (mail_all(facts->not_ok))
		text_printf(&line, " (%zu ok)", mail_all(facts->runs) - mail_all(facts->not_ok));
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
	static const char *const leads[ARM_MOST] = {"A  ", "B  ", "C  ", "D  "};
	const struct experiment *e = f->experiment;
	char *machine __free(memory) = mail_machine(facts);
	struct text alike __text = {0};
	struct mail_part parts[ARM_MOST + 1];
	const char *given = "(defaults)";
	size_t count = 0;
	bool bare = true;

	for (size_t i = 0; i < e->subject_count; i++) {
		char *common __free(memory) = mail_params(&e->subjects[i], e->arm_count);

		if (*common)
			given = e->arm_count > 2 ? "(as all)" : "(as both)";
	}
	for (int arm = 0; arm < e->arm_count; arm++)
		bare &= !e->labels[arm] || !*e->labels[arm];
	for (int arm = 0; arm < e->arm_count && !bare; arm++) {
		const char *label = e->labels[arm] ? e->labels[arm] : "";

		parts[count++] = (struct mail_part){leads[arm], *label ? label : given};
	}
	if (bare) {
		mail_arms(&alike, e);
		text_puts(&alike, " alike");
		parts[count++] = (struct mail_part){"", text_string(&alike)};
	}
	parts[count++] = (struct mail_part){"", machine};
	mail_parts(out, parts, count);
	if (f->judgement->aa)
		page_paragraph(
			out, "  ", "  ",
			e->arm_count > 2
				? "A/A: all arms are the same; a rejection is a false alarm"
				: "A/A: both arms are the same; a rejection is a false alarm");
}

/* The arms that are A's doubles in this workload, where not all of them are in all workloads. */
static void put_doubles(const struct block *b, bool alone, struct text *out)
{
	struct text line __text = {0};

	if (b->j->aa)
		return;
	if (b->comparison_count == 1) {
		if (!alone && b->v->aa)
			page_paragraph(
				out, "  ", "  ",
				"A/A: both arms are the same here; a rejection is a false alarm");
		return;
	}
	for (size_t i = 0; i < b->comparison_count; i++) {
		if (b->comparisons[i].aa)
			text_printf(&line, "%s%s",
				    line.length ? ", " : "A/A: ", arm_words[b->comparisons[i].arm]);
	}
	if (!line.length)
		return;
	text_printf(&line, " the same as A%s; a rejection is a false alarm", alone ? "" : " here");
	page_paragraph(out, "  ", "  ", text_string(&line));
}

static void put_common_params(const struct block *b, struct text *out)
{
	char *common __free(memory) = mail_params(b->v->subject, b->f->experiment->arm_count);

	if (*common && b->comparison_count > 1)
		page_paragraph(out, "  all   ", "        ", common);
	else if (*common)
		page_paragraph(out, "  both  ", "        ", common);
}

/* What is said of the runs of all arms, apart from what is said of each. */
static void put_runs(const struct block *b, struct text *out)
{
	struct text runs __text = {0};

	if (!b->j->blind)
		mail_diagnoses(b->f, b->all, b->v->index, &runs);
	mail_recurrences(&runs, b->facts, false);
	block_put_defaults(b, &runs);
	if (runs.length && b->comparison_count > 1)
		text_puts(out, "\n");
	text_append(out, text_string(&runs), runs.length);
}

static size_t tried_by(const struct block *b)
{
	size_t most = 0;

	for (size_t i = 0; i < b->comparison_count; i++) {
		size_t own = b->comparisons[i].pairs + b->comparisons[i].dropped;

		most = own > most ? own : most;
	}
	return most;
}

/* Counts, and nothing by which the arms could be told apart. */
static void put_blind(const struct block *b, struct text *out)
{
	mail_remark(out,
		    "%zu of %" PRId64
		    " planned pairs: no figure is shown before the end, for who has seen one must "
		    "not decide where that is",
		    tried_by(b), b->f->experiment->pairs);
	block_put_each(b, out, block_put_dropped);
	put_runs(b, out);
}

/* What is said of one comparison. */
static void put_comparison(const struct block *b, struct text *out)
{
	block_put_rule(b, out);
	if (b->comparison_count == 1)
		block_put_unreachable(b, out);
	mail_looks(b->f, b->v, out);
	block_put_explored(b, out);
	block_put_remarks(b, out);
}

static bool put_block(const struct block *b, bool alone, struct text *out, struct error *err)
{
	put_common_params(b, out);
	put_doubles(b, alone, out);
	put_size(b, out, alone);
	if (alone)
		mail_doubts(b->all, out);
	text_puts(out, "\n");
	put_troubles(b, out);
	if (b->j->blind) {
		put_blind(b, out);
		return true;
	}
	if (!put_table(b, out, err))
		return false;
	block_put_legend(b, out);
	text_puts(out, "\n");
	if (blocks_of(b))
		block_put_columns(b, alone, out);
	/* Of two arms the families stand between the rule and what is behind it. */
	if (b->comparison_count > 1) {
		block_put_unreachable(b, out);
		block_put_samples(b, out);
	}
	block_put_each(b, out, put_comparison);
	put_runs(b, out);
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

	if (f->end && !interrupted && (j->finished || j->crashes || j->impossible))
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

	mail_count(&line, mail_all(facts->runs), "run");
	if (facts->run_ns) {
		text_puts(&line, " in ");
		mail_time(&line, facts->run_ns);
	}
	text_printf(&line, ", seed %" PRIu64, f->experiment->seed);
	page_paragraph(out, "  ", "  ", text_string(&line));
}

/* The first lines: what was found, and of what. */
static void put_first_lines(const struct findings *f, bool alone, struct text *out)
{
	const struct experiment *e = f->experiment;
	bool blind = f->judgement->blind;

	if (alone && !e->curve_count) {
		if (!blind)
			mail_finding(f, out);
		put_title(&e->subjects[0], out);
		return;
	}
	if (!blind)
		mail_findings(f, out);
	else if (!alone)
		mail_remark(out, "%zu workloads", mail_workloads(e));
	if (alone)
		put_title(&e->subjects[0], out);
}

static bool put_workload(const struct findings *f, const struct facts *facts, size_t subject,
			 bool alone, struct text *out, struct error *err)
{
	const struct curve *curve = experiment_curve(f->experiment, subject);
	size_t others = (size_t)f->experiment->arm_count - 1;
	const struct comparison *first = &f->judgement->comparisons[subject * others];
	const struct block b = {
		.f = f,
		.j = f->judgement,
		.v = first,
		.comparisons = first,
		.comparison_count = others,
		.all = facts,
		.facts = &facts->subjects[subject],
	};

	/* With the first of its points the whole curve was put. */
	if (curve && curve->first != subject)
		return true;
	if (!alone) {
		text_puts(out, "\n");
		put_title(b.v->subject, out);
	}
	return curve ? mail_curve(f, facts, curve, alone, out, err)
		     : put_block(&b, alone, out, err);
}

bool mail_compare(const struct findings *f, const struct facts *facts, struct text *out,
		  struct error *err)
{
	const struct experiment *e = f->experiment;
	bool alone = mail_workloads(e) == 1;

	put_first_lines(f, alone, out);
	put_arms(f, facts, out);
	if (!alone)
		put_size_of_all(f, facts, out);
	put_end(f, out);
	if (!alone)
		mail_doubts(facts, out);
	if (!alone && !f->judgement->blind && !mail_summary(f, out, err))
		return false;
	for (size_t i = 0; i < e->subject_count; i++) {
		if (!put_workload(f, facts, i, alone, out, err))
			return false;
	}
	mail_history(f, facts, out);
	mail_quotes(f, facts, out);
	mail_footer(f, facts, out);
	return true;
}
