// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/precedent.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "judge/pairs.h"
#include "model/fingerprint.h"

void precedent_done(struct precedent *p)
{
	lab_case_done(&p->held);
	free(take(p->passed_over));
}

bool precedent_check(const struct experiment *e, struct error *err)
{
	if (e->plan == PLAN_SINGLE)
		return error_set(err, ERROR_DATA,
				 "it is of `contend run`: one arm has no pairs, whose spread is "
				 "what counts");
	/* Before its end nobody may know any figure of it (docs/method.md). */
	if (e->plan == PLAN_PAIRS && !e->looked)
		return error_set(err, ERROR_DATA,
				 "it has not come to its planned end, before which no figure of it "
				 "may be used: contend ab --resume %" PRId64 " goes on with it",
				 e->id);
	return true;
}

/* A has the same parameters, they mean the same, and the primary is known. */
static bool is_same(const struct subject *then, const struct subject *wanted)
{
	const struct subject both = {
		.description = wanted->description,
		.params = {wanted->params[ARM_A], then->params[ARM_A]},
	};

	return text_equal(then->description->name, wanted->description->name) &&
	       json_equal(json_object_get(then->description->object, "params"),
			  json_object_get(wanted->description->object, "params")) &&
	       subject_is_aa(&both, ARM_B) &&
	       description_metric(then->description, wanted->primary);
}

/* The subject that is the same; subject_count: none is. */
static size_t find_subject(const struct experiment *e, const struct subject *wanted)
{
	size_t i = 0;

	while (i < e->subject_count && !is_same(&e->subjects[i], wanted))
		i++;
	return i;
}

static size_t whole_pairs(const struct lab_case *held, size_t subject)
{
	struct pairs pairs __cleanup(pairs_done) = {0};
	struct comparison count = {.index = subject, .arm = ARM_B};

	pairs_collect(&held->runs, INT64_MAX, &pairs, &count);
	free(count.first_drop);
	return pairs.count;
}

/*
 * The machine as the last run found it, the caller's: setups are not in what it is asked for now.
 */
static json_t *last_host(const struct entries *runs)
{
	for (size_t i = runs->count; i-- > 0;) {
		json_t *host = run_host_found(runs->list[i].run);

		if (json_object_size(host))
			return host;
		json_decref(host);
	}
	return NULL;
}

/* Why an experiment that is of the same cannot be it, the caller's; NULL: it can. */
static char *why_not(const struct lab_case *held, size_t subject, json_t *host)
{
	int64_t id = held->experiment->id;
	struct fact_changes changes __cleanup(fact_changes_done) = {0};
	struct text before __text = {0}, after __text = {0};
	json_t *found __free(json) = NULL;
	size_t pairs = whole_pairs(held, subject);
	struct error why;

	if (!precedent_check(held->experiment, &why))
		return text_format("not from experiment %" PRId64 ": %s", id, why.text);
	if (pairs < JUDGE_LEAST_PAIRS)
		return text_format("not from experiment %" PRId64
				   ": it has %zu whole pairs, under %d",
				   id, pairs, JUDGE_LEAST_PAIRS);
	found = last_host(&held->runs);
	changes = fingerprint_diff(found, host);
	if (!changes.count)
		return NULL;
	fingerprint_put_value(&before, changes.list[0].key, changes.list[0].before);
	fingerprint_put_value(&after, changes.list[0].key, changes.list[0].after);
	return text_format("not from experiment %" PRId64
			   ": the machine was in another state: %s was %.100s, is %.100s%s",
			   id, changes.list[0].key, text_string(&before), text_string(&after),
			   changes.count > 1 ? ", and more" : "");
}

/* One stored experiment. *ret_found: it is the one, and ret's. */
static bool try_one(struct store *store, int64_t id, const struct subject *wanted, json_t *host,
		    bool *ret_found, struct precedent *ret, struct error *err)
{
	struct lab_case held __cleanup(lab_case_done) = {0};
	char *reason;
	size_t subject;

	*ret_found = false;
	if (!lab_read(&held, store, id, err))
		return false;
	subject = find_subject(held.experiment, wanted);
	if (held.experiment->plan == PLAN_SINGLE || subject == held.experiment->subject_count)
		return true;
	reason = why_not(&held, subject, host);
	if (reason) {
		/* Of several the newest is what somebody wonders about. */
		if (ret->passed_over)
			free(reason);
		else
			ret->passed_over = reason;
		return true;
	}
	ret->held = held;
	held = (struct lab_case){0};
	ret->subject = subject;
	*ret_found = true;
	return true;
}

static bool has_workload(const struct store_line *line, const char *name)
{
	size_t length = strlen(name);

	for (const char *word = line->workloads; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		if (strncmp(word, name, length) == 0 &&
		    (word[length] == ' ' || word[length] == '\0'))
			return true;
	}
	return false;
}

bool precedent_find(struct store *store, const struct subject *wanted, json_t *host,
		    bool *ret_found, struct precedent *ret, struct error *err)
{
	struct store_lines lines __cleanup(store_lines_done) = {0};

	*ret_found = false;
	if (!store_list(store, &lines, err))
		return false;
	for (size_t i = lines.count; i-- > 0 && !*ret_found;) {
		/* No need to read the runs of other workloads. */
		if (has_workload(&lines.list[i], wanted->description->name) &&
		    !try_one(store, lines.list[i].id, wanted, host, ret_found, ret, err))
			return false;
	}
	return true;
}
