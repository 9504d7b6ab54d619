// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/dip.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/summary.h"

/*
 * The algorithm is that of the paper, as Applied Statistics 217 (P. M. Hartigan 1985) has it. In
 * the modal interval [low, high], the whole range at first, the greatest convex minorant and the
 * least concave majorant of the distribution function are compared; where they are furthest apart
 * lies the next modal interval. What the parts left and right of it miss of their own minorant and
 * majorant is a bound of the dip from below. It ends when the interval gains nothing any more.
 *
 * Heights are counted in values: the distribution function rises by 1 at each. All is twice the dip
 * times n until the end.
 */
struct search {
	const double *x; /* ascending */
	size_t n;
	size_t *minorant;	  /* the vertex of the convex minorant of 0..j before j */
	size_t *majorant;	  /* the vertex of the concave majorant of k..n-1 after k */
	size_t *convex, *concave; /* vertices in [low, high]: from high down, from low up */
	size_t convex_count, concave_count;
};

static void search_init(struct search *s, const double *x, size_t n)
{
	*s = (struct search){.x = x, .n = n};
	s->minorant = memory_array(n, sizeof(*s->minorant));
	s->majorant = memory_array(n, sizeof(*s->majorant));
	s->convex = memory_array(n + 1, sizeof(*s->convex));
	s->concave = memory_array(n + 1, sizeof(*s->concave));
}

static void search_done(struct search *s)
{
	free(s->minorant);
	free(s->majorant);
	free(s->convex);
	free(s->concave);
}

/* Whether the middle vertex lies on or above the line between the others; heights are indices. */
static bool is_above(const double *x, size_t left, size_t middle, size_t right)
{
	return (x[right] - x[middle]) * (double)(middle - left) >=
	       (x[middle] - x[left]) * (double)(right - middle);
}

static bool is_below(const double *x, size_t left, size_t middle, size_t right)
{
	return (x[right] - x[middle]) * (double)(middle - left) <=
	       (x[middle] - x[left]) * (double)(right - middle);
}

static void find_hulls(struct search *s)
{
	for (size_t j = 1; j < s->n; j++) {
		size_t before = j - 1;

		while (before > 0 && is_above(s->x, s->minorant[before], before, j))
			before = s->minorant[before];
		s->minorant[j] = before;
	}
	s->majorant[s->n - 1] = s->n - 1;
	for (size_t k = s->n - 1; k-- > 0;) {
		size_t after = k + 1;

		while (after < s->n - 1 && is_below(s->x, k, after, s->majorant[after]))
			after = s->majorant[after];
		s->majorant[k] = after;
	}
}

static void collect(struct search *s, size_t low, size_t high)
{
	s->convex[0] = high;
	for (s->convex_count = 1; s->convex[s->convex_count - 1] > low; s->convex_count++)
		s->convex[s->convex_count] = s->minorant[s->convex[s->convex_count - 1]];
	s->concave[0] = low;
	for (s->concave_count = 1; s->concave[s->concave_count - 1] < high; s->concave_count++)
		s->concave[s->concave_count] = s->majorant[s->concave[s->concave_count - 1]];
}

/*
 * How far the line from vertex a to b is above (or below) the height `at` where x is that of `at`.
 */
static double height_on(const struct search *s, size_t a, size_t b, size_t at)
{
	return (double)a + (s->x[at] - s->x[a]) * (double)(b - a) / (s->x[b] - s->x[a]);
}

/*
 * The largest distance of majorant and minorant in the modal interval, which has its place at a
 * vertex of one of them: the new interval begins at convex[ret_low] and ends at concave[ret_high].
 */
static double find_gap(const struct search *s, size_t *ret_low, size_t *ret_high)
{
	size_t i = s->convex_count - 2, k = 1;
	double gap = 0;

	*ret_low = s->convex_count - 1;
	*ret_high = s->concave_count - 1;
	if (s->convex_count == 2 && s->concave_count == 2)
		return 1;
	for (;;) {
		size_t on_minorant = s->convex[i], on_majorant = s->concave[k];
		double distance;

		if (on_minorant > on_majorant) {
			distance = (double)on_majorant + 1 -
				   height_on(s, s->convex[i + 1], on_minorant, on_majorant);
			k++;
			if (distance >= gap) {
				gap = distance;
				*ret_low = i + 1;
				*ret_high = k - 1;
			}
		} else {
			distance = height_on(s, s->concave[k - 1], on_majorant, on_minorant) + 1 -
				   (double)on_minorant;
			if (distance >= gap) {
				gap = distance;
				*ret_low = i;
				*ret_high = k;
			}
			i -= i > 0;
		}
		if (k > s->concave_count - 1)
			k = s->concave_count - 1;
		if (s->convex[i] == s->concave[k])
			return gap;
	}
}

/* How far the function lies above the convex minorant left of the new interval. */
static double miss_of_minorant(const struct search *s, size_t from)
{
	double most = 0;

	for (size_t i = from; i + 1 < s->convex_count; i++) {
		size_t begin = s->convex[i + 1], end = s->convex[i];

		if (end - begin < 2 || s->x[end] == s->x[begin])
			continue;
		for (size_t at = begin; at <= end; at++)
			most = fmax(most, (double)at + 1 - height_on(s, begin, end, at));
	}
	return most;
}

/* How far it lies below the concave majorant right of it. */
static double miss_of_majorant(const struct search *s, size_t from)
{
	double most = 0;

	for (size_t k = from; k + 1 < s->concave_count; k++) {
		size_t begin = s->concave[k], end = s->concave[k + 1];

		if (end - begin < 2 || s->x[end] == s->x[begin])
			continue;
		for (size_t at = begin; at <= end; at++)
			most = fmax(most, height_on(s, begin, end, at) + 1 - (double)at);
	}
	return most;
}

static double dip_of_sorted(const double *x, size_t n)
{
	struct search s __cleanup(search_done);
	size_t low = 0, high = n - 1;
	double found = 1;

	search_init(&s, x, n);
	/* One value, or equal ones: the least there is. */
	if (n < 2 || x[0] == x[n - 1])
		return found / (2 * (double)n);
	find_hulls(&s);
	for (;;) {
		size_t new_low, new_high;
		double gap;

		collect(&s, low, high);
		gap = find_gap(&s, &new_low, &new_high);
		if (gap < found)
			break;
		found = fmax(found,
			     fmax(miss_of_minorant(&s, new_low), miss_of_majorant(&s, new_high)));
		if (low == s.convex[new_low] && high == s.concave[new_high])
			break;
		low = s.convex[new_low];
		high = s.concave[new_high];
	}
	return found / (2 * (double)n);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double dip(const double *x, size_t n)
{
	double *sorted __free(memory) = memory_array(n, sizeof(*sorted));

	assert(n > 0 && summary_is_finite(x, n));
	memcpy(sorted, x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	return dip_of_sorted(sorted, n);
}

double dip_p(const double *x, size_t n, uint64_t seed)
{
	double *drawn __free(memory) = memory_array(n, sizeof(*drawn));
	double observed = dip(x, n) * (1 - 1e-9);
	size_t reached = 1;
	struct random r;

	assert(n <= DIP_MOST);
	random_seed(&r, seed, n);
	for (int b = 0; b < DIP_DRAWS; b++) {
		for (size_t i = 0; i < n; i++)
			drawn[i] = random_unit(&r);
		qsort(drawn, n, sizeof(*drawn), compare);
		reached += dip_of_sorted(drawn, n) >= observed;
	}
	return (double)reached / (DIP_DRAWS + 1);
}
