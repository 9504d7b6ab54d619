// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/conduct.h"
#include "cli/output.h"
#include "cli/precedent.h"
#include "experiment/repeat.h"
#include "judge/planning.h"
#include "report/plan.h"

enum {
	KEY_EFFECT = KEY_COMMAND,
	KEY_FROM,
	KEY_POWER,
	KEY_TERM, /* the first of TERM_COUNT */
};

enum { PILOT_PAIRS = 8, HOST_SECONDS = 60 };

static const struct argp_option options[] = {
	{.name = "alpha",
	 .key = KEY_TERM + TERM_ALPHA,
	 .arg = "RATIO",
	 .doc = "Rate of false alarms that will be accepted (default 0.05)"},
	{.name = "effect",
	 .key = KEY_EFFECT,
	 .arg = "PERCENT",
	 .doc = "The change that is to be seen (default 1%)"},
	{.name = "from", .key = KEY_FROM, .arg = "ID", .doc = "Plan from this stored experiment"},
	{.name = "margin",
	 .key = KEY_TERM + TERM_MARGIN,
	 .arg = "PERCENT",
	 .doc = "A change for the worse up to this does not matter (default 2%)"},
	{.name = "pairs",
	 .key = KEY_TERM + TERM_PAIRS,
	 .arg = "N",
	 .doc = "Pairs of a pilot, where one is run (default 8)"},
	{.name = "power",
	 .key = KEY_POWER,
	 .arg = "PERCENT",
	 .doc = "In how many experiments the change is to be seen (default 80%)"},
	{.name = "primary",
	 .key = KEY_TERM + TERM_PRIMARY,
	 .arg = "METRIC",
	 .flags = OPTION_AGAIN,
	 .doc = "The metric to plan for, as in contend ab"},
	OPTION_FORMAT,
	OPTION_HELP,
	OPTION_QUIET,
	OPTION_STORE,
	{0},
};

struct plan_request {
	struct common common;
	struct request request;
	struct planning_terms terms;
	const char *from;	   /* as typed; NULL: not said */
	struct experiment *wanted; /* what words ask for: both arms alike */
	/* What is planned from. */
	struct precedent *precedents;
	struct plan_origin *origins;
	size_t count;
};

static void plan_done(struct plan_request *p)
{
	for (size_t i = 0; i < p->count; i++) {
		precedent_done(&p->precedents[i]);
		free(p->origins[i].passed_over);
	}
	free(p->precedents);
	free(p->origins);
	request_done(&p->request);
	experiment_free(p->wanted);
}

/* ---- options ---- */

static bool set_effect(struct plan_request *p, const char *value, struct error *err)
{
	/* A negative number is a percentage too, only none that is allowed. */
	if (*value != '-' && !units_parse_percent(value, &p->terms.effect, err))
		return error_wrap(err, "--effect");
	return (*value != '-' && p->terms.effect > 0 && p->terms.effect <= PLANNING_EFFECT_MAX) ||
	       error_set(err, ERROR_USAGE,
			 "--effect %.100s: must be above 0%% and at most %.0f%%, and is meant in "
			 "either direction",
			 value, 100 * PLANNING_EFFECT_MAX);
}

static bool set_power(struct plan_request *p, const char *value, struct error *err)
{
	if (!units_parse_percent(value, &p->terms.power, err))
		return error_wrap(err, "--power");
	return (p->terms.power >= PLANNING_POWER_LOW && p->terms.power <= PLANNING_POWER_HIGH) ||
	       error_set(err, ERROR_USAGE, "--power %.100s: must be %g%% to %g%%", value,
			 100 * PLANNING_POWER_LOW, 100 * PLANNING_POWER_HIGH);
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct plan_request *p = state->input;
	struct error *err = p->common.err;

	switch (key) {
	case KEY_EFFECT:
		return options_result(set_effect(p, word, err));
	case KEY_POWER:
		return options_result(set_power(p, word, err));
	case KEY_FROM:
		p->from = word;
		return 0;
	case ARGP_KEY_ARG:
		return options_result(request_add_word(&p->request, word, err));
	default:
		if (key >= KEY_TERM && key < KEY_TERM + TERM_COUNT) {
			enum term term = (enum term)(key - KEY_TERM);

			return options_result(terms_set(&p->request.terms, term, word, err) ||
					      error_wrap(err, "--%s", term_words[term]));
		}
		return options_common(key, word, &p->common);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "WORKLOAD... [KEY=VALUE...]\n--from ID [WORKLOAD...]\n",
	.doc = "Say how many pairs, and how much time, an effect needs on this machine."
	       "\v"
	       "It goes by how much pairs differ from each other: in the newest stored experiment of "
	       "the workload with these parameters and this machine as it is now, else in a pilot, a "
	       "few A/A pairs that are run and stored. Without a word it is the newest stored "
	       "experiment of two arms. Printed are the pairs for the effect, and for others, under "
	       "--pairs N and with looks; those that clear the margin when nothing differs; the "
	       "smallest effects that some numbers of pairs see, which is the noise floor; and what "
	       "longer or shorter windows would change.\n\n"
	       "Several workloads are planned as one family, as contend ab judges them.\n\n"
	       "Exit status: 0 planned; 2 usage; 4 it could not be done; 5 interrupted.\n\n"
	       "Examples:\n"
	       "  contend plan brk1 tasks=2 --effect 0.5%\n"
	       "  contend plan --from 7 --effect 2% --power 90%",
};

static bool check_terms(struct plan_request *p, struct error *err)
{
	const struct terms *said = &p->request.terms;

	p->terms.alpha = said->said[TERM_ALPHA] ? said->alpha : 0.05;
	p->terms.margin = said->said[TERM_MARGIN] ? said->margin : 0.02;
	if (p->terms.alpha >= 0.5)
		return error_set(err, ERROR_USAGE, "--alpha %g: must be below 0.5", p->terms.alpha);
	if (!(p->terms.margin > 0))
		return error_set(err, ERROR_USAGE, "--margin: must be above 0%% to plan for it");
	if (said->said[TERM_PAIRS] && said->pairs < 2)
		return error_set(err, ERROR_USAGE,
				 "--pairs %" PRId64 ": a pilot needs 2, best %d or more",
				 said->pairs, PILOT_PAIRS);
	if (said->said[TERM_PAIRS] && (p->from || !p->request.workload_count))
		return error_set(err, ERROR_USAGE,
				 "--pairs is of a pilot, and none is run for a stored experiment");
	if (p->request.said_count && (p->from || !p->request.workload_count))
		return error_set(err, ERROR_USAGE, "%.100s=: %s", p->request.said[0].key,
				 p->from ? "the parameters are those of the stored experiment"
					 : "of which workload? As in: contend plan brk1 tasks=2");
	return true;
}

/* ---- what is planned from ---- */

static void add(struct plan_request *p, const struct precedent *precedent, bool pilot)
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

/* Every workload of a stored experiment that is meant. Each has the case of its own: it is read again. */
static bool take_stored(struct plan_request *p, struct store *store, int64_t id, struct error *err)
{
	size_t subjects = 1;

	for (size_t i = 0; i < subjects; i++) {
		struct precedent one __cleanup(precedent_done) = {.subject = i};
		struct experiment *e;

		if (!store_read_all(store, id, &one.held.experiment, &one.held.runs,
				    &one.held.history, err))
			return false;
		e = one.held.experiment;
		subjects = e->subject_count;
		if (!precedent_check(e, err) || !check_named(&p->request, e, err) ||
		    !request_choose_primaries(&p->request, e, err))
			return error_wrap(err, "experiment %" PRId64, id);
		if (!is_named(&p->request, e->subjects[i].description->name))
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
		if (!text_starts(lines.list[i].command, "contend run ")) {
			*ret_id = lines.list[i].id;
			return true;
		}
	}
	return error_set(
		err, ERROR_USAGE,
		"store %s has no experiment of two arms: contend plan WORKLOAD runs a pilot",
		store_path(store));
}

static bool plan_from_store(struct plan_request *p, struct error *err)
{
	struct store *store __free(store) = NULL;
	int64_t id;

	if (p->from && !units_parse_count(p->from, &id, err))
		return error_wrap(err, "--from");
	if (!conduct_store(&p->common, false, &store, err)) {
		if (p->from)
			return false;
		return error_wrap(err, "nothing to plan from (contend plan WORKLOAD runs a pilot)");
	}
	return (p->from || find_newest(store, &id, err)) && take_stored(p, store, id, err);
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
static bool find_precedents(struct plan_request *p, struct store *store, int stop_fd,
			    struct error *err)
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
static void keep_missing(struct plan_request *p, size_t *ret_places)
{
	struct experiment *e = p->wanted;
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct subject *s = &e->subjects[i];

		if (p->origins[i].pilot) {
			ret_places[kept] = i;
			e->subjects[kept++] = *s;
			continue;
		}
		description_free(s->description);
		for (int arm = 0; arm < ARM_COUNT; arm++)
			json_decref(s->params[arm]);
	}
	e->subject_count = kept;
}

static bool run_pilot(struct plan_request *p, int stop_fd, const struct agent_identity *agent,
		      struct error *err)
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
	if (!conduct_store(&p->common, true, &store, err) || !conduct_keep(e, store, err))
		return false;
	id = e->id;
	held.experiment = take(p->wanted);
	if (!conduct_run(&held, store, stop_fd, agent, false, &p->common, &end, &judgement, err))
		return false;
	if (end == LAB_INTERRUPTED)
		return error_set(err, ERROR_INTERRUPTED,
				 "the pilot was interrupted: contend ab --resume %" PRId64
				 " goes on with it, then contend plan --from %" PRId64,
				 id, id);
	for (size_t i = 0; i < held.experiment->subject_count; i++) {
		struct precedent *one = &p->precedents[places[i]];

		one->subject = i;
		if (!store_read_all(store, id, &one->held.experiment, &one->held.runs,
				    &one->held.history, err))
			return false;
	}
	return true;
}

static bool plan_from_words(struct plan_request *p, struct error *err)
{
	struct store *store __free(store) = NULL;
	struct agent_identity agent;
	struct error none;
	int stop_fd;

	p->wanted = experiment_new();
	p->wanted->plan = PLAN_PAIRS;
	p->wanted->pairs = p->request.terms.said[TERM_PAIRS] ? p->request.terms.pairs : PILOT_PAIRS;
	p->wanted->alpha = p->terms.alpha;
	p->wanted->margin = p->terms.margin;
	if (!conduct_heed_interrupts(&stop_fd, err) ||
	    !conduct_resolve(p->wanted, &p->request, stop_fd, &agent, err))
		return false;
	/* A store that is not there yet has no precedent; whatever else is wrong the pilot meets. */
	if (!conduct_store(&p->common, false, &store, &none))
		store = NULL;
	return find_precedents(p, store, stop_fd, err) && run_pilot(p, stop_fd, &agent, err);
}

/* ---- */

static bool has_plan(const struct planning_subject *s)
{
	return s->metrics[0].state == PLANNING_KNOWN || s->metrics[0].state == PLANNING_ALIKE;
}

/* Without any plan there is nothing to print but why. */
static bool check_planned(const struct planning *planning, bool *ret_all, struct error *err)
{
	size_t planned = 0;

	for (size_t i = 0; i < planning->subject_count; i++)
		planned += has_plan(&planning->subjects[i]);
	*ret_all = planned == planning->subject_count;
	if (planned)
		return true;

	const struct planning_subject *s = &planning->subjects[0];
	const struct planning_metric *m = &s->metrics[0];

	if (m->state == PLANNING_NOTHING)
		return error_set(err, ERROR_DATA,
				 "experiment %" PRId64
				 ": %s of A is 0 in at least half of its runs: "
				 "no effect in per cent of it can be planned for",
				 s->source->experiment->id, m->metric->name);
	return error_set(err, ERROR_DATA,
			 "experiment %" PRId64
			 ": %zu of %zu whole pairs have a figure of %s%s%s: a "
			 "spread takes 2, and half of all",
			 s->source->experiment->id, m->pairs, s->pairs, m->metric->name,
			 m->refusal ? "; " : "", m->refusal ? m->refusal : "");
}

static int print(const struct plan_request *p, struct error *err)
{
	struct planning_source *sources __free(memory) = memory_array(p->count, sizeof(*sources));
	struct planning *planning __free(planning) = NULL;
	struct text out __text = {0};
	bool all;

	for (size_t i = 0; i < p->count; i++) {
		const struct precedent *one = &p->precedents[i];

		sources[i] = (struct planning_source){
			.experiment = one->held.experiment,
			.runs = &one->held.runs,
			.subject = one->subject,
			.primary = one->held.experiment->subjects[one->subject].primary,
		};
	}
	planning = planning_make(&p->terms, sources, p->count);

	const struct plan_findings findings = {
		.planning = planning,
		.origins = p->origins,
		.now_ns = clock_wall_ns(),
		.version = CONTEND_VERSION,
	};

	if (!check_planned(planning, &all, err) ||
	    !(text_equal(p->common.report->name, "json") ? plan_json(&findings, &out, err)
							 : plan_mail(&findings, &out, err)) ||
	    !output_text(&out, err))
		return COMMAND_FAILED;
	return all ? STATUS_OK : STATUS_IMPOSSIBLE;
}

static int run(int argc, char **argv, struct error *err)
{
	struct plan_request p __cleanup(plan_done) = {.terms = {.effect = 0.01, .power = 0.8}};

	if (!options_parse(&argp, argc, argv, &p.common, err))
		return COMMAND_FAILED;
	if (p.common.help)
		return STATUS_OK;
	if (!check_terms(&p, err) ||
	    !(p.from || !p.request.workload_count ? plan_from_store(&p, err)
						  : plan_from_words(&p, err)))
		return COMMAND_FAILED;
	return print(&p, err);
}

const struct command command_plan = {
	.name = "plan",
	.summary = "how many pairs, and how much time, an effect needs",
	.run = run,
};
