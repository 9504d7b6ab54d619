// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/resume.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/conclude.h"
#include "cli/conduct.h"

/* ---- is it still the same agent? ---- */

/* The name of the first element in which two lists of named things differ; NULL: not known. */
static const char *differing_name(const json_t *a, const json_t *b)
{
	for (size_t i = 0; i < json_array_size(a) || i < json_array_size(b); i++) {
		const json_t *x = json_array_get(a, i), *y = json_array_get(b, i);

		if (!json_equal(x, y))
			return json_string_value(json_object_get(x ? x : y, "name"));
	}
	return NULL;
}

/* Refuses a workload that describes itself in another way than the experiment knows it. */
static bool check_description(const struct description *then, const struct description *now,
			      struct error *err)
{
	static const char *const keys[] = {"summary", "needs", "roles", "params", "metrics"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *a = json_object_get(then->object, keys[i]);
		const json_t *b = json_object_get(now->object, keys[i]);
		const char *name = differing_name(a, b);

		if (!json_equal(a, b))
			return error_set(err, ERROR_UNSUPPORTED,
					 "workload %s has other %s than when it was begun%s%s%s",
					 then->name, keys[i], name ? " ('" : "", name ? name : "",
					 name ? "')" : "");
	}
	return true;
}

static bool check_workloads(const struct experiment *e, struct description *const *known,
			    struct error *err)
{
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct description *then = e->subjects[i].description;
		struct description *const *now = known;

		while (*now && !text_equal((*now)->name, then->name))
			now++;
		if (!*now)
			return error_set(err, ERROR_UNSUPPORTED,
					 "the agent has no workload %s any more", then->name);
		if (!check_description(then, *now, err))
			return false;
	}
	return true;
}

/* Runs of two agents are not runs of one experiment. */
static bool check_agent(const struct lab_case *held, int stop_fd, struct agent_identity *ret_agent,
			struct error *err)
{
	struct inventory known __cleanup(inventory_done) = {0};

	if (!target_describe(&target_local, stop_fd, &known, ret_agent, err))
		return false;
	for (size_t i = 0; i < held->history.session_count; i++) {
		const char *then = held->history.sessions[i].agent;

		if (*then && *ret_agent->text && !text_equal(then, ret_agent->text))
			return error_set(err, ERROR_UNSUPPORTED,
					 "its agent was %s, the one here is %s: begin another "
					 "experiment",
					 then, ret_agent->text);
	}
	return check_workloads(held->experiment, known.workloads, err);
}

/* ---- what can be asked of it ---- */

/* The option that gives an experiment more room. */
static const char *more_room(const struct experiment *e)
{
	return e->plan == PLAN_BUDGET  ? "--budget TIME"
	       : e->plan == PLAN_PAIRS ? "--pairs N"
				       : "--max-pairs N";
}

static bool check_kind(const struct resume *r, const struct experiment *e, struct error *err)
{
	if (e->plan == PLAN_SINGLE)
		return error_set(err, ERROR_USAGE,
				 "it is of `contend run`, whose runs answer no question that "
				 "could be gone on with");
	const char *given = r->maximum ? "--max-pairs" : "--pairs";

	if (r->pairs && e->plan == PLAN_BUDGET)
		return error_set(err, ERROR_USAGE,
				 "it was begun with --budget, which %s cannot change into another "
				 "plan: --budget TIME gives it more time",
				 given);
	if (r->maximum && e->plan == PLAN_PAIRS)
		return error_set(err, ERROR_USAGE,
				 "it was begun with a number of pairs and no look before its end, "
				 "which --max-pairs cannot change into another plan: --pairs N "
				 "gives it more pairs");
	if (r->budget_ns && e->plan != PLAN_BUDGET)
		return error_set(err, ERROR_USAGE,
				 "it was begun without --budget, which cannot change it into "
				 "another plan: %s gives it more pairs",
				 more_room(e));
	return true;
}

/* An extension of what was looked at must be able to change something. */
static bool check_extension(const struct experiment *e, const struct entries *runs, int64_t pairs,
			    struct error *err)
{
	int64_t needs = judge_extension_needs(e, runs);

	if (!needs)
		return error_set(err, ERROR_USAGE,
				 "its end after %" PRId64 " pairs was seen and used up its alpha "
				 "of %g: no further pair could be given a verdict; begin another "
				 "experiment, best without --pairs, which can always be extended",
				 e->looked, e->alpha);
	if (pairs < needs)
		return error_set(err, ERROR_USAGE,
				 "its end after %" PRId64 " pairs was seen, and what that left of "
				 "its alpha allows no verdict before pair %" PRId64
				 ": --pairs %" PRId64
				 " or more, or another experiment, best without --pairs",
				 e->looked, needs, needs);
	return true;
}

static bool set_pairs(const struct resume *r, struct lab_case *held, struct error *err)
{
	struct experiment *e = held->experiment;
	int64_t done = lab_pairs_done(e, &held->runs);

	if (!r->pairs)
		return true;
	if (r->pairs < done)
		return error_set(err, ERROR_USAGE, "%s %" PRId64 ": it has %" PRId64 " already",
				 r->maximum ? "--max-pairs" : "--pairs", r->pairs, done);
	if (e->looked && r->pairs > done && !check_extension(e, &held->runs, r->pairs, err))
		return false;
	e->pairs = r->pairs;
	return true;
}

/* True when it is given more than it had. */
static bool set_room(const struct resume *r, struct lab_case *held, bool *ret_raised,
		     struct error *err)
{
	struct experiment *e = held->experiment;
	int64_t pairs = e->pairs, budget_ns = e->budget_ns;

	if (!check_kind(r, e, err) || !set_pairs(r, held, err))
		return false;
	if (r->budget_ns)
		e->budget_ns = r->budget_ns;
	*ret_raised = e->pairs > pairs || e->budget_ns > budget_ns;
	return true;
}

/*
 * What a calibration found is computed from its experiments, and later reports quote it: with more
 * runs in one of them it would say something else than it did then.
 */
static bool check_calibration(const struct lab_case *held, struct store *store, struct error *err)
{
	struct calibrations all __cleanup(calibrations_done) = {0};
	int64_t id = held->experiment->id;

	if (!store_read_calibrations(store, &all, err))
		return false;
	for (size_t i = 0; i < all.count; i++) {
		const struct calibration *c = all.list[i];

		for (size_t k = 0; k < c->experiment_count; k++) {
			if (c->experiments[k] == id)
				return error_set(err, ERROR_USAGE,
						 "it is a part of calibration %" PRId64
						 ", whose findings more runs would change: begin "
						 "another experiment, or calibrate again",
						 c->id);
		}
	}
	return true;
}

/* ---- the command ---- */

static bool ended(const struct lab_case *held, enum lab_end how)
{
	return held->history.how && text_equal(held->history.how, lab_end_words[how]);
}

/* A workload was given up, which may have been mended. */
static bool gave_up_one(const struct lab_case *held)
{
	struct judgement *j __free(judgement) =
		lab_judge(held->experiment, &held->runs, held->history.how);

	return j->crashes || j->impossible;
}

/* It has its answer, and was given no room for more. */
static bool has_nothing_to_do(const struct lab_case *held, bool raised)
{
	if (ended(held, LAB_DECIDED) || ended(held, LAB_FUTILE))
		return !raised && !gave_up_one(held);
	return ended(held, LAB_PLANNED_END) && !lab_has_room(held->experiment, &held->runs);
}

static int show_again(const struct lab_case *held, struct store *store, const struct common *c,
		      struct error *err)
{
	struct judgement *j __free(judgement) =
		lab_judge(held->experiment, &held->runs, held->history.how);
	int status = conclude(held, j, store, c, err);

	if (status != COMMAND_FAILED)
		fprintf(stderr,
			"contend: experiment %" PRId64 " has ended (%s), and there is no room for "
			"more: nothing was run; %s gives it some\n",
			held->experiment->id, held->history.how, more_room(held->experiment));
	return status;
}

/* For reading first, which makes no file where there is none. */
static bool open_store(const struct common *c, int64_t id, struct store **ret_store,
		       struct error *err)
{
	struct store *store __free(store) = NULL;

	if (!conduct_store(c, false, &store, err))
		return false;
	store_close(take(store));
	if (!conduct_store(c, true, &store, err) || !store_claim(store, id, err))
		return false;
	*ret_store = take(store);
	return true;
}

int resume(const struct resume *r, const struct common *c, struct error *err)
{
	struct store *store __free(store) = NULL;
	struct lab_case held __cleanup(lab_case_done) = {0};
	struct agent_identity agent;
	bool raised, beyond = false;
	int64_t id;
	int stop_fd;

	if (!units_parse_count(r->id, &id, err)) {
		error_wrap(err, "--resume");
		return COMMAND_FAILED;
	}
	if (!conduct_heed_interrupts(&stop_fd, err) || !open_store(c, id, &store, err) ||
	    !lab_read(&held, store, id, err))
		return COMMAND_FAILED;
	if (!set_room(r, &held, &raised, err)) {
		error_wrap(err, "experiment %" PRId64, id);
		return COMMAND_FAILED;
	}
	if (has_nothing_to_do(&held, raised))
		return show_again(&held, store, c, err);
	if (!check_calibration(&held, store, err) || !check_agent(&held, stop_fd, &agent, err)) {
		error_wrap(err, "experiment %" PRId64, id);
		return COMMAND_FAILED;
	}
	/* Once it goes on behind its verdict, it does so after a kill as well. */
	if (held.history.session_count)
		beyond = held.history.sessions[held.history.session_count - 1].beyond;
	beyond |= ended(&held, LAB_DECIDED) && raised;
	return conduct_case(&held, store, stop_fd, &agent, beyond, c, err);
}
