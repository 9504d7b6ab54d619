// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "experiment/request.h"
#include "experiment/resolution.h"

/* From the metrics that a request asks for to the primary one of each subject. */

/* Nothing overrides anything: a primary for one that has got its own already is refused. */
static bool refuse_second(const struct subject *s, const char *before, const char *key,
			  struct error *err)
{
	if (text_equal(before, key))
		return error_set(err, ERROR_USAGE, "%s is given twice", key);
	return error_set(err, ERROR_USAGE, "%s and %s both give the primary metric of %s", before,
			 key, s->description->name);
}

/*
 * Makes a metric that was asked for the primary one of every workload that has it. keys: what did
 * so for each subject before; NULL: nothing yet.
 */
static bool set_primary(const char *key, struct experiment *e, const char **keys, struct error *err)
{
	struct nearest nearest = {0};
	const char *list = NULL;
	bool known = false;

	if (!request_is_key(key))
		return error_set(err, ERROR_USAGE,
				 "'%.100s' is not the name of a metric, nor WORKLOAD.METRIC", key);
	if (!resolution_check(e, key, err))
		return false;
	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject *s = &e->subjects[i];
		const struct metric *m;

		if (!request_meant_for(key, s->description, &nearest.name))
			continue;
		if (!list)
			list = s->description->name;
		for (m = s->description->metrics; m->name; m++)
			nearest_try(&nearest, m->name);
		m = description_metric(s->description, nearest.name);
		if (!m)
			continue;
		if (m->better == BETTER_NEITHER)
			return error_set(err, ERROR_USAGE,
					 "%s of %s is neither better high nor low, so it cannot be "
					 "judged",
					 m->name, s->description->name);
		if (keys[i])
			return refuse_second(s, keys[i], key, err);
		keys[i] = key;
		s->primary = m->name;
		known = true;
	}
	return known || resolution_unknown(&nearest, "metric", list, err);
}

bool request_choose_primaries(const struct request *r, struct experiment *e, struct error *err)
{
	const struct terms *t = r->terms.said[TERM_PRIMARY] ? &r->terms : &r->file_terms;
	const char **keys __free(memory) = memory_array(e->subject_count, sizeof(*keys));

	for (size_t i = 0; i < t->primary_count; i++) {
		const struct primary *p = &t->primaries[i];

		if (set_primary(p->key, e, keys, err))
			continue;
		error_wrap(err, "%s", p->place.line ? "primary" : "--primary");
		return request_wrap(r, p->place, err);
	}
	return true;
}
