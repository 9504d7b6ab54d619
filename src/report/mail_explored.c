// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/explore.h"
#include "report/block.h"

/* A line for whoever looks where a difference comes from; all of it is in the JSON report. */
enum { FINDS_MAX = 6 };

/*
 * How far a find is from no change, so that it can be ranked; one from zero is before all others.
 */
static double distance(const struct explored *x)
{
	return x->v.scale == SCALE_LOG ? fabs(log1p(x->v.estimate)) : INFINITY;
}

static int farthest_first(const void *a, const void *b)
{
	const struct explored *x = *(const struct explored *const *)a;
	const struct explored *y = *(const struct explored *const *)b;

	if (distance(x) != distance(y))
		return distance(x) < distance(y) ? 1 : -1;
	/* In the order of the record, so that the result does not depend on qsort(). */
	return (x > y) - (x < y);
}

/* "writer involuntary switches +310%", or where there are zeros the medians, "0 -> 0.0012". */
static void put_find(struct text *out, const struct explored *x)
{
	char *label __free(memory) = facts_label(&x->metric);
	struct mail_row row = mail_row(&x->v);

	text_printf(out, "%s ", label);
	if (x->v.scale == SCALE_LOG)
		change_print(out, &row.change, x->v.estimate);
	else
		text_printf(out, "%.3g -> %.3g", x->v.middle_a, x->v.middle_b);
}

void block_put_explored(const struct block *b, struct text *out)
{
	const struct exploration *x = b->v->explored;
	const struct explored **finds __free(memory) = NULL;
	struct text line __text = {0}, share __text = {0};
	size_t count = 0;

	if (!x || !x->found)
		return;
	finds = memory_array(x->found, sizeof(struct explored *));
	for (size_t i = 0; i < x->count; i++) {
		if (x->list[i].found)
			finds[count++] = &x->list[i];
	}
	qsort(finds, count, sizeof(struct explored *), farthest_first);
	for (size_t i = 0; i < count && i < FINDS_MAX; i++) {
		text_puts(&line, i ? ", " : "");
		put_find(&line, finds[i]);
	}
	if (count > FINDS_MAX)
		text_printf(&line, " and %zu more", count - FINDS_MAX);
	percent_print(&share, b->f->experiment->alpha);
	mail_remark(out,
		    "per operation also different, of %zu counters explored (no verdict; by "
		    "Benjamini-Hochberg at most %s of such finds are false on average): %s",
		    x->comparisons, text_string(&share), text_string(&line));
}
