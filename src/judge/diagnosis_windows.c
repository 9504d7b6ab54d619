// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/diagnosis_material.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "judge/shape.h"
#include "stats/paired.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

/* The shapes of all windows, in the order of the rows. */
struct shapes {
	struct shape *list;
	int *arms;
	size_t count;
};

static void shapes_done(struct shapes *s)
{
	free(s->list);
	free(s->arms);
}

static struct shapes shapes_collect(const struct material *m)
{
	size_t most = m->count * (size_t)m->arms;
	struct shapes s = {
		.list = memory_array(most, sizeof(*s.list)),
		.arms = memory_array(most, sizeof(*s.arms)),
	};

	for (size_t i = 0; i < m->count; i++) {
		for (int arm = 0; arm < m->arms; arm++) {
			const struct run *r = m->rows[i].run[arm];

			if (r && shape_read(r, m->role, &s.list[s.count]))
				s.arms[s.count++] = arm;
		}
	}
	return s;
}

/* One figure of each shape. */
typedef double (*pick_shape)(const struct shape *s);

static double head_rank(const struct shape *s)
{
	return s->head_rank;
}

static double head_ratio(const struct shape *s)
{
	return s->head_ratio;
}

static double head_ns(const struct shape *s)
{
	return (double)s->head_ns;
}

static double trend(const struct shape *s)
{
	return s->trend;
}

static double trend_ratio(const struct shape *s)
{
	return s->trend_ratio;
}

static double dependence(const struct shape *s)
{
	return s->dependence;
}

static double slice_ns(const struct shape *s)
{
	return (double)s->slice_ns;
}

/* The median over the runs of an arm, or of all with -1; NAN: there is none. */
static double median_of(const struct shapes *s, pick_shape pick, int arm, double *x)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (arm < 0 || s->arms[i] == arm)
			x[n++] = pick(&s->list[i]);
	}
	return n ? summary_median(x, n) : NAN;
}

static bool is_testable(struct diagnosis *d, const struct shapes *s)
{
	return material_test(d, s->count, s->count ? NULL : "no slices of the windows");
}

/*
 * The runs are the values, not their slices: what lies together in a run, or in a slice, is one.
 * That keeps the level whatever the slices of a run have to do with each other.
 */
static void find_in_windows(struct material *m, const struct shapes *s, double *x)
{
	static const struct {
		enum diagnosis_kind kind;
		pick_shape tested, size;
	} cases[] = {
		{DIAGNOSIS_WARMUP, head_rank, head_ratio},
		{DIAGNOSIS_TREND, trend, trend_ratio},
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct diagnosis *d = material_add(m, cases[c].kind, ARM_A);

		if (!is_testable(d, s))
			continue;
		for (size_t i = 0; i < s->count; i++)
			x[i] = cases[c].tested(&s->list[i]);
		d->p = sign_flip_p(x, s->count, m->e->seed);
		d->size = median_of(s, cases[c].size, -1, x);
		for (int arm = 0; arm < m->arms; arm++)
			d->by_arm[arm] = median_of(s, cases[c].size, arm, x);
		if (cases[c].kind == DIAGNOSIS_WARMUP)
			d->span_ns = (int64_t)median_of(s, head_ns, -1, x);
	}
}

static void find_dependence(struct material *m, const struct shapes *s, double *x)
{
	struct diagnosis *d = material_add(m, DIAGNOSIS_DEPENDENCE, ARM_A);

	if (!is_testable(d, s))
		return;
	for (size_t i = 0; i < s->count; i++)
		x[i] = dependence(&s->list[i]);
	d->p = paired_test(x, s->count, DIAGNOSIS_LEVEL).p;
	d->size = summary_mean(x, s->count);
	d->span_ns = (int64_t)median_of(s, slice_ns, -1, x);
}

void diagnosis_of_windows(struct material *m)
{
	struct shapes shapes __cleanup(shapes_done) = shapes_collect(m);
	double *x __free(memory) = memory_array(shapes.count + 1, sizeof(*x));

	find_in_windows(m, &shapes, x);
	find_dependence(m, &shapes, x);
}
