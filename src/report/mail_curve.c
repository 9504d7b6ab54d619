// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "base/memory.h"
#include "experiment/repeat.h"
#include "judge/arm.h"
#include "judge/curve_points.h"
#include "report/mail.h"

/* A workload with several numbers of tasks, a point a row. */

char *mail_curve_params(const struct experiment *e, const struct curve *c, int arms)
{
	struct subject whole = e->subjects[c->first];
	char *list __free(memory) = repeat_points(e, c);
	char *params;

	for (int arm = 0; arm < arms; arm++) {
		whole.params[arm] = json_deep_copy(whole.params[arm]);
		json_object_set_new(whole.params[arm], curve_param, json_text(list));
	}
	params = mail_params(&whole, arms);
	for (int arm = 0; arm < arms; arm++)
		json_decref(whole.params[arm]);
	return params;
}

struct subject_facts mail_curve_facts(const struct facts *facts, const struct curve *c)
{
	struct subject_facts all = {0};

	for (size_t i = c->first; i < c->first + c->count; i++) {
		const struct subject_facts *own = &facts->subjects[i];

		for (int arm = 0; arm < ARM_MOST; arm++) {
			all.runs[arm] += own->runs[arm];
			all.not_ok[arm] += own->not_ok[arm];
		}
		if (__builtin_add_overflow(all.run_ns, own->run_ns, &all.run_ns))
			all.run_ns = INT64_MAX;
		if (own->window_low_ns &&
		    (!all.window_low_ns || own->window_low_ns < all.window_low_ns))
			all.window_low_ns = own->window_low_ns;
		if (own->window_high_ns > all.window_high_ns)
			all.window_high_ns = own->window_high_ns;
	}
	return all;
}

char **mail_curve_heads(const struct experiment *e, const struct curve *c)
{
	char **heads = memory_array(c->count, sizeof(char *));

	for (size_t i = 0; i < c->count; i++)
		heads[i] = text_format("%s=%lld", curve_param,
				       (long long)experiment_point(e, c->first + i));
	return heads;
}

/* ---- the table of points ---- */

/* What is shown of the points, for all arms. */
struct points_table {
	const struct findings *f;
	const struct curve *c;
	struct curve_points arms[ARM_MOST];
	int arm_count;
	bool several_runs; /* of a point */
	struct figure_style primary, throughput, per_task, cpu;
};

/* One style for a figure of all points and arms, so that they can be compared by eye. */
static struct figure_style style_of(const struct points_table *t, const char *unit,
				    double (*get)(const struct curve_point *p))
{
	size_t count = (size_t)t->arm_count * t->c->count;
	double *values __free(memory) = memory_array(count, sizeof(*values));

	for (size_t i = 0; i < count; i++)
		values[i] = get(&t->arms[i / t->c->count].list[i % t->c->count]);
	return figure_style_of(unit, values, count);
}

static double get_primary(const struct curve_point *p)
{
	return p->primary;
}

static double get_throughput(const struct curve_point *p)
{
	return p->throughput;
}

static double get_per_task(const struct curve_point *p)
{
	return p->per_task;
}

static double get_cpu(const struct curve_point *p)
{
	return p->cpu_ns;
}

static void describe(struct points_table *t)
{
	const struct experiment *e = t->f->experiment;

	t->arm_count = e->arm_count;
	for (int arm = 0; arm < t->arm_count; arm++) {
		t->arms[arm] = curve_points_describe(e, t->f->runs, t->c, arm);
		for (size_t i = 0; i < t->c->count; i++)
			t->several_runs |= t->arms[arm].list[i].n > 1;
	}
	t->primary = style_of(t, t->arms[0].primary->unit, get_primary);
	t->throughput = style_of(t, "1/s", get_throughput);
	t->per_task = style_of(t, "1/s", get_per_task);
	t->cpu = style_of(t, "ns", get_cpu);
}

static void points_table_done(struct points_table *t)
{
	for (int arm = 0; arm < t->arm_count; arm++)
		curve_points_done(&t->arms[arm]);
}

static char *figure_cell(const struct figure_style *style, double value)
{
	struct text plain __text = {0};
	struct text out = {0};

	figure_print(&plain, style, value);
	page_ascii(&out, text_string(&plain), 0);
	return text_take(&out);
}

static char *ratio_cell(double ratio)
{
	return isnan(ratio) ? memory_string("-") : text_format("%.3f", ratio);
}

static void put_share(struct text *out, double share)
{
	if (isnan(share))
		text_puts(out, "-");
	else
		text_printf(out, "%.0f%%", 100 * share);
}

static char *idle_cell(const struct curve_point *p)
{
	struct text out = {0};

	put_share(&out, p->idle_used);
	text_puts(&out, "/");
	put_share(&out, p->idle_machine);
	return text_take(&out);
}

/* "+-" of perf stat -r: the standard error of the mean. */
static char *error_cell(const struct points_table *t, const struct curve_point *p)
{
	struct arm_description *d __free(arm_description) =
		arm_describe(t->f->experiment, t->f->runs, p->subject);
	const struct metric *m = t->arms[0].rate ? t->arms[0].rate : t->arms[0].primary;

	for (size_t i = 0; i < d->metric_count; i++) {
		if (text_equal(d->metrics[i].metric->name, m->name) &&
		    !isnan(d->metrics[i].error_ratio))
			return text_format("%.2f%%", 100 * d->metrics[i].error_ratio);
	}
	return memory_string("-");
}

static bool shows_primary(const struct points_table *t)
{
	return t->arms[0].primary != t->arms[0].rate;
}

static void fill_row(const struct points_table *t, int arm, size_t point, char **cells)
{
	const struct curve_point *p = &t->arms[arm].list[point];
	size_t i = 0;

	cells[i++] = arm ? memory_string("") : text_format("%lld", (long long)p->tasks);
	if (t->arm_count > 1)
		cells[i++] = memory_string(arm_words[arm]);
	cells[i++] = text_format("%zu", p->n);
	if (shows_primary(t))
		cells[i++] = figure_cell(&t->primary, p->primary);
	if (t->arms[0].rate) {
		cells[i++] = figure_cell(&t->throughput, p->throughput);
		if (t->arm_count == 1 && t->several_runs)
			cells[i++] = error_cell(t, p);
		cells[i++] = figure_cell(&t->per_task, p->per_task);
		cells[i++] = ratio_cell(p->scaling);
		cells[i++] = ratio_cell(p->fairness);
		cells[i++] = figure_cell(&t->cpu, p->cpu_ns);
	}
	cells[i] = idle_cell(p);
}

/* ---- how to read it ---- */

/* What was typed, where it is not the list that came of it. */
static void put_asked(const struct experiment *e, const struct curve *c, struct text *out)
{
	char *list __free(memory) = repeat_points(e, c);

	if (text_equal(list, c->asked))
		return;
	if (c->cpus)
		mail_remark(out, "asked for: %s=%s, of %lld CPU%s; each number is run once",
			    curve_param, c->asked, (long long)c->cpus, c->cpus == 1 ? "" : "s");
	else
		mail_remark(out, "asked for: %s=%s; each number is run once, the least first",
			    curve_param, c->asked);
}

static bool lacks_idle(const struct points_table *t)
{
	for (int arm = 0; arm < t->arm_count; arm++) {
		for (size_t i = 0; i < t->c->count; i++) {
			const struct curve_point *p = &t->arms[arm].list[i];

			if (p->n && (isnan(p->idle_used) || isnan(p->idle_machine)))
				return true;
		}
	}
	return false;
}

static void put_legend(const struct points_table *t, struct text *out)
{
	const struct curve_points *p = &t->arms[ARM_A];
	struct text line __text = {0};

	text_printf(&line, "n: ok runs%s",
		    t->several_runs ? ", of which the figures are medians" : "");
	if (p->rate) {
		char *label __free(memory) = facts_label(p->rate);

		text_printf(&line,
			    "; %s: of all tasks; a task: its part; scaling: a task's part over "
			    "that of %s=%lld%s, round by round; fairness: slowest "
			    "over fastest task; CPU: time an operation",
			    label, curve_param, (long long)p->list[0].tasks,
			    p->of_one_task ? "" : ", the first point (1 is not among them)");
	}
	text_puts(&line,
		  "; idle: share of the time of the CPUs that tasks were placed on / of all CPUs");
	mail_remark(out, "%s", text_string(&line));
	if (t->arm_count == 1 && t->several_runs)
		mail_remark(out, "+-: standard error of the mean, sd / sqrt(n), as perf stat -r "
				 "prints it");
	if (!p->rate)
		mail_remark(out, "no throughput: the workload has no rate that is better high");
	if (lacks_idle(t))
		mail_remark(
			out,
			"no idle share: the kernel counts it in ticks of 10 ms, and it takes %d ms "
			"of windows to make one of them; or it could not be read",
			CURVE_IDLE_LEAST_MS);
	put_asked(t->f->experiment, t->c, out);
}

bool mail_curve_points(const struct findings *f, const struct curve *c, struct text *out,
		       struct error *err)
{
	struct points_table t __cleanup(points_table_done) = {.f = f, .c = c};
	struct page_column columns[10];
	char *primary __free(memory) = NULL, *rate __free(memory) = NULL;
	struct page_table table __cleanup(page_table_done) = {.columns = columns};
	size_t count = 0;

	describe(&t);
	primary = facts_label(t.arms[0].primary);
	rate = t.arms[0].rate ? facts_label(t.arms[0].rate) : NULL;
	columns[count++] = (struct page_column){curve_param, false};
	if (t.arm_count > 1)
		columns[count++] = (struct page_column){"arm", false};
	columns[count++] = (struct page_column){"n", true};
	if (shows_primary(&t))
		columns[count++] = (struct page_column){primary, true};
	if (rate) {
		columns[count++] = (struct page_column){rate, true};
		if (t.arm_count == 1 && t.several_runs)
			columns[count++] = (struct page_column){"+-", true};
		columns[count++] = (struct page_column){"a task", true};
		columns[count++] = (struct page_column){"scaling", true};
		columns[count++] = (struct page_column){"fairness", true};
		columns[count++] = (struct page_column){"CPU", true};
	}
	columns[count++] = (struct page_column){"idle", true};
	table.column_count = count;
	for (size_t i = 0; i < c->count; i++) {
		for (int arm = 0; arm < t.arm_count; arm++)
			fill_row(&t, arm, i, page_table_row(&table));
	}
	text_puts(out, "\n");
	if (!page_table_print(out, &table, err))
		return false;
	put_legend(&t, out);
	return true;
}

/* ---- contend run ---- */

static void put_head(const struct findings *f, const struct facts *facts, const struct curve *c,
		     struct text *out)
{
	const struct experiment *e = f->experiment;
	const struct description *d = e->subjects[c->first].description;
	struct subject_facts all = mail_curve_facts(facts, c);
	char *params __free(memory) = mail_curve_params(e, c, 1);
	char *machine __free(memory) = mail_machine(facts);
	const struct mail_part parts[] = {{"", params}, {"", machine}};
	struct text line __text = {0};

	mail_remark(out, "%s: %s", d->name, d->summary);
	mail_parts(out, parts, 2);
	mail_count(&line, c->count, "point");
	text_puts(&line, " in turn, ");
	mail_count(&line, all.runs[ARM_A], "run");
	if (all.not_ok[ARM_A])
		text_printf(&line, " (%zu ok)", all.runs[ARM_A] - all.not_ok[ARM_A]);
	mail_windows(&line, &all);
	text_puts(&line, ": one arm, described; it says nothing about a difference");
	page_paragraph(out, "  ", "  ", text_string(&line));
	if (!f->end || text_equal(f->end, "interrupted")) {
		text_done(&line);
		text_printf(&line, "%s: %zu of %lld planned runs",
			    f->end ? "ended: interrupted" : "not ended", all.runs[ARM_A],
			    (long long)e->pairs * (long long)c->count);
		page_paragraph(out, "  ", "  ", text_string(&line));
	}
	mail_doubts(facts, out);
}

static void put_points(const struct findings *f, const struct facts *facts, const struct curve *c,
		       struct text *out)
{
	struct text *parts __free(memory) = memory_array(c->count, sizeof(*parts));
	char **heads __free(memory) = mail_curve_heads(f->experiment, c);

	for (size_t i = 0; i < c->count; i++) {
		const struct subject_facts *own = &facts->subjects[c->first + i];

		mail_troubles(&parts[i], own);
		if (f->experiment->pairs > 1)
			mail_diagnoses(f, facts, c->first + i, &parts[i]);
		mail_recurrences(&parts[i], own, true);
	}
	mail_put_each(parts, (const char *const *)heads, c->count, out);
	for (size_t i = 0; i < c->count; i++) {
		text_done(&parts[i]);
		free(heads[i]);
	}
}

bool mail_run_curve(const struct findings *f, const struct facts *facts, struct text *out,
		    struct error *err)
{
	const struct curve *c = &f->experiment->curves[0];

	put_head(f, facts, c, out);
	if (!mail_curve_points(f, c, out, err))
		return false;
	put_points(f, facts, c, out);
	mail_footer(f, facts, out);
	return true;
}
