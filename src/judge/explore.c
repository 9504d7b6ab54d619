// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/explore.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/figures.h"
#include "judge/rule.h"
#include "model/counters.h"
#include "stats/family.h"

/* Whatever a metric is made of has a verdict already, or is described. */
static bool is_covered(const struct description *d, const char *counter)
{
	for (size_t i = 0; i < d->metric_count; i++) {
		if (text_equal(d->metrics[i].of, counter) ||
		    (d->metrics[i].per && text_equal(d->metrics[i].per, counter)))
			return true;
	}
	return false;
}

/* "1/op", "ns/op": a name of the wire ends in its unit. */
static char *unit_of(const char *counter)
{
	const char *last = strrchr(counter, '_');

	if (last && (text_equal(last, "_ns") || text_equal(last, "_bytes")))
		return text_format("%s/op", last + 1);
	return memory_string("1/op");
}

static void explored_init(struct explored *x, const char *counter)
{
	*x = (struct explored){
		.of = memory_string(counter),
		.per = text_format("%.*s.operations", (int)strcspn(counter, "."), counter),
		.name = memory_string(counter),
		.unit = unit_of(counter),
	};
	*strchr(x->name, '.') = '_';
	x->metric = (struct metric){
		.name = x->name,
		.unit = x->unit,
		.better = BETTER_NEITHER,
		.summary = SUMMARY_RATIO,
		.of = x->of,
		.per = x->per,
		.help = "",
	};
}

static void explored_done(struct explored *x)
{
	metric_verdict_done(&x->v);
	free(x->of);
	free(x->per);
	free(x->name);
	free(x->unit);
}

void exploration_free(struct exploration *x)
{
	for (size_t i = 0; x && i < x->count; i++)
		explored_done(&x->list[i]);
	if (x)
		free(x->list);
	free(x);
}

/* A new object of the counters that any run has. */
static json_t *counters_of(const struct pairs *pairs)
{
	json_t *names = json_object();

	for (size_t i = 0; i < pairs->count; i++) {
		counters_list(pairs->list[i].a, names);
		counters_list(pairs->list[i].b, names);
	}
	return names;
}

/* Is there anything to look for? The signs of the differences have no part in the answer. */
static bool may_differ(const struct metric_verdict *v)
{
	bool any = false;

	for (size_t i = 0; i < v->pairs; i++)
		any |= v->a[i] != v->b[i];
	return any && v->pairs >= JUDGE_LEAST_PAIRS && !metric_is_scarce(v);
}

static void find(struct exploration *x, double alpha)
{
	double *p __free(memory) = memory_array(x->count, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < x->count; i++) {
		if (may_differ(&x->list[i].v))
			p[count++] = x->list[i].v.p;
	}
	family_adjust_benjamini_hochberg(p, count, p);
	x->comparisons = count;
	count = 0;
	for (size_t i = 0; i < x->count; i++) {
		struct metric_verdict *v = &x->list[i].v;

		if (!may_differ(v))
			continue;
		v->p_adjusted = p[count++];
		v->comparisons = x->comparisons;
		x->list[i].found = v->p_adjusted <= alpha;
		x->found += x->list[i].found;
	}
}

struct exploration *explore(const struct description *d, const struct pairs *pairs, bool looks,
			    double alpha, uint64_t seed)
{
	struct exploration *x = memory_alloc(sizeof(*x));
	json_t *names __free(json) = counters_of(pairs);
	const char *counter;
	json_t *ignored;

	x->list = memory_array(json_object_size(names), sizeof(*x->list));
	json_object_foreach(names, counter, ignored) {
		struct explored *own = &x->list[x->count];

		/* What others are counted by. */
		if (is_covered(d, counter) || text_equal(strchr(counter, '.'), ".operations"))
			continue;
		explored_init(own, counter);
		own->v = (struct metric_verdict){
			.metric = &own->metric, .level = alpha, .verdict = VERDICT_NONE};
		figures_collect(pairs, &own->v);
		if (!own->v.pairs) {
			explored_done(own);
			continue;
		}
		/* No interval is shown: as little as a glance measures. */
		rule_measure(&own->v, looks, RULE_GLANCE, alpha, seed);
		x->count++;
	}
	find(x, alpha);
	return x;
}
