// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/points.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "model/experiment.h"

static const char range_mark[] = "..";

void points_done(struct points *p)
{
	free(p->list);
	*p = (struct points){0};
}

bool points_is_list(const char *value)
{
	return strpbrk(value, ",%") || strstr(value, range_mark);
}

static void add(struct points *p, int64_t number)
{
	p->list = memory_grow(p->list, (p->count + 1) * sizeof(*p->list));
	p->list[p->count++] = number;
}

static bool add_share(struct points *p, const char *part, int64_t cpus, struct error *err)
{
	double ratio;

	if (!units_parse_percent(part, &ratio, err))
		return false;
	if (!(ratio > 0))
		return error_set(err, ERROR_USAGE, "%.100s of the CPUs is no task", part);
	if (ratio > 1)
		return error_set(
			err, ERROR_USAGE,
			"%.100s: a share is of the CPUs that the tasks may use, 100%% at most; "
			"more tasks than CPUs are said as a number",
			part);
	if (!cpus)
		return error_set(err, ERROR_USAGE,
				 "%.100s: a share of how many CPUs is not known here: say a number",
				 part);
	p->cpus = cpus;
	add(p, (int64_t)fmax(1, round(ratio * (double)cpus)));
	return true;
}

static bool add_range(struct points *p, const char *part, const char *mark, struct error *err)
{
	char *from __free(memory) = text_format("%.*s", (int)(mark - part), part);
	int64_t low, high;

	if (!units_parse_count(from, &low, err) ||
	    !units_parse_count(mark + strlen(range_mark), &high, err))
		return false;
	if (high < low)
		return error_set(err, ERROR_USAGE,
				 "%.100s runs backwards: it is %" PRId64 "..%" PRId64, part, high,
				 low);
	if (high - low >= EXPERIMENT_SUBJECTS_MAX)
		return error_set(err, ERROR_USAGE, "%.100s: more than %d points", part,
				 EXPERIMENT_SUBJECTS_MAX);
	for (int64_t number = low; number <= high; number++)
		add(p, number);
	return true;
}

static bool add_part(struct points *p, const char *part, int64_t cpus, struct error *err)
{
	const char *mark = strstr(part, range_mark);
	int64_t number;

	if (!*part)
		return error_set(err, ERROR_USAGE, "a number is missing before or behind a comma");
	if (mark)
		return add_range(p, part, mark, err);
	if (strchr(part, '%'))
		return add_share(p, part, cpus, err);
	if (!units_parse_count(part, &number, err))
		return false;
	add(p, number);
	return true;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sort_once_each(struct points *p)
{
	size_t kept = 0;

	qsort(p->list, p->count, sizeof(*p->list), ascending);
	for (size_t i = 0; i < p->count; i++) {
		if (!kept || p->list[i] != p->list[kept - 1])
			p->list[kept++] = p->list[i];
	}
	p->count = kept;
}

bool points_parse(const char *value, int64_t cpus, struct points *ret, struct error *err)
{
	struct points p __cleanup(points_done) = {0};
	const char *at = value;

	for (;;) {
		size_t length = strcspn(at, ",");
		char *part __free(memory) = text_format("%.*s", (int)length, at);

		if (!add_part(&p, part, cpus, err))
			return false;
		if (p.count > EXPERIMENT_SUBJECTS_MAX)
			return error_set(err, ERROR_USAGE, "more than %d points",
					 EXPERIMENT_SUBJECTS_MAX);
		if (!at[length])
			break;
		at += length + 1;
	}
	sort_once_each(&p);
	*ret = p;
	p = (struct points){0};
	return true;
}

bool points_equal(const struct points *a, const struct points *b)
{
	return a->count == b->count && !memcmp(a->list, b->list, a->count * sizeof(*a->list));
}

char *points_text(const struct points *p)
{
	/* Fewer are as short as a list. */
	enum { RANGE_LEAST = 4 };
	struct text out = {0};

	for (size_t i = 0, length; i < p->count; i += length) {
		for (length = 1;
		     i + length < p->count && p->list[i + length] == p->list[i] + (int64_t)length;)
			length++;
		text_printf(&out, "%s%" PRId64, i ? "," : "", p->list[i]);
		if (length >= RANGE_LEAST)
			text_printf(&out, "%s%" PRId64, range_mark, p->list[i + length - 1]);
		else
			length = 1;
	}
	return text_take(&out);
}
