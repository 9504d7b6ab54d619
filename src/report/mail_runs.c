// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "judge/arm.h"
#include "stats/order.h"

/* More runs than that are not listed one by one: the JSON report has each. */
enum { RUNS_LISTED = 200 };

/* What all parts need. */
struct page_of_runs {
	const struct findings *f;
	const struct facts *facts;
	const struct arm_description *d;
	const struct subject_facts *own;
};

/* ---- above the table ---- */

static void put_head(const struct page_of_runs *p, struct text *out)
{
	const struct subject *s = p->d->subject;
	char *params __free(memory) = mail_params(s, 1);
	char *machine __free(memory) = mail_machine(p->facts);
	const struct mail_part parts[] = {{"", params}, {"", machine}};
	struct text line __text = {0};

	mail_remark(out, "%s: %s", s->description->name, s->description->summary);
	mail_parts(out, parts, 2);
	mail_count(&line, p->d->runs, "run");
	mail_windows(&line, p->own);
	text_puts(&line, ", one after the other: one arm, described; it says nothing about a "
			 "difference");
	page_paragraph(out, "  ", "  ", text_string(&line));
	if (!p->f->end || text_equal(p->f->end, "interrupted")) {
		text_done(&line);
		text_printf(&line, "%s: %zu of %" PRId64 " planned runs",
			    p->f->end ? "ended: interrupted" : "not ended", p->d->runs,
			    p->f->experiment->pairs);
		page_paragraph(out, "  ", "  ", text_string(&line));
	}
	mail_doubts(p->facts, out);
}

/* Runs that have no figure, and why: nothing stands in for them. */
static void put_troubles(const struct page_of_runs *p, struct text *out)
{
	const struct recurrences *troubles = &p->own->troubles;

	if (!troubles->count)
		return;
	text_puts(out, "\n");
	if (p->d->failures_in_row >= JUDGE_GIVE_UP_RUNS)
		mail_remark(out,
			    "NOT POSSIBLE, given up after %zu of %" PRId64
			    " runs: the last %zu gave nothing",
			    p->d->runs, p->f->experiment->pairs, p->d->failures_in_row);
	if (p->d->ok)
		mail_remark(out,
			    "%zu of %zu runs ok: only these are in the figures, and nothing was "
			    "run in place of the others",
			    p->d->ok, p->d->runs);
	mail_troubles(out, p->own);
}

/* ---- the table ---- */

/* The figures of a row have one unit, which stands with the median. */
static struct figure_style style_of(const struct arm_metric *m)
{
	const double shown[] = {m->median, m->mean, m->min, m->max};

	return figure_style_of(m->metric->unit, shown, 4);
}

static char *figure_cell(const struct figure_style *style, double value, bool unit)
{
	struct figure_style own = *style;
	struct text plain __text = {0};
	struct text out = {0};

	if (!unit) {
		own.gap = "";
		own.unit[0] = '\0';
	}
	figure_print(&plain, &own, value);
	page_ascii(&out, text_string(&plain), 0);
	return text_take(&out);
}

static char *interval_cell(const struct arm_metric *m, const struct figure_style *style)
{
	char *low __free(memory) = figure_cell(style, m->interval.low, false);
	char *high __free(memory) = figure_cell(style, m->interval.high, false);

	return m->centre == ARM_NONE ? memory_string("-") : text_format("%s .. %s", low, high);
}

static void fill_row(char **cells, const struct arm_metric *m)
{
	struct figure_style style = style_of(m);
	char *label __free(memory) = mail_row_label(m->metric, &style);

	cells[0] = text_format("%s%s", label, m->primary ? " *" : "");
	cells[1] = figure_cell(&style, m->median, true);
	cells[2] = figure_cell(&style, m->mean, false);
	/* Two digits behind the point, as perf stat -r has them. */
	cells[3] = isnan(m->error_ratio) ? memory_string("-")
					 : text_format("%.2f%%", 100 * m->error_ratio);
	cells[4] = interval_cell(m, &style);
	cells[5] = figure_cell(&style, m->min, false);
	cells[6] = figure_cell(&style, m->max, false);
}

static bool put_table(const struct page_of_runs *p, struct text *out, struct error *err)
{
	char *level __free(memory) =
		text_format("%g %% interval", 100 * (1 - p->f->experiment->alpha));
	const struct page_column columns[] = {
		{"metric", false}, {"median", true}, {"mean", true}, {"+-", true},
		{level, true},	   {"min", true},    {"max", true},
	};
	struct page_table t __cleanup(page_table_done) = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(columns[0]),
	};
	size_t count = p->d->metric_count;
	const struct metric **metrics __free(memory) = memory_array(count, sizeof(struct metric *));
	size_t *order __free(memory) = memory_array(count, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		metrics[i] = p->d->metrics[i].metric;
	mail_order(metrics, count, order);
	for (size_t i = 0; i < count; i++) {
		if (p->d->metrics[order[i]].n)
			fill_row(page_table_row(&t), &p->d->metrics[order[i]]);
	}
	if (!t.row_count)
		return true;
	text_puts(out, "\n");
	return page_table_print(out, &t, err);
}

/* ---- below the table ---- */

static bool same_kind(const struct arm_metric *a, const struct arm_metric *b)
{
	return a->n == b->n && a->centre == b->centre;
}

/* "smallest", "2nd smallest". */
static void put_rank(struct text *line, size_t rank, const char *what)
{
	const char *ending = "th";

	if (rank % 100 < 11 || rank % 100 > 13)
		ending = rank % 10 == 1	  ? "st"
			 : rank % 10 == 2 ? "nd"
			 : rank % 10 == 3 ? "rd"
					  : "th";
	if (rank > 1)
		text_printf(line, "%zu%s ", rank, ending);
	text_puts(line, what);
}

static void put_kind(struct text *line, const struct arm_metric *m)
{
	if (m->centre == ARM_MEDIAN) {
		text_puts(line, "interval of the median, from the ");
		put_rank(line, m->rank, "smallest");
		text_puts(line, " to the ");
		put_rank(line, m->rank, "largest");
		text_printf(line, " of %zu runs: covers %.1f %%", m->n, 100 * m->coverage);
	} else if (m->centre == ARM_GEOMETRIC_MEAN) {
		text_printf(line,
			    "interval of the geometric mean, Student's t on logarithms (of the "
			    "median, where these are spread alike to both sides): %zu runs are too "
			    "few to bound a median without that",
			    m->n);
	} else if (m->centre == ARM_MEAN) {
		text_printf(line,
			    "interval of the mean, Student's t: %zu runs are too few to bound a "
			    "median",
			    m->n);
	} else if (m->n < ARM_LEAST_RUNS) {
		text_printf(line, "no interval from %zu run%s, it takes %d", m->n,
			    m->n == 1 ? "" : "s", ARM_LEAST_RUNS);
	} else {
		text_printf(line, "no interval from %zu runs that are all alike", m->n);
	}
}

/* The first metric with a row, whose kind of interval the legend explains. */
static const struct arm_metric *leader(const struct arm_description *d)
{
	for (size_t i = 0; i < d->metric_count; i++) {
		if (d->metrics[i].n)
			return &d->metrics[i];
	}
	return NULL;
}

static void put_legend(const struct page_of_runs *p, const struct arm_metric *first,
		       struct text *out)
{
	struct text line __text = {0};

	if (first->primary)
		text_puts(&line, "* primary; ");
	put_kind(&line, first);
	mail_remark(out, "%s", text_string(&line));
	if (p->d->ok > 1)
		mail_remark(out, "+-: standard error of the mean, sd / sqrt(n), as perf stat -r "
				 "prints it");
}

/* Metrics whose interval is of another kind than the legend explains, each kind once. */
static void put_other_kinds(const struct page_of_runs *p, const struct arm_metric *first,
			    struct text *out)
{
	for (size_t i = 0; i < p->d->metric_count; i++) {
		const struct arm_metric *m = &p->d->metrics[i];
		struct mail_labels labels __cleanup(mail_labels_done) = {0};
		struct text line __text = {0};
		bool seen = !m->n || same_kind(m, first);

		for (size_t k = 0; k < i; k++)
			seen |= same_kind(m, &p->d->metrics[k]);
		if (seen)
			continue;
		for (size_t k = i; k < p->d->metric_count; k++) {
			if (same_kind(m, &p->d->metrics[k]))
				mail_add_label(&labels, p->d->metrics[k].metric);
		}
		text_printf(&line, "%s: ", text_string(&labels.text));
		put_kind(&line, m);
		mail_remark(out, "%s", text_string(&line));
	}
}

/* "writer latency p50, run by run, us: 27.6 invalid 27.4": in the order of time. */
static void put_each(const struct page_of_runs *p, const struct arm_metric *m, struct text *out)
{
	const struct entries *runs = p->f->runs;
	struct figure_style style = style_of(m);
	char *label __free(memory) = mail_label(m->metric, &style);
	struct text line __text = {0}, unit __text = {0};
	size_t listed = 0;

	/* "1/s" where a cell has "1997/s". */
	page_ascii(&unit, *style.unit == '/' ? "1" : "", 0);
	page_ascii(&unit, style.unit + strspn(style.unit, " "), 0);
	text_printf(&line, "%s, run by run%s%s:", label, unit.length ? ", " : "",
		    text_string(&unit));
	for (size_t i = 0; i < runs->count && listed < RUNS_LISTED; i++, listed++) {
		const struct run *run = runs->list[i].run;
		char *figure __free(memory) = NULL;
		struct error why;
		double value;

		if (run->outcome == OUTCOME_OK && run_figure(run, m->metric, &value, &why))
			figure = figure_cell(&style, value, false);
		text_printf(&line, " %s",
			    figure			 ? figure
			    : run->outcome == OUTCOME_OK ? "-"
							 : outcome_words[run->outcome]);
	}
	if (listed < runs->count)
		text_printf(&line, " and %zu others, which the JSON report has",
			    runs->count - listed);
	if (m->primary && m->n > 1) {
		char *sd __free(memory) = figure_cell(&style, m->sd, true);

		text_printf(&line, "; sd %s", sd);
	}
	page_paragraph(out, "", "  ", text_string(&line));
}

static void put_drift(const struct arm_metric *m, struct text *out)
{
	char *label __free(memory) = facts_label(m->metric);
	struct text p __text = {0};

	probability_print(&p, m->drift_p_adjusted);
	mail_remark(out,
		    "DRIFT: %s %s from run to run (Mann-Kendall, tau %+.2f, %sp %s%s): its figures "
		    "describe no steady state",
		    label, m->drift.tau > 0 ? "rose" : "fell", m->drift.tau,
		    m->drift.exact ? "exact " : "", text_string(&p), m->primary ? "" : " by Holm");
}

static void put_series(const struct page_of_runs *p, struct text *out)
{
	for (size_t i = 0; i < p->d->metric_count; i++) {
		const struct arm_metric *m = &p->d->metrics[i];

		if (m->drifts)
			put_drift(m, out);
		if (m->n && (m->primary || m->drifts))
			put_each(p, m, out);
	}
}

/*
 * What a maximum says of runs to come: it is no parameter of a distribution, and no interval of it.
 * Of few runs nearly nothing.
 */
static void put_exceedance(const struct page_of_runs *p, struct text *out)
{
	double level = 1 - p->f->experiment->alpha;
	size_t n = 0;

	for (size_t i = 0; i < p->d->metric_count; i++) {
		const struct arm_metric *m = &p->d->metrics[i];

		if (m->metric->summary == SUMMARY_MAX && m->centre == ARM_MEDIAN && !m->drifts)
			n = m->n;
	}
	if (n)
		mail_remark(out,
			    "max: of further runs at most %.1f %% will exceed the largest of these "
			    "%zu (at %g %%, if nothing changes)",
			    100 * order_exceedance_bound(n, level), n, 100 * level);
}

/* A maximum grows with the time measured: between such windows maxima say little together. */
static void put_maxima(const struct page_of_runs *p, struct text *out)
{
	struct text labels __text = {0};

	if ((p->own->window_high_ns - p->own->window_low_ns) * 100 <= p->own->window_low_ns) {
		put_exceedance(p, out);
		return;
	}
	for (size_t i = 0; i < p->d->metric_count; i++) {
		const struct arm_metric *m = &p->d->metrics[i];
		char *label __free(memory) = facts_label(m->metric);

		if (m->n > 1 && m->metric->summary == SUMMARY_MAX)
			text_printf(&labels, "%s%s", labels.length ? ", " : "", label);
	}
	if (labels.length)
		mail_remark(out, "maxima of windows that are not of one length: %s",
			    text_string(&labels));
}

/* True for the first metric of those that have a series in common. */
static bool first_of_series(const struct arm_description *d, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		const struct arm_metric *before = &d->metrics[i];

		if (before->n && facts_has_samples(before->metric->summary) &&
		    text_equal(before->metric->of, d->metrics[index].metric->of))
			return false;
	}
	return true;
}

static void put_samples(const struct page_of_runs *p, struct text *out)
{
	struct text line __text = {0};

	for (size_t i = 0; i < p->d->metric_count; i++) {
		const struct arm_metric *m = &p->d->metrics[i];
		char *series __free(memory) = memory_string(m->metric->of);

		if (!m->n || !facts_has_samples(m->metric->summary) || !first_of_series(p->d, i))
			continue;
		series[strcspn(series, ".")] = ' ';
		text_printf(&line, "%s%s %" PRId64, line.length ? ", " : "", series, m->samples);
	}
	if (line.length)
		mail_remark(out, "samples a run (median; they are not n): %s", text_string(&line));
}

static void put_refused(const struct page_of_runs *p, struct text *out)
{
	struct mail_refusal *list __free(memory) = memory_array(p->d->metric_count, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < p->d->metric_count; i++) {
		const struct arm_metric *m = &p->d->metrics[i];
		char *label __free(memory) = facts_label(m->metric);

		if (!m->refusal || mail_is_short(p->f, 0, m->metric))
			continue;
		if (m->n)
			mail_remark(out, "%s: from %zu of %zu runs; another had no figure: %s",
				    label, m->n, p->d->ok, m->refusal);
		else
			list[count++] = (struct mail_refusal){m->metric, m->refusal};
	}
	mail_no_figures(p->d->subject, list, count, out);
}

bool mail_runs(const struct findings *f, const struct facts *facts, struct text *out,
	       struct error *err)
{
	struct arm_description *d __free(arm_description) = arm_describe(f->experiment, f->runs, 0);
	const struct page_of_runs p = {.f = f, .facts = facts, .d = d, .own = &facts->subjects[0]};
	const struct arm_metric *first;

	put_head(&p, out);
	put_troubles(&p, out);
	if (!put_table(&p, out, err))
		return false;
	first = leader(d);
	if (first) {
		put_legend(&p, first, out);
		text_puts(out, "\n");
		put_series(&p, out);
		put_other_kinds(&p, first, out);
		put_maxima(&p, out);
		put_samples(&p, out);
	}
	mail_shortage(f, 0, out);
	put_refused(&p, out);
	mail_diagnoses(f, facts, 0, out);
	mail_recurrences(out, p.own, true);
	mail_footer(f, facts, out);
	return true;
}
