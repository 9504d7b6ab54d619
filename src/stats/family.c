// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/family.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"

struct member {
	double p;
	size_t place;
};

static int compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/* The p by size, with their places. Owned by the caller. */
static struct member *sort_members(const double *p, size_t n)
{
	struct member *members = memory_array(n, sizeof(*members));

	for (size_t i = 0; i < n; i++) {
		assert(p[i] >= 0 && p[i] <= 1);
		members[i] = (struct member){p[i], i};
	}
	qsort(members, n, sizeof(*members), compare);
	return members;
}

void family_adjust_holm(const double *p, size_t n, double *ret_adjusted)
{
	struct member *members __free(memory) = sort_members(p, n);
	double adjusted = 0;

	for (size_t i = 0; i < n; i++) {
		adjusted = fmax(adjusted, fmin(1, (double)(n - i) * members[i].p));
		ret_adjusted[members[i].place] = adjusted;
	}
}

static int largest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

void family_adjust_groups(const double *p, const size_t *group, size_t n, double *ret_adjusted)
{
	double *largest __free(memory) = memory_array(n, sizeof(*largest)); /* by group */
	double *others __free(memory) = memory_array(n, sizeof(*others));
	double *adjusted __free(memory) = memory_array(n, sizeof(*adjusted));
	size_t groups = 0;

	for (size_t i = 0; i < n; i++) {
		assert(p[i] >= 0 && p[i] <= 1 && group[i] < n);
		groups = group[i] >= groups ? group[i] + 1 : groups;
		largest[group[i]] = fmax(largest[group[i]], p[i]);
	}
	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t g = 0; g < groups; g++) {
			if (g != group[i])
				others[count++] = largest[g];
		}
		qsort(others, count, sizeof(*others), largest_first);
		adjusted[i] = p[i];
		for (size_t k = 0; k < count; k++)
			adjusted[i] =
				fmax(adjusted[i], fmin(1, (double)(k + 2) * fmin(p[i], others[k])));
	}
	for (size_t i = 0; i < n; i++)
		ret_adjusted[i] = adjusted[i];
}

void family_adjust_benjamini_hochberg(const double *p, size_t n, double *ret_adjusted)
{
	struct member *members __free(memory) = sort_members(p, n);
	double adjusted = 1;

	for (size_t i = n; i-- > 0;) {
		adjusted = fmin(adjusted, (double)n * members[i].p / (double)(i + 1));
		ret_adjusted[members[i].place] = adjusted;
	}
}
