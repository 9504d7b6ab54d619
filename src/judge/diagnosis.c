// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/diagnosis.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "judge/diagnosis_material.h"
#include "stats/family.h"

const char *const diagnosis_words[] = {
	[DIAGNOSIS_PROTOCOL] = "protocol",
	[DIAGNOSIS_DRIFT] = "drift",
	[DIAGNOSIS_DRIFT_DIFFERENCE] = "drift_of_difference",
	[DIAGNOSIS_ORDER] = "order",
	[DIAGNOSIS_GROUPS] = "groups",
	[DIAGNOSIS_VALLEY] = "valley",
	[DIAGNOSIS_WARMUP] = "warmup",
	[DIAGNOSIS_TREND] = "trend",
	[DIAGNOSIS_DEPENDENCE] = "dependence",
	[DIAGNOSIS_KIND_COUNT] = NULL,
};

void diagnoses_done(struct diagnoses *d)
{
	free(d->list);
	*d = (struct diagnoses){0};
}

/* ---- what there is ---- */

static struct material_row *row_of(struct material *m, int64_t pair)
{
	struct material_row *r;

	/* Runs come nearly in order: look from the end. */
	for (size_t i = m->count; i-- > 0;) {
		if (m->rows[i].pair == pair)
			return &m->rows[i];
	}
	m->rows = memory_grow(m->rows, (m->count + 1) * sizeof(*m->rows));
	r = &m->rows[m->count++];
	*r = (struct material_row){.pair = pair};
	for (int arm = 0; arm < ARM_MOST; arm++)
		r->figure[arm] = NAN;
	return r;
}

static int by_pair(const void *a, const void *b)
{
	int64_t x = ((const struct material_row *)a)->pair,
		y = ((const struct material_row *)b)->pair;

	return (x > y) - (x < y);
}

static void collect(struct material *m, const struct entries *runs, size_t subject)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *e = &runs->list[i];
		struct error ignored;
		struct material_row *row;

		if (e->subject != subject || e->set_aside || e->run->outcome != OUTCOME_OK)
			continue;
		row = row_of(m, e->pair);
		row->run[e->arm] = e->run;
		row->at[e->arm] = i;
		if (!run_figure(e->run, m->primary, &row->figure[e->arm], &ignored))
			row->figure[e->arm] = NAN;
	}
	if (m->count)
		qsort(m->rows, m->count, sizeof(*m->rows), by_pair);
}

/* ---- what was asked ---- */

static void find_protocol(struct material *m)
{
	static const char *const names[] = {"warmup", "window"};
	const struct param *declared = m->subject->description->params;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct param *p = param_find(declared, names[i]);

		for (int arm = ARM_B; p && arm < m->arms; arm++) {
			json_t *const *values = m->subject->params;
			const char *a = params_string(values[ARM_A], declared, p->name);
			const char *b = params_string(values[arm], declared, p->name);
			struct diagnosis *d;

			if (param_same(p, a, b))
				continue;
			d = material_add(m, DIAGNOSIS_PROTOCOL, arm);
			d->untested = "no test is needed";
			d->found = d->matters = true;
			d->param = p->name;
			d->value_a = a;
			d->value = b;
		}
	}
}

/* ---- what it comes to ---- */

static bool is_large(const struct diagnosis *d)
{
	if (d->kind == DIAGNOSIS_DEPENDENCE)
		return d->size >= DIAGNOSIS_LEAST_DEPENDENCE;
	return fabs(log1p(d->size)) >= log1p(DIAGNOSIS_LEAST_RATIO);
}

static void adjust(struct diagnoses *all)
{
	double *p __free(memory) = memory_array(all->count, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (!isnan(all->list[i].p))
			p[count++] = all->list[i].p;
	}
	family_adjust_holm(p, count, p);
	count = 0;
	for (size_t i = 0; i < all->count; i++) {
		struct diagnosis *d = &all->list[i];

		if (isnan(d->p))
			continue;
		d->p_adjusted = p[count++];
		d->found = d->p_adjusted <= DIAGNOSIS_LEVEL;
		d->matters = d->found && is_large(d);
	}
}

/*
 * What explains the other has the line. The begin of a window that rises or falls throughout is off
 * by about as much as one third of it from another; that of one which is only not warm is off by
 * more, and its end may still be seen behind. Either makes neighbours alike.
 */
static void leave_out_explained(struct diagnoses *all)
{
	struct diagnosis *warmup = NULL, *trend = NULL;

	for (size_t i = 0; i < all->count; i++) {
		struct diagnosis *d = &all->list[i];

		if (d->kind == DIAGNOSIS_WARMUP && d->matters)
			warmup = d;
		if (d->kind == DIAGNOSIS_TREND && d->matters)
			trend = d;
		if (d->kind == DIAGNOSIS_DEPENDENCE)
			d->matters &= !trend && !warmup;
	}
	if (!warmup || !trend)
		return;
	if (fabs(warmup->size) > 1.5 * fabs(trend->size))
		trend->matters = false;
	else
		warmup->matters = false;
}

struct diagnoses diagnosis_find(const struct experiment *e, const struct entries *runs,
				size_t subject)
{
	const struct subject *s = &e->subjects[subject];
	struct material m = {
		.e = e,
		.subject = s,
		.primary = description_metric(s->description, s->primary),
		.arms = e->arm_count,
	};

	m.role = memory_string(m.primary->of);
	m.role[strcspn(m.role, ".")] = '\0';
	collect(&m, runs, subject);
	find_protocol(&m);
	diagnosis_of_runs(&m);
	diagnosis_of_latencies(&m);
	diagnosis_of_windows(&m);
	adjust(&m.found);
	leave_out_explained(&m.found);
	free(m.role);
	free(m.rows);
	return m.found;
}
