// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/quote.h"

#include <math.h>

struct quote quote_find(const struct findings *f, const struct machine *m, size_t subject)
{
	const struct experiment *e = f->experiment;
	struct quote q = {0};

	if (!f->calibrations || !e->created_ns)
		return q;
	q.calibration = calibrations_find(f->calibrations, &e->subjects[subject], e->created_ns);
	if (!q.calibration)
		return q;
	if (isnan(q.calibration->effect)) {
		q.calibration = NULL;
		return q;
	}
	q.age_ns = e->created_ns - q.calibration->made_ns;
	q.changes = fingerprint_diff(q.calibration->host, m->baseline);
	return q;
}

void quote_done(struct quote *q)
{
	fact_changes_done(&q->changes);
}

json_t *quote_to_json(const struct quote *q)
{
	const struct calibration *c = q->calibration;
	json_t *experiments, *changes;

	if (!c)
		return json_null();
	experiments = json_array();
	for (size_t i = 0; i < c->experiment_count; i++)
		json_array_append_new(experiments, json_integer(c->experiments[i]));
	changes = json_array();
	for (size_t i = 0; i < q->changes.count; i++)
		json_array_append_new(changes, json_pack("{s:o, s:O, s:O}", "key",
							 json_text(q->changes.list[i].key),
							 "before", q->changes.list[i].before,
							 "after", q->changes.list[i].after));
	return json_pack("{s:I, s:I, s:I, s:o, s:f, s:f, s:f, s:I, s:I, s:s, s:o}", "id",
			 (json_int_t)c->id, "made_ns", (json_int_t)c->made_ns, "age_ns",
			 (json_int_t)q->age_ns, "experiments", experiments, "alpha", c->alpha,
			 "effect", c->effect, "pairs", c->effect_pairs, "run_ns",
			 (json_int_t)c->effect_ns, "most_pairs", (json_int_t)c->most_pairs, "check",
			 calibration_check_words[c->check], "changes", changes);
}
