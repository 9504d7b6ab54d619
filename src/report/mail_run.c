// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "judge/within.h"

/* More tasks than that are summed up by role: the JSON report has each. */
enum { TASKS_SHOWN = 16 };

/* ---- metrics ---- */

static char *row_label(const struct subject *s, const struct metric *m,
		       const struct figure_style *style)
{
	char *label __free(memory) = mail_row_label(m, style);

	return text_format("%s%s", label, text_equal(m->name, s->primary) ? " *" : "");
}

static char *plain_cell(const struct figure_style *style, double value)
{
	struct figure_style own = *style;
	struct text out = {0};

	own.gap = "";
	own.unit[0] = '\0';
	figure_print(&out, &own, value);
	return text_take(&out);
}

static char *within_cell(const struct within *w, const struct figure_style *style)
{
	char *low __free(memory) = plain_cell(style, w->interval.low);
	char *high __free(memory) = plain_cell(style, w->interval.high);

	return text_format("%s .. %s", low, high);
}

static size_t count_within(const struct within *within, size_t count, bool exact)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += within[i].known && within[i].exact == exact;
	return found;
}

/* What the interval of a quantile is, and which have none. */
static void put_within(const struct findings *f, const struct subject *s, const struct run *run,
		       const struct within *within, struct text *out)
{
	const struct description *d = s->description;
	double level = 1 - f->experiment->alpha;
	size_t exact = count_within(within, d->metric_count, true);
	size_t rounded = count_within(within, d->metric_count, false);
	struct text without __text = {0};

	for (size_t i = 0; i < d->metric_count; i++) {
		const struct metric *m = &d->metrics[i];
		int64_t count = run_figure_count(run, m);
		int64_t needs = within_least_samples(m->summary, level);
		char *label __free(memory) = facts_label(m);

		if (!within[i].known && needs && count >= summary_least_samples(m->summary))
			text_printf(&without, "%s%s has %" PRId64 " of %" PRId64,
				    without.length ? ", " : "", label, count, needs);
	}
	if (exact || rounded)
		mail_remark(out,
			    "interval within the run, at %g %% or more, if its samples were "
			    "independent: says how well this run's quantile is known, nothing "
			    "about other runs; its ends are %s%s%s",
			    100 * level, exact ? "samples" : "",
			    exact && rounded ? " where raw= has all of a series, otherwise " : "",
			    rounded ? "rounded outward, by 0.8 % at most" : "");
	if (without.length)
		mail_remark(out,
			    "no interval, which takes more samples than the quantile itself: %s",
			    text_string(&without));
}

/* What has no row. */
static void put_absent(const struct findings *f, const struct subject *s, const struct run *run,
		       struct text *out)
{
	const struct description *d = s->description;
	size_t subject = (size_t)(s - f->experiment->subjects), count = 0;
	struct error *why __free(memory) = memory_array(d->metric_count, sizeof(*why));
	struct mail_refusal *list __free(memory) = memory_array(d->metric_count, sizeof(*list));

	mail_shortage(f, subject, out);
	for (size_t i = 0; i < d->metric_count; i++) {
		const struct metric *m = &d->metrics[i];
		bool primary = text_equal(m->name, s->primary);
		double value;

		/* That a single task has no fairness goes without saying. */
		if (run_figure(run, m, &value, &why[i]) || mail_is_short(f, subject, m) ||
		    (m->multitask && !primary))
			continue;
		list[count++] = (struct mail_refusal){m, why[i].text};
	}
	mail_no_figures(s, list, count, out);
}

static bool put_metrics(const struct findings *f, const struct subject *s, const struct run *run,
			struct text *out, struct error *err)
{
	char *level __free(memory) =
		text_format("%g %% in the run", 100 * (1 - f->experiment->alpha));
	const struct page_column columns[] = {
		{"metric", false},
		{"value", true},
		{"count", true},
		{level, true},
	};
	struct within *within __free(memory) =
		within_run(run, s->description, 1 - f->experiment->alpha);
	bool bounded = count_within(within, s->description->metric_count, true) ||
		       count_within(within, s->description->metric_count, false);
	struct page_table t __cleanup(page_table_done) = {
		.columns = columns,
		.column_count = bounded ? 4 : 3,
	};
	bool has_primary = false;

	for (size_t i = 0; i < s->description->metric_count; i++) {
		const struct metric *m = &s->description->metrics[i];
		struct text figure __text = {0}, cell = {0};
		struct figure_style style;
		struct error why;
		double value;
		char **cells;

		if (!run_figure(run, m, &value, &why))
			continue;
		has_primary |= text_equal(m->name, s->primary);
		if (within[i].known)
			value = within[i].value;
		style = figure_style_of(m->unit, &value, 1);
		figure_print(&figure, &style, value);
		page_ascii(&cell, text_string(&figure), 0);
		cells = page_table_row(&t);
		cells[0] = row_label(s, m, &style);
		cells[1] = text_take(&cell);
		cells[2] = text_format("%" PRId64, run_figure_count(run, m));
		if (within[i].known)
			cells[3] = within_cell(&within[i], &style);
	}
	if (t.row_count) {
		text_puts(out, "\n");
		if (!page_table_print(out, &t, err))
			return false;
		mail_remark(out, "%scount: samples or operations behind the value",
			    has_primary ? "* primary; " : "");
		put_within(f, s, run, within, out);
	}
	put_absent(f, s, run, out);
	return true;
}

/* ---- tasks ---- */

/* A line of the task table: one task, or all of a role. */
struct task_line {
	int64_t operations, failures, voluntary, involuntary; /* -1: unknown */
	double per_second, cpu_share;			      /* < 0: unknown */
};

/* Adds where both are known. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0)
		return -1;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static struct task_line task_line(const json_t *task)
{
	double window_ns = (double)facts_task_count(task, "window_ns");
	double cpu_ns = (double)facts_task_count(task, "cpu_ns");
	struct task_line line = {
		.operations = facts_task_count(task, "operations"),
		.failures = facts_task_count(task, "failures"),
		.voluntary = facts_task_count(task, "voluntary_switches"),
		.involuntary = facts_task_count(task, "involuntary_switches"),
		.per_second = -1,
		.cpu_share = -1,
	};

	if (window_ns > 0 && line.operations >= 0)
		line.per_second = (double)line.operations / window_ns * 1e9;
	if (window_ns > 0 && cpu_ns >= 0)
		line.cpu_share = cpu_ns / window_ns;
	return line;
}

static struct task_line sum(struct task_line a, struct task_line b)
{
	return (struct task_line){
		.operations = plus(a.operations, b.operations),
		.failures = plus(a.failures, b.failures),
		.voluntary = plus(a.voluntary, b.voluntary),
		.involuntary = plus(a.involuntary, b.involuntary),
		.per_second =
			a.per_second < 0 || b.per_second < 0 ? -1 : a.per_second + b.per_second,
		.cpu_share = a.cpu_share < 0 || b.cpu_share < 0 ? -1 : a.cpu_share + b.cpu_share,
	};
}

static char *count_cell(int64_t count)
{
	return count < 0 ? memory_string("-") : text_format("%" PRId64, count);
}

static void fill_task(char **cells, const struct task_line *line)
{
	struct text rate = {0};

	if (line->per_second < 0)
		text_puts(&rate, "-");
	else
		figure_print_alone(&rate, line->per_second, "1/s");
	cells[2] = count_cell(line->operations);
	cells[3] = text_take(&rate);
	cells[4] = line->cpu_share < 0 ? memory_string("-")
				       : text_format("%.1f%%", line->cpu_share * 100);
	cells[5] =
		line->voluntary < 0 || line->involuntary < 0
			? memory_string("-")
			: text_format("%" PRId64 "+%" PRId64, line->voluntary, line->involuntary);
	cells[6] = count_cell(line->failures);
}

static const char *role_name(const json_t *task)
{
	const char *role = json_string_value(json_object_get(task, "role"));

	return role ? role : "?";
}

static char *task_cpu(const json_t *task)
{
	const json_t *cpu = json_object_get(task, "cpu");

	if (!json_is_integer(cpu))
		return memory_string("-");
	if (json_integer_value(cpu) < 0)
		return memory_string("any");
	return text_format("%" JSON_INTEGER_FORMAT, json_integer_value(cpu));
}

static void each_task(const json_t *tasks, struct page_table *t)
{
	for (size_t i = 0; i < json_array_size(tasks); i++) {
		const json_t *task = json_array_get(tasks, i);
		struct task_line line = task_line(task);
		char **cells = page_table_row(t);

		cells[0] =
			text_format("%s %" PRId64, role_name(task), facts_task_count(task, "task"));
		cells[1] = task_cpu(task);
		fill_task(cells, &line);
	}
}

static void each_role(const json_t *tasks, const struct description *d, struct page_table *t)
{
	for (const struct role_description *r = d->roles; r->name; r++) {
		struct task_line total = {0};
		size_t count = 0;
		char **cells;

		for (size_t i = 0; i < json_array_size(tasks); i++) {
			const json_t *task = json_array_get(tasks, i);

			if (!text_equal(role_name(task), r->name))
				continue;
			total = count++ ? sum(total, task_line(task)) : task_line(task);
		}
		if (!count)
			continue;
		cells = page_table_row(t);
		cells[0] = text_format("%s, %zu tasks", r->name, count);
		fill_task(cells, &total);
	}
}

static bool put_tasks(const struct subject *s, const struct run *run, struct text *out,
		      struct error *err)
{
	static const struct page_column columns[] = {
		{"task", false},
		{"CPU", true},
		{"operations", true},
		{"a second", true},
		{"CPU time", true},
		{"switches", true},
		{"failures", true},
	};
	const json_t *tasks = json_object_get(run->record, "tasks");
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 7};

	if (!json_array_size(tasks))
		return true;
	if (json_array_size(tasks) <= TASKS_SHOWN)
		each_task(tasks, &t);
	else
		each_role(tasks, s->description, &t);
	text_puts(out, "\n");
	if (!page_table_print(out, &t, err))
		return false;
	text_puts(out, "switches: voluntary+involuntary\n");
	return true;
}

/* Adds counters to those that have the same names. */
static void add_counters(const json_t *counters, json_t *totals)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)counters, name, value) {
		int64_t before = json_integer_value(json_object_get(totals, name));

		json_object_set_new(totals, name,
				    json_integer(plus(before, json_integer_value(value))));
	}
}

/*
 * What tasks of a role, or the machine, counted besides: "writer counted: grow 1200, shrink 1200".
 */
static void put_counters(const struct subject *s, const struct run *run, struct text *out)
{
	const json_t *tasks = json_object_get(run->record, "tasks");
	const json_t *machine = json_object_get(run->record, "machine");

	for (const struct role_description *r = s->description->roles; r->name; r++) {
		json_t *totals __free(json) = json_object();
		struct text line __text = {0};
		const char *name;
		json_t *value;

		for (size_t i = 0; i < json_array_size(tasks); i++) {
			const json_t *task = json_array_get(tasks, i);

			if (text_equal(role_name(task), r->name))
				add_counters(json_object_get(task, "counters"), totals);
		}
		if (text_equal(r->name, "machine"))
			add_counters(json_object_get(machine, "counters"), totals);
		json_object_foreach(totals, name, value) {
			/* These have columns. */
			if (!text_equal(name, "operations") && !text_equal(name, "failures"))
				text_printf(&line, "%s%s %" JSON_INTEGER_FORMAT,
					    line.length ? ", " : "", name,
					    json_integer_value(value));
		}
		if (line.length)
			mail_remark(out, "%s counted: %s", r->name, text_string(&line));
	}
}

/* ---- a run ---- */

static void put_head(const struct findings *f, const struct facts *facts, const struct entry *e,
		     struct text *out)
{
	const struct subject *s = &f->experiment->subjects[e->subject];
	const struct subject_facts *own = &facts->subjects[e->subject];
	char *params __free(memory) = mail_params(s, 1);
	char *machine __free(memory) = mail_machine(facts);
	const struct mail_part parts[] = {{"", params}, {"", machine}};
	struct text line __text = {0};

	mail_remark(out, "%s: %s", s->description->name, s->description->summary);
	mail_parts(out, parts, 2);
	text_puts(&line, "one run");
	mail_windows(&line, own);
	text_puts(&line, ": a description; n is 1, so it says nothing about a difference");
	page_paragraph(out, "  ", "  ", text_string(&line));
	mail_doubts(facts, out);
}

static bool put_run(const struct findings *f, const struct facts *facts, const struct entry *e,
		    struct text *out, struct error *err)
{
	const struct subject *s = &f->experiment->subjects[e->subject];

	put_head(f, facts, e, out);
	if (e->run->outcome != OUTCOME_OK) {
		text_puts(out, "\n");
		mail_remark(out, "%s: %s", outcome_words[e->run->outcome],
			    *e->run->reason ? e->run->reason : "no reason was given");
	} else if (!put_metrics(f, s, e->run, out, err)) {
		return false;
	}
	if (!put_tasks(s, e->run, out, err))
		return false;
	put_counters(s, e->run, out);
	mail_recurrences(out, &facts->subjects[e->subject], true);
	return true;
}

bool mail_run(const struct findings *f, const struct facts *facts, struct text *out,
	      struct error *err)
{
	for (size_t i = 0; i < f->runs->count; i++) {
		if (i)
			text_puts(out, "\n");
		if (!put_run(f, facts, &f->runs->list[i], out, err))
			return false;
	}
	if (!f->runs->count)
		mail_remark(out, "no run%s%s", f->end ? ": " : "", f->end ? f->end : "");
	mail_footer(f, facts, out);
	return true;
}
