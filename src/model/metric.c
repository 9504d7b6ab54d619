// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/metric.h"

#include <string.h>

#include "base/text.h"

const char *const better_words[] = {
	[BETTER_LOWER] = "lower",
	[BETTER_HIGHER] = "higher",
	[BETTER_NEITHER] = "neither",
	[BETTER_NEITHER + 1] = NULL,
};

const char *const summary_words[] = {
	[SUMMARY_P50] = "p50",
	[SUMMARY_P95] = "p95",
	[SUMMARY_P99] = "p99",
	[SUMMARY_P999] = "p99.9",
	[SUMMARY_MAX] = "max",
	[SUMMARY_MEAN] = "mean",
	[SUMMARY_RATE] = "rate",
	[SUMMARY_RATIO] = "ratio",
	[SUMMARY_TOTAL] = "total",
	[SUMMARY_FAIRNESS] = "fairness",
	[SUMMARY_READING] = "reading",
	[SUMMARY_READING + 1] = NULL,
};

double summary_quantile_of(enum summary summary)
{
	switch (summary) {
	case SUMMARY_P50:
		return 0.5;
	case SUMMARY_P95:
		return 0.95;
	case SUMMARY_P99:
		return 0.99;
	case SUMMARY_P999:
		return 0.999;
	default:
		return 0;
	}
}

bool metric_shares_shift(const struct metric *a, const struct metric *b)
{
	return a->summary <= SUMMARY_MAX && b->summary <= SUMMARY_MAX && text_equal(a->of, b->of);
}

unsigned int summary_least_samples(enum summary summary)
{
	/* The smallest n with 1 - q^n - (1 - q)^n >= 0.95: both sides have an order statistic. */
	switch (summary) {
	case SUMMARY_P50:
		return 6;
	case SUMMARY_P95:
		return 59;
	case SUMMARY_P99:
		return 299;
	case SUMMARY_P999:
		return 2995;
	default:
		return 0;
	}
}

json_t *metric_to_json(const struct metric *m)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_text(m->name));
	json_object_set_new(object, "unit", json_text(m->unit));
	json_object_set_new(object, "better", json_text(better_words[m->better]));
	json_object_set_new(object, "summary", json_text(summary_words[m->summary]));
	json_object_set_new(object, "of", json_text(m->of));
	if (m->per)
		json_object_set_new(object, "per", json_text(m->per));
	if (m->reader)
		json_object_set_new(object, "reader", json_text(m->reader));
	if (m->pattern) {
		json_object_set_new(object, "pattern", json_text(m->pattern));
		json_object_set_new(object, "scale", json_real(m->scale));
	}
	json_object_set_new(object, "primary", json_boolean(m->primary));
	json_object_set_new(object, "multitask", json_boolean(m->multitask));
	json_object_set_new(object, "help", json_text(m->help));
	return object;
}

/* Reads "role.name". */
static bool get_place(const json_t *object, const char *key, const char **ret, struct error *err)
{
	const char *place, *dot;

	if (!json_get_string(object, key, &place, err))
		return false;
	dot = strchr(place, '.');
	if (!dot || !json_is_name(place, (size_t)(dot - place)) ||
	    !json_is_name(dot + 1, strlen(dot + 1)))
		return error_set(err, ERROR_DATA, "field '%s' is not role.name", key);
	*ret = place;
	return true;
}

/* Of what is read from an output: who reads it, and how. */
static bool get_reader(const json_t *object, struct metric *m, struct error *err)
{
	if (m->summary != SUMMARY_READING)
		return true;
	if (!json_get_name(object, "reader", &m->reader, err))
		return false;
	if (!text_equal(m->reader, METRIC_READER_PATTERN))
		return error_set(err, ERROR_DATA, "nothing here reads outputs as '%.100s'",
				 m->reader);
	return json_get_string(object, "pattern", &m->pattern, err) &&
	       json_get_number(object, "scale", &m->scale, err);
}

bool metric_from_json(const json_t *object, struct metric *ret, struct error *err)
{
	struct metric m = {0};
	int better, summary;

	if (!json_get_name(object, "name", &m.name, err))
		return error_wrap(err, "metric");
	if (!json_get_string(object, "unit", &m.unit, err) ||
	    !json_get_word(object, "better", better_words, &better, err) ||
	    !json_get_word(object, "summary", summary_words, &summary, err) ||
	    !get_place(object, "of", &m.of, err) ||
	    !json_get_bool(object, "primary", &m.primary, err) ||
	    !json_get_bool(object, "multitask", &m.multitask, err) ||
	    !json_get_string(object, "help", &m.help, err))
		return error_wrap(err, "metric '%s'", m.name);
	m.better = (enum better)better;
	m.summary = (enum summary)summary;
	if (m.summary == SUMMARY_RATIO && !get_place(object, "per", &m.per, err))
		return error_wrap(err, "metric '%s'", m.name);
	if (!get_reader(object, &m, err))
		return error_wrap(err, "metric '%s'", m.name);
	if (m.summary != SUMMARY_RATIO && json_object_get(object, "per"))
		return error_set(err, ERROR_DATA, "metric '%s': field 'per' without a ratio",
				 m.name);
	*ret = m;
	return true;
}
