// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/facts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/sign_flip.h"

static void recur_as_new(struct recurrences *r, const char *text, int arm)
{
	r->list = memory_grow(r->list, (r->count + 1) * sizeof(*r->list));
	r->list[r->count] = (struct recurrence){.text = memory_string(text)};
	r->list[r->count++].runs[arm] = 1;
}

/* Counts a text for a run of that arm. */
static void recur(struct recurrences *r, const char *text, int arm)
{
	for (size_t i = 0; i < r->count; i++) {
		if (text_equal(r->list[i].text, text)) {
			r->list[i].runs[arm]++;
			return;
		}
	}
	recur_as_new(r, text, arm);
}

/* True when two texts are the same but for their numbers. */
static bool is_alike(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	while (*a || *b) {
		size_t a_digits = strspn(a, digits), b_digits = strspn(b, digits);

		if (!a_digits != !b_digits)
			return false;
		a += a_digits;
		b += b_digits;
		if (!a_digits && *a++ != *b++)
			return false;
	}
	return true;
}

/* The same, but a text that differs in its numbers only counts as one of its own arm. */
static void recur_alike(struct recurrences *r, const char *text, int arm)
{
	for (size_t i = 0; i < r->count; i++) {
		struct recurrence *old = &r->list[i];
		bool own = !old->runs[arm == ARM_A ? ARM_B : ARM_A];
		bool same = text_equal(old->text, text);

		if (same ? !own && old->varies : !own || !is_alike(old->text, text))
			continue;
		old->varies |= !same;
		old->runs[arm]++;
		return;
	}
	recur_as_new(r, text, arm);
}

static void recurrences_done(struct recurrences *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->list[i].text);
	free(r->list);
}

/* ---- the machine ---- */

/* A property as text: numbers and strings are told apart by their key already. */
static char *value_text(const json_t *value)
{
	if (json_is_string(value))
		return memory_string(json_string_value(value));
	return json_line(value);
}

static void note_load(struct facts *facts, const json_t *host)
{
	const json_t *load = json_object_get(host, "load1");

	if (!json_is_number(load))
		return;
	/* fmin() takes the number where the other is not one yet. */
	facts->load_low = fmin(facts->load_low, json_number_value(load));
	facts->load_high = fmax(facts->load_high, json_number_value(load));
}

static void note_value(struct facts *facts, const char *key, const json_t *value, int arm)
{
	char *text __free(memory) = value_text(value);
	struct difference *d;
	size_t i;

	for (i = 0; i < facts->difference_count; i++) {
		if (text_equal(facts->differences[i].key, key))
			break;
	}
	if (i == facts->difference_count) {
		facts->differences =
			memory_grow(facts->differences, (i + 1) * sizeof(*facts->differences));
		facts->differences[i] = (struct difference){.key = key};
		facts->difference_count++;
	}
	d = &facts->differences[i];
	recur(&d->values, text, arm);
}

/* Collects every property's values, then keeps those that have more than one. */
static void collect_machine(const struct findings *f, struct facts *facts)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->runs->count; i++) {
		const struct entry *e = &f->runs->list[i];
		json_t *host = json_object_get(e->run->record, "host"), *value;
		const char *key;

		if (!json_object_size(host))
			continue;
		if (!facts->host)
			facts->host = host;
		note_load(facts, host);
		json_object_foreach(host, key, value) {
			/* The load is never twice the same: its range says more. */
			if (!text_equal(key, "load1"))
				note_value(facts, key, value, e->arm);
		}
	}
	for (size_t i = 0; i < facts->difference_count; i++) {
		if (facts->differences[i].values.count > 1)
			facts->differences[kept++] = facts->differences[i];
		else
			recurrences_done(&facts->differences[i].values);
	}
	facts->difference_count = kept;
}

const struct difference *facts_difference(const struct facts *facts, const char *key)
{
	for (size_t i = 0; i < facts->difference_count; i++) {
		if (text_equal(facts->differences[i].key, key))
			return &facts->differences[i];
	}
	return NULL;
}

bool facts_is_of_arms(const struct difference *d)
{
	const struct recurrence *v = d->values.list;

	return d->values.count == 2 && !v[0].runs[ARM_A] != !v[0].runs[ARM_B] &&
	       !v[1].runs[ARM_A] != !v[1].runs[ARM_B] && !v[0].runs[ARM_A] != !v[1].runs[ARM_A];
}

enum { CPUS_MAX = 1 << 20 };

bool facts_emulated(const struct facts *facts)
{
	const char *hypervisor = json_string_value(json_object_get(facts->host, "hypervisor"));

	return hypervisor && strcasestr(hypervisor, "TCG");
}

int64_t facts_cpu_count(const char *list)
{
	int64_t count = 0;

	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list || first < 0 || first > CPUS_MAX)
			return 0;
		if (*end == '-') {
			list = end + 1;
			last = strtol(list, &end, 10);
			if (end == list || last < first || last > CPUS_MAX)
				return 0;
		}
		if (*end && *end != ',')
			return 0;
		count += last - first + 1;
		list = *end ? end + 1 : end;
	}
	return count;
}

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

/* True for a note that stands in its run for the first time: runs are counted, not notes. */
static bool is_first(const json_t *notes, size_t index)
{
	const json_t *note = json_array_get(notes, index);

	if (!json_is_string(note))
		return false;
	for (size_t i = 0; i < index; i++) {
		if (json_equal(json_array_get(notes, i), note))
			return false;
	}
	return true;
}

static void note_run(struct subject_facts *s, const struct subject *subject, const struct entry *e)
{
	const json_t *notes = json_object_get(e->run->record, "notes");

	s->runs[e->arm]++;
	s->not_ok[e->arm] += e->run->outcome != OUTCOME_OK;
	if (e->run->started_ns && e->run->ended_ns > e->run->started_ns)
		s->run_ns += e->run->ended_ns - e->run->started_ns;
	for (size_t i = 0; i < json_array_size(notes); i++) {
		if (is_first(notes, i))
			recur_alike(&s->notes, json_string_value(json_array_get(notes, i)), e->arm);
	}
	if (e->run->outcome != OUTCOME_OK) {
		char *trouble __free(memory) =
			text_format("%s%s%s", outcome_words[e->run->outcome],
				    *e->run->reason ? ": " : "", e->run->reason);

		recur_alike(&s->troubles, trouble, e->arm);
	}
	note_failures(s, subject, e);
	note_window(s, subject, e->run);
}

struct facts facts_collect(const struct findings *f)
{
	struct facts facts = {.load_low = NAN, .load_high = NAN};

	facts.subject_count = f->experiment->subject_count;
	facts.subjects = memory_array(facts.subject_count, sizeof(*facts.subjects));
	facts.run_count = f->runs->count;
	for (size_t i = 0; i < f->runs->count; i++) {
		const struct entry *e = &f->runs->list[i];

		note_run(&facts.subjects[e->subject], &f->experiment->subjects[e->subject], e);
	}
	for (size_t i = 0; i < facts.subject_count; i++)
		facts.run_ns += facts.subjects[i].run_ns;
	collect_machine(f, &facts);
	return facts;
}

void facts_done(struct facts *facts)
{
	for (size_t i = 0; i < facts->subject_count; i++) {
		recurrences_done(&facts->subjects[i].notes);
		recurrences_done(&facts->subjects[i].troubles);
		free(facts->subjects[i].failed);
	}
	free(facts->subjects);
	for (size_t i = 0; i < facts->difference_count; i++)
		recurrences_done(&facts->differences[i].values);
	free(facts->differences);
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

double facts_deciding_evidence(const struct metric_verdict *v, double alpha)
{
	if (v->rule != RULE_E_PROCESS)
		return NAN;
	return (double)(v->comparisons ? v->comparisons : 1) / alpha;
}

static bool has_regressed(const struct judgement *j)
{
	for (size_t i = 0; j && i < j->subject_count; i++) {
		if (j->subjects[i].metrics[0].verdict == VERDICT_REGRESSED)
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
		if (f->judgement && f->judgement->b_crashes)
			return "arm B crashes";
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
	char *label = memory_string(m->name);

	for (char *at = label; (at = strchr(at, '_'));)
		*at = ' ';
	return label;
}

bool facts_has_samples(enum summary summary)
{
	return summary <= SUMMARY_MEAN;
}
