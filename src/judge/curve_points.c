// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/curve_points.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "stats/summary.h"

void curve_points_done(struct curve_points *p)
{
	free(p->list);
	*p = (struct curve_points){0};
}

/* ---- which figures ---- */

/* What is counted a second: the primary, else what is called so, else the first rate there is. */
static const struct metric *rate_of(const struct description *d, const struct metric *primary)
{
	const struct metric *operations = description_metric(d, "operations");

	if (primary->summary == SUMMARY_RATE)
		return primary;
	if (operations && operations->summary == SUMMARY_RATE)
		return operations;
	for (const struct metric *m = d->metrics; m->name; m++) {
		if (m->summary == SUMMARY_RATE && m->better == BETTER_HIGHER)
			return m;
	}
	return NULL;
}

/* The fairness among the tasks whose rate it is; NULL: none is declared. */
static const struct metric *fairness_of(const struct description *d, const struct metric *rate)
{
	size_t role = strcspn(rate->of, ".");

	for (const struct metric *m = d->metrics; m->name; m++) {
		if (m->summary == SUMMARY_FAIRNESS && !strncmp(m->of, rate->of, role + 1))
			return m;
	}
	return NULL;
}

/* ---- over the runs ---- */

/* The ok runs of a point in an arm, by round. Borrowed. */
struct point_runs {
	const struct entry **list;
	size_t count;
};

static void point_runs_done(struct point_runs *r)
{
	free(r->list);
}

static int by_round(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	return ((*x)->pair > (*y)->pair) - ((*x)->pair < (*y)->pair);
}

static struct point_runs runs_of(const struct entries *runs, size_t subject, int arm)
{
	struct point_runs own = {0};

	own.list = memory_array(runs->count, sizeof(struct entry *));
	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *e = &runs->list[i];

		if (e->subject == subject && e->arm == arm && !e->set_aside &&
		    e->run->outcome == OUTCOME_OK)
			own.list[own.count++] = e;
	}
	if (own.count)
		qsort(own.list, own.count, sizeof(struct entry *), by_round);
	return own;
}

/* The median over the runs that have the figure; NAN: none has. m NULL: there is no such figure. */
static double median_of(const struct point_runs *runs, const struct metric *m)
{
	double *values __free(memory) = memory_array(runs->count, sizeof(*values));
	struct error ignored;
	size_t n = 0;

	for (size_t i = 0; m && i < runs->count; i++)
		n += run_figure(runs->list[i]->run, m, &values[n], &ignored);
	return n ? summary_median(values, n) : NAN;
}

static double median_cpu(const struct point_runs *runs, const struct metric *rate)
{
	char *of __free(memory) = text_format("%.*s.cpu_ns", (int)strcspn(rate->of, "."), rate->of);
	const struct metric cpu = {
		.name = "cpu", .summary = SUMMARY_RATIO, .of = of, .per = rate->of};

	return median_of(runs, &cpu);
}

/* Of each round that has both: the rate a task over that of the first point. */
static void scale(const struct point_runs *runs, const struct point_runs *first,
		  const struct metric *rate, double more, struct curve_point *p)
{
	double *values __free(memory) = memory_array(runs->count, sizeof(*values));
	size_t k = 0;

	for (size_t i = 0; i < runs->count; i++) {
		struct error ignored;
		double mine, its;

		while (k < first->count && first->list[k]->pair < runs->list[i]->pair)
			k++;
		if (k < first->count && first->list[k]->pair == runs->list[i]->pair &&
		    run_figure(runs->list[i]->run, rate, &mine, &ignored) &&
		    run_figure(first->list[k]->run, rate, &its, &ignored) && its > 0)
			values[p->rounds++] = mine / its / more;
	}
	p->scaling = p->rounds ? summary_median(values, p->rounds) : NAN;
}

/*
 * All runs together, for a single one has few ticks. *ret_cpus: as the runs have it, the largest.
 */
static double idle_share(const struct point_runs *runs, const char *of, int64_t *ret_cpus)
{
	double idle_ns = 0, all_ns = 0, span_ns = 0;

	for (size_t i = 0; i < runs->count; i++) {
		struct run_idle own;

		if (!run_idle(runs->list[i]->run, of, &own))
			continue;
		idle_ns += (double)own.idle_ns;
		span_ns += (double)own.span_ns;
		all_ns += (double)own.span_ns * (double)own.cpus;
		*ret_cpus = own.cpus > *ret_cpus ? own.cpus : *ret_cpus;
	}
	/* A tick that ends in the window may have begun before it. */
	return span_ns < CURVE_IDLE_LEAST_MS * (double)NS_PER_MS ? NAN : fmin(1, idle_ns / all_ns);
}

static void describe(const struct description *d, const struct curve_points *c,
		     const struct point_runs *runs, const struct point_runs *first,
		     struct curve_point *p)
{
	p->n = runs->count;
	p->primary = median_of(runs, c->primary);
	p->throughput = p->scaling = p->fairness = p->cpu_ns = NAN;
	if (c->rate) {
		p->throughput = median_of(runs, c->rate);
		p->fairness = median_of(runs, fairness_of(d, c->rate));
		p->cpu_ns = median_cpu(runs, c->rate);
		scale(runs, first, c->rate, (double)p->tasks / (double)c->list[0].tasks, p);
	}
	p->per_task = p->throughput / (double)p->tasks;
	p->idle_used = idle_share(runs, "used", &p->cpus_used);
	p->idle_machine = idle_share(runs, "machine", &p->cpus_machine);
}

struct curve_points curve_points_describe(const struct experiment *e, const struct entries *runs,
					  const struct curve *c, int arm)
{
	const struct subject *s = &e->subjects[c->first];
	struct point_runs first __cleanup(point_runs_done) = runs_of(runs, c->first, arm);
	struct curve_points p = {
		.curve = c,
		.primary = description_metric(s->description, s->primary),
		.of_one_task = experiment_point(e, c->first) == 1,
		.list = memory_array(c->count, sizeof(*p.list)),
		.count = c->count,
	};

	p.rate = rate_of(s->description, p.primary);
	for (size_t i = 0; i < c->count; i++) {
		struct point_runs own __cleanup(point_runs_done) = runs_of(runs, c->first + i, arm);

		p.list[i].subject = c->first + i;
		p.list[i].tasks = experiment_point(e, c->first + i);
		describe(s->description, &p, &own, &first, &p.list[i]);
	}
	return p;
}
