// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "experiment/repeat.h"
#include "report/mail_plan.h"

/* What all parts need. */
struct page_of_plan {
	const struct plan_findings *f;
	const struct planning_terms *terms;
	const struct planning_subject *s;
	const struct planning_metric *primary;
	const struct plan_origin *origin;
	const struct findings *source; /* its experiment, as a report has it */
	const struct facts *facts;     /* of these */
};

/* As it was typed, "1 %", "0.25 %". */
static char *plain_percent(double ratio)
{
	struct text out = {0};

	percent_print(&out, ratio);
	return text_take(&out);
}

/* A spread: of logarithms in percent, else in the metric's unit. */
static char *spread(const struct planning_metric *m, double sd)
{
	struct text plain __text = {0}, out = {0};

	if (m->scale == SCALE_LOG)
		return mail_plan_percent(sd);
	figure_print_alone(&plain, sd, m->metric->unit);
	page_ascii(&out, text_string(&plain), 0);
	return text_take(&out);
}

static double time_of(const struct planning_subject *s, double pairs)
{
	return s->pair_ns ? pairs * (double)s->pair_ns : NAN;
}

/* ---- where it comes from ---- */

static void put_machine(const struct page_of_plan *p, struct text *out)
{
	char *params __free(memory) = mail_params(p->s->subject, 1);
	char *machine __free(memory) = mail_machine(p->facts);
	const struct mail_part parts[] = {{"", params}, {"", machine}};

	mail_parts(out, parts, 2);
}

static void put_origin(const struct page_of_plan *p, struct text *out)
{
	const struct experiment *e = p->s->source->experiment;
	char *age __free(memory) = mail_plan_time((double)(p->f->now_ns - e->created_ns));
	char *took __free(memory) = mail_plan_time((double)p->s->pair_ns);
	struct text line __text = {0};

	text_printf(&line, "from experiment %" PRId64, e->id);
	if (p->origin->pilot)
		text_puts(&line, ", a pilot for this plan");
	else if (e->created_ns > 0 && p->f->now_ns > e->created_ns)
		text_printf(&line, ", %s ago", age);
	text_puts(&line, p->s->aa ? ", A/A: " : ", of two different arms: ");
	mail_count(&line, p->s->pairs, "pair");
	if (p->s->dropped)
		text_printf(&line, " (%zu dropped)", p->s->dropped);
	if (p->s->pair_ns)
		text_printf(&line, " of %s", took);
	if (p->s->first_drop)
		text_printf(&line, "; dropped%s: %s", p->s->dropped > 1 ? ", the first" : "",
			    p->s->first_drop);
	page_paragraph(out, "  ", "    ", text_string(&line));
	if (p->origin->passed_over)
		page_paragraph(out, "  ", "    ", p->origin->passed_over);
}

static void put_head(const struct page_of_plan *p, struct text *out)
{
	const struct description *d = p->s->subject->description;

	mail_remark(out, "plan for %s: %s", d->name, d->summary);
	put_machine(p, out);
	put_origin(p, out);
	mail_doubts(p->facts, out);
}

/* ---- the primary ---- */

/* Why there is no plan; false: there is one. */
static bool put_why_not(const struct page_of_plan *p, struct text *out)
{
	const struct planning_metric *m = p->primary;
	char *label __free(memory) = facts_label(m->metric);

	switch (m->state) {
	case PLANNING_KNOWN:
		return false;
	case PLANNING_ALIKE:
		mail_remark(out,
			    "%s: identical: the differences of all %zu pairs are the same, so any "
			    "number of pairs shows any effect: --pairs %zu and, with looks, "
			    "--max-pairs %zu are the least that can reject",
			    label, m->pairs, m->least_fixed, m->least_looks);
		return true;
	case PLANNING_NOTHING:
		mail_remark(out,
			    "%s: 0 in at least half of the runs of A: no effect in per cent of it "
			    "can be planned for",
			    label);
		return true;
	default:
		mail_remark(out,
			    "%s: %zu of %zu pairs have a figure%s%s: the spread is not known, it "
			    "takes 2, and half of all",
			    label, m->pairs, p->s->pairs, m->refusal ? "; " : "",
			    m->refusal ? m->refusal : "");
		return true;
	}
}

static void put_spread(const struct page_of_plan *p, struct text *out)
{
	const struct planning_metric *m = p->primary;
	char *label __free(memory) = facts_label(m->metric);
	char *sd __free(memory) = spread(m, m->sd), *upper __free(memory) = spread(m, m->sd_upper);

	mail_remark(out,
		    "%s: sd of a pair's difference %s, at 80 %% confidence not above %s, which the "
		    "plan goes by",
		    label, sd, upper);
}

/* "too noisy for a change of 1 %: ... at 40 pairs this machine sees 42 %, or 49 % with looks" */
static void put_too_noisy(const struct page_of_plan *p, struct text *out)
{
	const struct planning_floor *usual = planning_usual(p->primary);
	char *effect __free(memory) = plain_percent(planning_asked(p->primary)->effect);
	char *power __free(memory) = plain_percent(p->terms->power);
	char *fixed __free(memory) = mail_plan_effect(usual->fixed);
	char *looks __free(memory) = mail_plan_effect(usual->looks);

	mail_remark(out,
		    "too noisy for a change of %s: to be seen in %s of experiments it takes more "
		    "than %d pairs; at %d pairs this machine sees %s planned, %s with looks",
		    effect, power, PLANNING_PAIRS_MAX, PLANNING_PAIRS_USUAL, fixed, looks);
}

/* "a change of 1 % is seen in 80 % of experiments by --pairs 10 (23 s), ..." */
static void put_answer(const struct page_of_plan *p, struct text *out)
{
	const struct planning_row *row = planning_asked(p->primary);
	char *effect __free(memory) = plain_percent(row->effect);
	char *power __free(memory) = plain_percent(p->terms->power);
	char *fixed __free(memory) = mail_plan_time(time_of(p->s, (double)row->fixed));
	char *used __free(memory) = mail_plan_time(time_of(p->s, row->used));
	struct text line __text = {0};

	if (!row->fixed) {
		put_too_noisy(p, out);
		return;
	}
	text_printf(&line, "a change of %s is seen in %s of experiments by --pairs %zu (%s)",
		    effect, power, row->fixed, fixed);
	if (row->most)
		text_printf(&line,
			    ", or with looks by --max-pairs %zu, of which %.1f are used on average "
			    "(%s)",
			    row->most, row->used, used);
	else
		text_printf(&line, "; with looks it takes more than %d", PLANNING_PAIRS_MAX);
	mail_remark(out, "%s", text_string(&line));
}

static bool put_rows(const struct page_of_plan *p, struct text *out, struct error *err)
{
	static const struct page_column columns[] = {
		{"effect", false},	 {"--pairs N", true},  {"time", true},
		{"--max-pairs N", true}, {"on average", true}, {"time", true},
	};
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 6};
	const struct planning_metric *m = p->primary;
	char *margin __free(memory) = plain_percent(p->terms->margin);
	char **cells;

	for (size_t i = 0; i < m->row_count; i++) {
		const struct planning_row *row = &m->rows[i];
		char *effect __free(memory) = plain_percent(row->effect);

		cells = page_table_row(&t);
		cells[0] = text_format("%s%s", effect, row->asked ? " *" : "");
		cells[1] = mail_plan_pairs(row->fixed);
		cells[2] = mail_plan_time(time_of(p->s, (double)row->fixed));
		cells[3] = mail_plan_pairs(row->most);
		cells[4] = isnan(row->used) ? memory_string("-") : text_format("%.1f", row->used);
		cells[5] = mail_plan_time(time_of(p->s, row->used));
	}
	for (int sides = 1; sides <= 2 && m->scale == SCALE_LOG; sides++) {
		size_t pairs = sides == 1 ? m->clearing : m->enclosing;

		cells = page_table_row(&t);
		cells[0] =
			text_format("none: %s %s", sides == 1 ? "cleared of" : "within -+", margin);
		cells[1] = mail_plan_pairs(pairs);
		cells[2] = mail_plan_time(time_of(p->s, (double)pairs));
	}
	if (!page_table_print(out, &t, err))
		return false;
	mail_remark(out, "* asked for; with --max-pairs, 40 by default, contend ab ends when it "
			 "is decided");
	return true;
}

static bool put_floors(const struct page_of_plan *p, struct text *out, struct error *err)
{
	static const struct page_column columns[] = {
		{"noise floor: pairs", false},
		{"--pairs N sees", true},
		{"looks see", true},
		{"time at most", true},
	};
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 4};
	const struct planning_metric *m = p->primary;

	for (size_t i = 0; i < m->floor_count; i++) {
		const struct planning_floor *f = &m->floors[i];
		char **cells = page_table_row(&t);

		cells[0] = text_format("%zu%s", f->pairs, f->own ? ", as the source has" : "");
		cells[1] = mail_plan_effect(f->fixed);
		cells[2] = mail_plan_effect(f->looks);
		cells[3] = mail_plan_time(time_of(p->s, (double)f->pairs));
	}
	return page_table_print(out, &t, err);
}

/* ---- the other metrics ---- */

static bool put_others(const struct page_of_plan *p, struct text *out, struct error *err)
{
	char *effect __free(memory) = plain_percent(p->terms->effect);
	char *pairs __free(memory) = text_format("--pairs N for %s", effect);
	const struct page_column columns[] = {
		{"other metrics", false}, {"sd", true}, {"not above", true}, {pairs, true}};
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 4};

	for (size_t i = 1; i < p->s->metric_count; i++) {
		const struct planning_metric *m = &p->s->metrics[i];
		char **cells;

		if (!m->pairs)
			continue;
		cells = page_table_row(&t);
		cells[0] = facts_label(m->metric);
		if (m->state == PLANNING_KNOWN) {
			cells[1] = spread(m, m->sd);
			cells[2] = spread(m, m->sd_upper);
			cells[3] = mail_plan_pairs(planning_asked(m)->fixed);
		} else {
			cells[3] = memory_string(m->state == PLANNING_ALIKE ? "identical" : "-");
		}
	}
	if (!t.row_count)
		return true;
	text_puts(out, "\n");
	if (!page_table_print(out, &t, err))
		return false;
	if (p->s->metrics[1].comparisons > 1)
		mail_remark(out, "these at %.2g each, alpha %g for %zu comparisons",
			    p->s->metrics[1].level, p->terms->alpha, p->s->metrics[1].comparisons);
	return true;
}

/* ---- ---- */

static bool put_subject(const struct page_of_plan *p, struct text *out, struct error *err)
{
	put_head(p, out);
	text_puts(out, "\n");
	if (!put_why_not(p, out)) {
		put_spread(p, out);
		put_answer(p, out);
		text_puts(out, "\n");
		if (!put_rows(p, out, err))
			return false;
		text_puts(out, "\n");
		if (!put_floors(p, out, err))
			return false;
		text_puts(out, "\n");
		if (!mail_plan_windows(p->s, out, err))
			return false;
	}
	return put_others(p, out, err);
}

/* The pairs that all workloads need, as each gets the same number; 0: not known of one. */
static size_t pairs_of_all(const struct planning *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->subject_count; i++) {
		const struct planning_metric *m = &p->subjects[i].metrics[0];
		size_t pairs = m->state == PLANNING_KNOWN   ? planning_asked(m)->fixed
			       : m->state == PLANNING_ALIKE ? m->least_fixed
							    : 0;

		if (!pairs)
			return 0;
		most = pairs > most ? pairs : most;
	}
	return most;
}

/* Several workloads: what they share, and what all of them take. */
static void put_together(const struct plan_findings *f, struct text *out)
{
	const struct planning *p = f->planning;
	size_t pairs = pairs_of_all(p);
	double time_ns = 0;

	for (size_t i = 0; i < p->subject_count; i++)
		time_ns += time_of(&p->subjects[i], (double)pairs);

	char *time __free(memory) = mail_plan_time(time_ns);
	char *effect __free(memory) = plain_percent(p->terms.effect);

	text_puts(out, "\n");
	mail_remark(out,
		    "%zu workloads are one family: each is planned at alpha / %zu = %.3g, which "
		    "the first of them to be decided needs",
		    p->subject_count, p->subject_count, p->terms.alpha / (double)p->subject_count);
	if (pairs)
		mail_remark(out, "%s in all of them: --pairs %zu, %s together", effect, pairs,
			    time);
	else
		mail_remark(out, "%s in all of them: no number of pairs, for the reasons above",
			    effect);
}

/* The command that the plan leads to, of all its workloads, as far as one can be written. */
static void put_command(const struct plan_findings *f, struct text *out)
{
	const struct planning *p = f->planning;
	struct subject *subjects __free(memory) = memory_array(p->subject_count, sizeof(*subjects));
	/* All but the terms is borrowed. */
	struct experiment e = *p->subjects[0].source->experiment;
	char *question __free(memory) = NULL;
	char *command __free(memory) = NULL;
	struct error unwritable;
	bool aa = true, written;

	e.plan = PLAN_PAIRS;
	e.pairs = (int64_t)pairs_of_all(p);
	e.alpha = p->terms.alpha;
	e.margin = p->terms.margin;
	e.strict = false;
	e.subjects = subjects;
	e.subject_count = p->subject_count;
	for (size_t i = 0; i < p->subject_count; i++) {
		subjects[i] = *p->subjects[i].subject;
		subjects[i].primary = p->subjects[i].source->primary;
		aa &= p->subjects[i].aa;
	}
	e.curves = NULL;
	e.curve_count = 0;
	experiment_regroup(&e);
	written = e.pairs && repeat_question(&e, &question, &unwritable);
	experiment_free_curves(&e);
	if (!written) {
		mail_remark(out, "contend %s", f->version);
		return;
	}
	/* Whoever plans by arms that are alike has others in mind. */
	command = text_format("%s%s", question, aa ? " --b KEY=VALUE,..." : "");
	mail_remark(out, "contend %s; for example:", f->version);
	page_command(out, command);
}

/* True when the subject after this one is of the same experiment, whose machine is said once. */
static bool is_same_experiment(const struct planning *p, size_t i)
{
	return i + 1 < p->subject_count && p->subjects[i].source->experiment->id &&
	       p->subjects[i].source->experiment->id == p->subjects[i + 1].source->experiment->id;
}

bool plan_mail(const struct plan_findings *f, struct text *out, struct error *err)
{
	for (size_t i = 0; i < f->planning->subject_count; i++) {
		const struct planning_subject *s = &f->planning->subjects[i];
		const struct findings source = {
			.experiment = s->source->experiment,
			.runs = s->source->runs,
		};
		struct facts facts __cleanup(facts_done) = facts_collect(&source);
		const struct page_of_plan page = {
			.f = f,
			.terms = &f->planning->terms,
			.s = s,
			.primary = &s->metrics[0],
			.origin = &f->origins[i],
			.source = &source,
			.facts = &facts,
		};

		if (i)
			text_puts(out, "\n");
		if (!put_subject(&page, out, err))
			return false;
		if (is_same_experiment(f->planning, i))
			continue;
		text_puts(out, "\n");
		mail_environment(&source, &facts, out);
	}
	if (f->planning->subject_count > 1)
		put_together(f, out);
	put_command(f, out);
	return true;
}
