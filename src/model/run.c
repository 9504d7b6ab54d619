// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/counters.h"
#include "model/run_record.h"

const char *const outcome_words[] = {
	[OUTCOME_OK] = "ok",
	[OUTCOME_INVALID] = "invalid",
	[OUTCOME_UNSUPPORTED] = "unsupported",
	[OUTCOME_FAILED] = "failed",
	[OUTCOME_TIMEOUT] = "timeout",
	[OUTCOME_INTERRUPTED] = "interrupted",
	[OUTCOME_CRASHED] = "crashed",
	[OUTCOME_CRASHED + 1] = NULL,
};

/* A figure, or why there is none, as of the record. Which it is: what decides it of a metric. */
struct known_figure {
	enum summary summary;
	bool multitask;
	char *of, *per;
	bool is_known;
	double value;
	char *refusal;
	int64_t count;
};

struct run_figures {
	struct known_figure *list;
	size_t count;
};

static void figures_free(struct run_figures *f)
{
	for (size_t i = 0; f && i < f->count; i++) {
		free(f->list[i].of);
		free(f->list[i].per);
		free(f->list[i].refusal);
	}
	if (f)
		free(f->list);
	free(f);
}

void run_free(struct run *r)
{
	if (!r)
		return;
	figures_free(r->figures);
	free(r->reason);
	json_decref(r->record);
	json_decref(r->readings);
	free(r);
}

int64_t run_took_ns(const struct run *r)
{
	return r->ended_ns > r->started_ns ? r->ended_ns - r->started_ns : 0;
}

struct run *run_without_record(enum outcome outcome, const char *reason)
{
	struct run *r = memory_alloc(sizeof(*r));

	r->outcome = outcome;
	r->reason = memory_string(reason);
	r->figures = memory_alloc(sizeof(*r->figures));
	return r;
}

void run_drop_raw(struct run *r)
{
	json_t *list = json_object_get(r->record, "series"), *series;
	size_t i;

	json_array_foreach(list, i, series)
		json_object_del(series, "raw");
}

bool run_from_record(json_t *record, struct run **ret_run, struct error *err)
{
	const char *reason;
	int outcome;
	bool ok;
	struct run *r;

	if (!json_get_word(record, "outcome", outcome_words, &outcome, err) ||
	    !json_get_string(record, "reason", &reason, err))
		return error_wrap(err, "run record");
	ok = outcome == OUTCOME_OK;
	if (ok != !*reason)
		return error_set(err, ERROR_DATA, "run record: outcome '%s' with%s a reason",
				 outcome_words[outcome], ok ? "" : "out");
	if (!run_record_check(record, ok, err))
		return error_wrap(err, "run record");
	r = run_without_record((enum outcome)outcome, reason);
	r->record = json_incref(record);
	*ret_run = r;
	return true;
}

/* ---- figures ---- */

static bool is_of_series(enum summary summary)
{
	return summary_quantile_of(summary) > 0 || summary == SUMMARY_MAX ||
	       summary == SUMMARY_MEAN;
}

/* NULL with a reason in err: there is none. */
static const json_t *series_at(const json_t *record, const char *of, struct error *err)
{
	const json_t *list = json_object_get(record, "series");
	const json_t *series;
	struct run_record_place at;

	if (!run_record_place_parse(of, &at, err))
		return NULL;
	series = run_record_find_series(list, json_array_size(list), &at);
	if (!json_array_size(list))
		error_set(err, ERROR_DATA, "no latencies were recorded");
	else if (!series)
		error_set(err, ERROR_DATA, "no series %s was recorded", of);
	return series;
}

static bool read_series(const json_t *record, const char *of, struct histogram *ret,
			struct error *err)
{
	const json_t *series = series_at(record, of, err);

	return series && histogram_from_json(json_object_get(series, "histogram"), ret, err);
}

bool run_histogram(const struct run *r, const char *of, struct histogram *ret, struct error *err)
{
	if (r->outcome != OUTCOME_OK)
		return error_set(err, ERROR_DATA, "the run is not ok");
	return read_series(r->record, of, ret, err);
}

double *run_raw_values(const struct run *r, const char *of, size_t *ret_count)
{
	struct error ignored;
	const json_t *series = r->outcome == OUTCOME_OK ? series_at(r->record, of, &ignored) : NULL;
	const json_t *raw = json_object_get(series, "raw");
	int64_t count;
	double *values;
	size_t used = 0;

	if (!raw ||
	    !json_get_count(json_object_get(series, "histogram"), "count", &count, &ignored))
		return NULL;
	for (size_t i = 0; i < json_array_size(raw); i++)
		used += json_array_size(json_array_get(raw, i));
	if (!used || used != (size_t)count)
		return NULL;
	values = memory_array(used, sizeof(*values));
	used = 0;
	for (size_t i = 0; i < json_array_size(raw); i++) {
		const json_t *task = json_array_get(raw, i);

		for (size_t k = 0; k < json_array_size(task); k++)
			values[used++] = (double)json_integer_value(json_array_get(task, k));
	}
	*ret_count = used;
	return values;
}

static bool series_figure(const json_t *record, const struct metric *m, double *ret_value,
			  struct error *err)
{
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	unsigned int least = summary_least_samples(m->summary);

	if (!read_series(record, m->of, h, err))
		return false;
	if (!h->count)
		return error_set(err, ERROR_DATA, "%s has no samples", m->of);
	if (h->count < least)
		return error_set(err, ERROR_DATA, "%s needs %u samples, has %llu",
				 summary_words[m->summary], least, (unsigned long long)h->count);
	if (m->summary == SUMMARY_MAX)
		*ret_value = (double)h->max;
	else if (m->summary == SUMMARY_MEAN)
		*ret_value = (double)h->sum / (double)h->count;
	else
		*ret_value = histogram_quantile(h, summary_quantile_of(m->summary));
	return true;
}

/* A counter over all tasks of its role. */
struct totals {
	size_t tasks;
	double sum; /* a double: exact up to 2^53, and nothing overflows behind that */
	double rate;
	double slowest, fastest; /* rates of single tasks */
};

static bool task_count(const json_t *task, const char *name, int64_t *ret, struct error *err)
{
	const json_t *counters = json_object_get(task, "counters");

	if (json_object_get(counters, name))
		return json_get_count(counters, name, ret, err);
	/* These two are integers too, but they number something. */
	if (text_equal(name, "task") || text_equal(name, "cpu") || !json_object_get(task, name))
		return error_set(err, ERROR_DATA, "no such counter");
	return json_get_count(task, name, ret, err);
}

static bool add(const json_t *task, const char *name, struct totals *t, struct error *err)
{
	int64_t count, window_ns;
	double rate;

	if (!task_count(task, name, &count, err) ||
	    !json_get_count(task, "window_ns", &window_ns, err))
		return false;
	if (!window_ns)
		return error_set(err, ERROR_DATA, "a task without a window");
	rate = (double)count * (double)NS_PER_SEC / (double)window_ns;
	if (!t->tasks || rate < t->slowest)
		t->slowest = rate;
	if (rate > t->fastest)
		t->fastest = rate;
	t->sum += (double)count;
	t->rate += rate;
	t->tasks++;
	return true;
}

static bool add_up(const json_t *record, const char *of, struct totals *ret, struct error *err)
{
	const json_t *tasks = json_object_get(record, "tasks");
	const json_t *machine = json_object_get(record, "machine");
	struct totals t = {0};
	struct run_record_place at;
	json_t *task;
	size_t i;

	if (!run_record_place_parse(of, &at, err))
		return false;
	if (machine && run_record_is_machine(&at) && !add(machine, at.name, &t, err))
		return error_wrap(err, "%s", of);
	json_array_foreach(tasks, i, task) {
		if (run_record_has_role(task, at.role, at.role_length) &&
		    !add(task, at.name, &t, err))
			return error_wrap(err, "%s", of);
	}
	if (!t.tasks)
		return error_set(err, ERROR_DATA, "%s: no task has this role", of);
	*ret = t;
	return true;
}

static bool ratio_figure(const json_t *record, const struct metric *m, double *ret_value,
			 struct error *err)
{
	struct totals of, per;

	if (!m->per)
		return error_set(err, ERROR_DATA, "a ratio without a divisor");
	if (!add_up(record, m->of, &of, err) || !add_up(record, m->per, &per, err))
		return false;
	if (per.sum == 0)
		return error_set(err, ERROR_DATA, "%s is zero", m->per);
	*ret_value = of.sum / per.sum;
	return true;
}

static bool counter_figure(const json_t *record, const struct metric *m, double *ret_value,
			   struct error *err)
{
	struct totals t;

	if (!add_up(record, m->of, &t, err))
		return false;
	if (t.tasks < 2 && (m->multitask || m->summary == SUMMARY_FAIRNESS))
		return error_set(err, ERROR_DATA, "%s: one task only", m->of);
	if (m->summary == SUMMARY_RATE) {
		*ret_value = t.rate;
	} else if (m->summary == SUMMARY_TOTAL) {
		*ret_value = t.sum;
	} else {
		if (t.fastest == 0)
			return error_set(err, ERROR_DATA, "%s is zero", m->of);
		*ret_value = t.slowest / t.fastest;
	}
	return true;
}

static bool reading_figure(const json_t *readings, const struct metric *m, double *ret_value,
			   struct error *err)
{
	const json_t *value = json_object_get(readings, m->of);

	if (!json_is_number(value))
		return error_set(err, ERROR_DATA, "%s was not read from an output", m->of);
	*ret_value = json_number_value(value);
	return true;
}

static bool compute_figure(const struct run *r, const struct metric *m, double *ret_value,
			   struct error *err)
{
	if (m->summary == SUMMARY_READING)
		return reading_figure(r->readings, m, ret_value, err);
	if (is_of_series(m->summary))
		return series_figure(r->record, m, ret_value, err);
	if (m->summary == SUMMARY_RATIO)
		return ratio_figure(r->record, m, ret_value, err);
	return counter_figure(r->record, m, ret_value, err);
}

/*
 * The place of what the count of a metric is. Of ns and bytes there are many in one operation: a
 * total of them is one of operations.
 */
static char *counted_by(const struct metric *m)
{
	const char *unit = strrchr(m->of, '_');
	bool events = !unit || (!text_equal(unit, "_ns") && !text_equal(unit, "_bytes"));

	if (m->summary == SUMMARY_RATIO)
		return memory_string(m->per ? m->per : "");
	if (m->summary != SUMMARY_TOTAL || events)
		return memory_string(m->of);
	return text_format("%.*s.operations", (int)strcspn(m->of, "."), m->of);
}

static int64_t compute_count(const json_t *record, const struct metric *m)
{
	char *of __free(memory) = counted_by(m);
	struct error ignored;
	struct totals t;

	if (m->summary == SUMMARY_READING)
		return 1;
	if (is_of_series(m->summary)) {
		struct histogram *h __free(memory) = memory_alloc(sizeof(*h));

		return read_series(record, of, h, &ignored) ? (int64_t)h->count : 0;
	}
	if (!add_up(record, of, &t, &ignored))
		return 0;
	return t.sum >= 0x1p63 ? INT64_MAX : (int64_t)t.sum;
}

static bool is_of_metric(const struct known_figure *f, const struct metric *m)
{
	return f->summary == m->summary && f->multitask == m->multitask &&
	       text_equal(f->of, m->of) && text_equal(f->per, m->per ? m->per : "");
}

/*
 * The figure of an ok run with a record: computed once, for a look after every pair wants it again.
 */
static const struct known_figure *figure_of(const struct run *r, const struct metric *m)
{
	struct run_figures *all = r->figures;
	struct known_figure *f;
	struct error why;

	for (size_t i = 0; i < all->count; i++) {
		if (is_of_metric(&all->list[i], m))
			return &all->list[i];
	}
	all->list = memory_grow(all->list, (all->count + 1) * sizeof(*all->list));
	f = &all->list[all->count++];
	*f = (struct known_figure){
		.summary = m->summary,
		.multitask = m->multitask,
		.of = memory_string(m->of),
		.per = memory_string(m->per ? m->per : ""),
	};
	f->is_known = compute_figure(r, m, &f->value, &why);
	if (!f->is_known)
		f->refusal = memory_string(why.text);
	f->count = compute_count(r->record, m);
	return f;
}

bool run_figure(const struct run *r, const struct metric *m, double *ret_value, struct error *err)
{
	const struct known_figure *f;

	if (r->outcome != OUTCOME_OK || !r->record)
		return error_set(err, ERROR_DATA, "%s%s%s", outcome_words[r->outcome],
				 *r->reason ? ": " : "", r->reason);
	f = figure_of(r, m);
	if (!f->is_known)
		return error_set(err, ERROR_DATA, "%s", f->refusal);
	*ret_value = f->value;
	return true;
}

int64_t run_figure_count(const struct run *r, const struct metric *m)
{
	return r->outcome == OUTCOME_OK && r->record ? figure_of(r, m)->count : 0;
}

int64_t run_window_ns(const struct run *r, const char *role)
{
	const json_t *tasks = json_object_get(r->record, "tasks");
	int64_t longest_ns = 0;
	json_t *task;
	size_t i;

	json_array_foreach(tasks, i, task) {
		struct error ignored;
		int64_t window_ns;

		if (run_record_has_role(task, role, strlen(role)) &&
		    json_get_count(task, "window_ns", &window_ns, &ignored) &&
		    window_ns > longest_ns)
			longest_ns = window_ns;
	}
	return longest_ns;
}

bool run_idle(const struct run *r, const char *of, struct run_idle *ret)
{
	const json_t *idle = json_object_get(r->record, "idle");
	const json_t *share = json_object_get(idle, of);
	struct error ignored;
	int64_t span_ns, cpus, idle_ns;

	if (r->outcome != OUTCOME_OK || !share ||
	    !json_get_count(idle, "span_ns", &span_ns, &ignored) ||
	    !json_get_count(share, "cpus", &cpus, &ignored) ||
	    !json_get_count(share, "idle_ns", &idle_ns, &ignored) || !span_ns || !cpus)
		return false;
	*ret = (struct run_idle){.span_ns = span_ns, .cpus = cpus, .idle_ns = idle_ns};
	return true;
}

json_t *run_host_found(const struct run *run)
{
	json_t *found = json_copy(json_object_get(run->record, "host"));

	if (found)
		json_object_update(found, json_object_get(run->record, "host_before"));
	return found;
}
