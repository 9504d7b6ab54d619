// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/basis.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/units.h"

enum { HOST_SECONDS = 60 };

void basis_done(struct basis *p)
{
	for (size_t i = 0; i < p->count; i++) {
		precedent_done(&p->precedents[i]);
		free(p->origins[i].passed_over);
	}
	free(p->precedents);
	free(p->origins);
	experiment_free(p->wanted);
}

static void add(struct basis *p, const struct precedent *precedent, bool pilot)
{
	p->precedents = memory_grow(p->precedents, (p->count + 1) * sizeof(*p->precedents));
	p->origins = memory_grow(p->origins, (p->count + 1) * sizeof(*p->origins));
	p->precedents[p->count] = *precedent;
	p->origins[p->count++] = (struct plan_origin){.pilot = pilot};
}

/* True when no workload was named, or this one was. */
static bool is_named(const struct request *r, const char *workload)
{
	bool named = !r->workload_count;

	for (size_t i = 0; i < r->workload_count; i++)
		named |= text_equal(r->workloads[i].name, workload);
	return named;
}

static bool check_named(const struct request *r, const struct experiment *e, struct error *err)
{
	for (size_t i = 0; i < r->workload_count; i++) {
		size_t k = 0;

		while (k < e->subject_count &&
		       !text_equal(e->subjects[k].description->name, r->workloads[i].name))
			k++;
		if (k == e->subject_count)
			return error_set(err, ERROR_USAGE, "it has no workload %s",
					 r->workloads[i].name);
	}
	return true;
}

/*
 * Every workload of a stored experiment that is meant. Each has the case of its own: it is read
 * again.
 */
static bool take_stored(struct basis *p, const struct request *r, struct store *store, int64_t id,
			struct error *err)
{
	size_t subjects = 1;

	for (size_t i = 0; i < subjects; i++) {
		struct precedent one __cleanup(precedent_done) = {.subject = i};
		struct experiment *e;

		if (!lab_read(&one.held, store, id, err))
			return false;
		e = one.held.experiment;
		subjects = e->subject_count;
		if (!precedent_check(e, err) || !check_named(r, e, err) ||
		    !request_choose_primaries(r, e, err))
			return error_wrap(err, "experiment %" PRId64, id);
		if (!is_named(r, e->subjects[i].description->name))
			continue;
		add(p, &one, false);
		one = (struct precedent){0};
	}
	return true;
}

/* The newest stored experiment of two arms. */
static bool find_newest(struct store *store, int64_t *ret_id, struct error *err)
{
	struct store_lines lines __cleanup(store_lines_done) = {0};

	if (!store_list(store, &lines, err))
		return false;
	for (size_t i = lines.count; i-- > 0;) {
		if (lines.list[i].plan &&
		    !text_equal(lines.list[i].plan, plan_words[PLAN_SINGLE])) {
			*ret_id = lines.list[i].id;
			return true;
		}
	}
	return error_set(
		err, ERROR_USAGE,
		"store %s has no experiment of two arms: contend plan WORKLOAD runs a pilot",
		store_path(store));
}

bool basis_from_store(struct basis *p, const struct request *r, const char *from,
		      const struct common *c, struct error *err)
{
	struct store *store __free(store) = NULL;
	int64_t id;

	if (from && !units_parse_count(from, &id, err))
		return error_wrap(err, "--from");
	if (!conduct_store(c, false, &store, err)) {
		if (from)
			return false;
		return error_wrap(err, "nothing to plan from (contend plan WORKLOAD runs a pilot)");
	}
	return (from || find_newest(store, &id, err)) && take_stored(p, r, store, id, err);
}

/* What this machine is now; the caller's. */
static bool ask_host(int stop_fd, json_t **ret_host, struct error *err)
{
	const struct wire_request request = {.job = WIRE_DOCTOR, .id = "plan"};
	const struct target_watch watch = {.stop_fd = stop_fd};
	json_t *answer __free(json) = NULL;
	bool crashed;

	if (!target_local.ask(&request, HOST_SECONDS * NS_PER_SEC, &watch, &answer, &crashed, err))
		return error_wrap(err, "ask the agent");
	*ret_host = json_incref(json_object_get(answer, "host"));
	return true;
}

/* Stored experiments for the workloads that have some; the others stay in what is wanted. */
static bool find_precedents(struct basis *p, struct store *store, int stop_fd, struct error *err)
{
	struct experiment *e = p->wanted;
	json_t *host __free(json) = NULL;

	if (!ask_host(stop_fd, &host, err))
		return false;
	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject *s = &e->subjects[i];
		struct precedent one __cleanup(precedent_done) = {0};
		bool found = false;

		if (store && !precedent_find(store, s, host, &found, &one, err))
			return false;
		/* The place is kept, and filled by the pilot where nothing was found. */
		if (found)
			one.held.experiment->subjects[one.subject].primary =
				description_metric(
					one.held.experiment->subjects[one.subject].description,
					s->primary)
					->name;
		add(p, &one, !found);
		p->origins[i].passed_over = take(p->precedents[i].passed_over);
		one = (struct precedent){0};
	}
	return true;
}

/* Leaves in the wanted experiment what a pilot must run; *ret_places: by workload its place. */
static void keep_missing(struct basis *p, size_t *ret_places)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->origins[i].pilot)
			ret_places[kept++] = i;
		else
			experiment_remove_subject(p->wanted, kept);
	}
}

static bool run_pilot(struct basis *p, int stop_fd, const struct agent_identity *agent,
		      const struct common *c, struct error *err)
{
	size_t *places __free(memory) = memory_array(p->count, sizeof(*places));
	struct judgement *judgement __free(judgement) = NULL;
	struct store *store __free(store) = NULL;
	struct lab_case held __cleanup(lab_case_done) = {0};
	struct experiment *e = p->wanted;
	enum lab_end end;
	int64_t id;

	keep_missing(p, places);
	if (!e->subject_count)
		return true;
	if (!conduct_store(c, true, &store, err) || !conduct_keep(e, store, err))
		return false;
	id = e->id;
	held.experiment = take(p->wanted);
	if (!conduct_run(&held, store, stop_fd, agent, false, c, &end, &judgement, err))
		return false;
	if (end == LAB_INTERRUPTED)
		return error_set(err, ERROR_INTERRUPTED,
				 "the pilot was interrupted: contend ab --resume %" PRId64
				 " goes on with it, then contend plan --from %" PRId64,
				 id, id);
	for (size_t i = 0; i < held.experiment->subject_count; i++) {
		struct precedent *one = &p->precedents[places[i]];

		one->subject = i;
		if (!lab_read(&one->held, store, id, err))
			return false;
		/* It gave up: what there is of it was not planned to be all. */
		if (!precedent_check(one->held.experiment, err))
			return error_wrap(err, "the pilot, experiment %" PRId64, id);
	}
	return true;
}

bool basis_from_words(struct basis *p, struct request *r, const struct common *c, struct error *err)
{
	struct store *store __free(store) = NULL;
	struct agent_identity agent;
	struct error none;
	int stop_fd;

	p->wanted = experiment_new();
	terms_apply(&r->terms, &r->file_terms, p->wanted);
	experiment_plan_pairs(p->wanted,
			      r->terms.said[TERM_PAIRS] ? r->terms.pairs : BASIS_PILOT_PAIRS);
	if (!conduct_heed_interrupts(&stop_fd, err) ||
	    !conduct_resolve(p->wanted, r, stop_fd, &agent, err))
		return false;
	/*
	 * A store that is not there yet has no precedent; whatever else is wrong the pilot meets.
	 */
	if (!conduct_store(c, false, &store, &none))
		store = NULL;
	return find_precedents(p, store, stop_fd, err) && run_pilot(p, stop_fd, &agent, c, err);
}
