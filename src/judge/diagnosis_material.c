// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/diagnosis_material.h"

#include <math.h>

#include "base/memory.h"

struct diagnosis *material_add(struct material *m, enum diagnosis_kind kind, int arm)
{
	struct diagnosis *d;

	m->found.list = memory_grow(m->found.list, (m->found.count + 1) * sizeof(*d));
	d = &m->found.list[m->found.count++];
	*d = (struct diagnosis){
		.kind = kind,
		.arm = arm,
		.p = NAN,
		.p_adjusted = NAN,
		.size = NAN,
		.first = NAN,
		.last = NAN,
		.low = NAN,
		.high = NAN,
	};
	for (int i = 0; i < ARM_MOST; i++)
		d->by_arm[i] = NAN;
	return d;
}

bool material_test(struct diagnosis *d, size_t n, const char *why)
{
	d->untested = why ? why : n < MATERIAL_LEAST ? "too few of them" : NULL;
	d->n = d->untested ? 0 : n;
	return d->n;
}
