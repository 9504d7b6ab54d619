// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/facts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/sign_flip.h"

/* ---- the runs ---- */

int64_t facts_task_count(const json_t *task, const char *name)
{
	const json_t *value = json_object_get(json_object_get(task, "counters"), name);

	if (!value)
		value = json_object_get(task, name);
	return json_is_integer(value) ? json_integer_value(value) : -1;
}

static void note_failures(struct subject_facts *s, const struct subject *subject,
			  const struct entry *e)
{
	const json_t *tasks = json_object_get(e->run->record, "tasks");

	for (const struct role_description *r = subject->description->roles; r->name; r++) {
		struct failed_operations *failed = NULL;
		int64_t count = 0;

		for (size_t i = 0; i < json_array_size(tasks); i++) {
			const json_t *task = json_array_get(tasks, i);
			const char *role = json_string_value(json_object_get(task, "role"));
			int64_t own = facts_task_count(task, "failures");

			if (role && text_equal(role, r->name) && own > 0 &&
			    __builtin_add_overflow(count, own, &count))
				count = INT64_MAX;
		}
		if (!count)
			continue;
		for (size_t i = 0; i < s->failed_count; i++) {
			if (text_equal(s->failed[i].role, r->name))
				failed = &s->failed[i];
		}
		if (!failed) {
			s->failed =
				memory_grow(s->failed, (s->failed_count + 1) * sizeof(*s->failed));
			failed = &s->failed[s->failed_count++];
			*failed = (struct failed_operations){.role = r->name};
		}
		if (__builtin_add_overflow(failed->operations[e->arm], count,
					   &failed->operations[e->arm]))
			failed->operations[e->arm] = INT64_MAX;
		failed->runs[e->arm]++;
	}
}

static void note_window(struct subject_facts *s, const struct subject *subject,
			const struct run *run)
{
	int64_t longest_ns = 0;

	if (run->outcome != OUTCOME_OK)
		return;
	for (const struct role_description *r = subject->description->roles; r->name; r++) {
		int64_t window_ns = run_window_ns(run, r->name);

		if (window_ns > longest_ns)
			longest_ns = window_ns;
	}
	if (!longest_ns)
		return;
	if (!s->window_low_ns || longest_ns < s->window_low_ns)
		s->window_low_ns = longest_ns;
	if (longest_ns > s->window_high_ns)
		s->window_high_ns = longest_ns;
}

/* Saturating: stamps come from a store. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void note_run(struct subject_facts *s, const struct subject *subject, const struct entry *e,
		     size_t index, bool blind)
{
	const json_t *notes = json_object_get(e->run->record, "notes");

	s->runs[e->arm]++;
	s->not_ok[e->arm] += e->run->outcome != OUTCOME_OK;
	if (e->run->started_ns)
		s->run_ns = plus(s->run_ns, run_took_ns(e->run));
	for (size_t i = 0; !blind && i < json_array_size(notes); i++) {
		const char *note = json_string_value(json_array_get(notes, i));

		if (note)
			recurrences_add_alike(&s->notes, note, e->arm, index);
	}
	if (e->run->outcome != OUTCOME_OK) {
		char *trouble __free(memory) =
			text_format("%s%s%s", outcome_words[e->run->outcome],
				    *e->run->reason ? ": " : "", e->run->reason);

		recurrences_add_alike(&s->troubles, trouble, e->arm, index);
	}
	if (blind)
		return;
	note_failures(s, subject, e);
	note_window(s, subject, e->run);
}

/* Of a comparison that nobody may know yet there is nothing to say. */
static bool is_open(const struct findings *f)
{
	if (f->experiment->plan == PLAN_SINGLE)
		return true;
	return f->judgement && !f->judgement->blind;
}

struct facts facts_collect(const struct findings *f)
{
	struct facts facts = {0};

	facts.subject_count = f->experiment->subject_count;
	facts.subjects = memory_array(facts.subject_count, sizeof(*facts.subjects));
	for (size_t i = 0; i < f->runs->count; i++) {
		const struct entry *e = &f->runs->list[i];

		if (e->set_aside) {
			facts.set_aside++;
			continue;
		}
		facts.runs[e->arm]++;
		note_run(&facts.subjects[e->subject], &f->experiment->subjects[e->subject], e, i,
			 f->judgement && f->judgement->blind);
	}
	for (size_t i = 0; i < facts.subject_count; i++) {
		facts.run_ns = plus(facts.run_ns, facts.subjects[i].run_ns);
		recurrences_finish(&facts.subjects[i].notes);
		recurrences_finish(&facts.subjects[i].troubles);
		if (is_open(f))
			facts.subjects[i].diagnoses = diagnosis_find(f->experiment, f->runs, i);
	}
	facts.machine = machine_collect(f);
	return facts;
}

void facts_done(struct facts *facts)
{
	for (size_t i = 0; i < facts->subject_count; i++) {
		recurrences_done(&facts->subjects[i].notes);
		recurrences_done(&facts->subjects[i].troubles);
		free(facts->subjects[i].failed);
		diagnoses_done(&facts->subjects[i].diagnoses);
	}
	free(facts->subjects);
	machine_done(&facts->machine);
}

bool facts_sign_patterns(const struct metric_verdict *v, int64_t *ret_count, int64_t *ret_of)
{
	/* Above that the judge draws patterns at random. */
	if (v->rule != RULE_SIGN_FLIP || !v->pairs || v->pairs > SIGN_FLIP_EXACT_PAIRS)
		return false;
	*ret_of = INT64_C(1) << v->pairs;
	*ret_count = llround(v->p * (double)*ret_of);
	return true;
}

bool facts_wants_more(const struct metric_verdict *v)
{
	return v->metric->better == BETTER_HIGHER;
}

bool facts_is_difference(const struct metric_verdict *v)
{
	return v->pairs && v->scale == SCALE_DIFFERENCE;
}

double facts_e_process_share(const struct metric_verdict *v)
{
	if (!judge_rule_is_sequential(v->rule))
		return NAN;
	return v->plan.look_count ? SEQUENTIAL_E_PROCESS_SHARE : 1;
}

double facts_deciding_evidence(const struct metric_verdict *v)
{
	if (!judge_rule_is_sequential(v->rule))
		return NAN;
	return (double)(v->comparisons ? v->comparisons : 1) /
	       (facts_e_process_share(v) * v->level);
}

static bool has_regressed(const struct judgement *j)
{
	for (size_t i = 0; j && i < j->comparison_count; i++) {
		if (j->comparisons[i].metrics[0].verdict == VERDICT_REGRESSED)
			return true;
	}
	return false;
}

const char *facts_status_meaning(const struct findings *f)
{
	switch (f->status) {
	case 0:
		return f->judgement ? "improved, cleared, or worse within the margin" : "measured";
	case 1:
		if (f->judgement && f->judgement->crashes)
			return f->experiment->arm_count > 2 ? "an arm crashes" : "arm B crashes";
		return has_regressed(f->judgement) ? "a regression"
						   : "worse, if within the margin, under --strict";
	case 2:
		return "the request cannot be meant";
	case 3:
		return "undecided";
	case 4:
		return f->judgement ? "the machine, the target or an arm could not do it"
				    : "no run was ok, or it could not go on";
	case 5:
		return "interrupted; what was measured is kept";
	default:
		return "unknown";
	}
}

char *facts_label(const struct metric *m)
{
	static const char point[] = "_p999";
	size_t length = strlen(m->name), end = strlen(point);
	bool ends_so = m->summary == SUMMARY_P999 && length > end &&
		       text_equal(m->name + length - end, point);
	char *label = text_format("%.*s%s", (int)(length - (ends_so ? end : 0)), m->name,
				  ends_so ? " p99.9" : "");

	for (char *at = label; (at = strchr(at, '_'));)
		*at = ' ';
	return label;
}

bool facts_has_samples(enum summary summary)
{
	return summary <= SUMMARY_MEAN;
}
