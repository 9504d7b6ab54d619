// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/curves.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- curves ---- */

/* Whether the workloads that a key is meant for have a number of tasks to be said. */
static void find_tasks(const struct resolution *x, const char *key, bool *ret_has, bool *ret_lacks)
{
	const char *name;

	*ret_has = *ret_lacks = false;
	for (size_t i = 0; i < x->r->workload_count; i++) {
		struct error ignored;
		const struct description *d =
			resolution_workload(x->known, x->r->workloads[i].name, &ignored);
		const struct param *p = d ? param_find(d->params, curve_param) : NULL;

		if (!d || !request_meant_for(key, d, &name))
			continue;
		if (p && p->type == PARAM_COUNT)
			*ret_has = true;
		else
			*ret_lacks = true;
	}
}

/* Makes numbers of a list, and leaves other values alone. */
static bool settle(const struct resolution *x, struct said *said, struct error *err)
{
	struct points points __cleanup(points_done) = {0};
	const char *point = strchr(said->key, '.');
	bool has, lacks;

	if (!text_equal(point ? point + 1 : said->key, curve_param) || said->asked ||
	    !points_is_list(said->value))
		return true;
	find_tasks(x, said->key, &has, &lacks);
	/* One that is not known, or takes no part, is refused as such. */
	if (!has && !lacks)
		return true;
	if (!has)
		return error_set(err, ERROR_USAGE,
				 "%s=%.100s: %s has no %s=, how many tasks it has is its own",
				 said->key, said->value,
				 x->r->workload_count > 1 ? "none of the workloads"
							  : x->r->workloads[0].name,
				 curve_param);
	if (!points_parse(said->value, x->cpus, &points, err)) {
		error_wrap(err, "%s=%.100s", said->key, said->value);
		return resolution_wrap(said, err);
	}
	said->asked = said->value;
	said->value = points_text(&points);
	said->cpus = points.cpus;
	return true;
}

bool curves_settle(const struct resolution *x, struct error *err)
{
	for (size_t i = 0; i < x->r->said_count; i++) {
		struct said *said = &x->r->said[i];

		if (!settle(x, said, err))
			return request_wrap(x->r, said->value_place, err);
	}
	return true;
}

const struct said *curves_said(const struct resolution *x, const struct description *workload,
			       int arm)
{
	return resolution_said(x->r, x->r->said_count, workload, curve_param, arm);
}

/* The numbers of tasks of a workload in an arm. What is no number is refused elsewhere. */
static void points_of(const struct resolution *x, const struct description *d, int arm,
		      struct points *ret)
{
	const struct said *said = curves_said(x, d, arm);
	const struct param *p = param_find(d->params, curve_param);
	struct error ignored;

	if (p && p->type == PARAM_COUNT)
		points_parse(said ? said->value : p->preset, 0, ret, &ignored);
}

static bool check_points(const struct resolution *x, const struct description *d,
			 const struct points *points, struct error *err)
{
	const struct said *said = curves_said(x, d, ARM_A);

	for (size_t i = 0; i < points->count; i++) {
		char *number __free(memory) = text_format("%lld", (long long)points->list[i]);
		double ignored;

		if (param_check(param_find(d->params, curve_param), number, &ignored, err))
			continue;
		if (!said)
			return false;
		error_wrap(err, "%s=%.100s", said->key, said->asked);
		resolution_wrap(said, err);
		return request_wrap(x->r, said->value_place, err);
	}
	return true;
}

/* Refuses arms whose curves are not of the same points. */
static bool refuse_arm(const struct resolution *x, const struct description *d, int arm,
		       const struct points *first, const struct points *other, struct error *err)
{
	const struct said *own = curves_said(x, d, arm);
	const struct said *said = own ? own : curves_said(x, d, ARM_A);
	char *mine __free(memory) = points_text(other), *of_a __free(memory) = points_text(first);

	error_set(err, ERROR_USAGE,
		  "%s: %s=%s in A and %s=%s in %s: a curve is compared point by point, so that all "
		  "arms need the same list",
		  d->name, curve_param, of_a, curve_param, mine, arm_words[arm]);
	return said ? request_wrap(x->r, said->value_place, err) : false;
}

bool curves_find_points(const struct resolution *x, const struct description *d,
			struct points *ret_points, struct error *err)
{
	struct points first __cleanup(points_done) = {0};

	points_of(x, d, ARM_A, &first);
	for (int arm = ARM_B; arm < x->e->arm_count; arm++) {
		struct points other __cleanup(points_done) = {0};

		points_of(x, d, arm, &other);
		if ((first.count > 1 || other.count > 1) && !points_equal(&first, &other))
			return refuse_arm(x, d, arm, &first, &other, err);
	}
	if (first.count > 1 && !check_points(x, d, &first, err))
		return false;
	*ret_points = first;
	first = (struct points){0};
	return true;
}
