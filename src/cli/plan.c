// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/basis.h"
#include "cli/command.h"
#include "cli/output.h"
#include "judge/planning.h"

enum {
	KEY_EFFECT = KEY_COMMAND,
	KEY_FROM,
	KEY_POWER,
};

static const struct argp_option options[] = {
	OPTION_ALPHA("Rate of false alarms that will be accepted (default 0.05)"),
	{.name = "effect",
	 .key = KEY_EFFECT,
	 .group = 1,
	 .arg = "PERCENT",
	 .doc = "The change that is to be seen (default 1%)"},
	{.name = "from",
	 .key = KEY_FROM,
	 .group = 1,
	 .arg = "ID",
	 .doc = "Plan from this stored experiment"},
	OPTION_MARGIN("A change for the worse up to this does not matter (default 2%)"),
	OPTION_PAIRS("Pairs of a pilot, where one is run (default 8)"),
	{.name = "power",
	 .key = KEY_POWER,
	 .group = 1,
	 .arg = "PERCENT",
	 .doc = "In how many experiments the change is to be seen (default 80%)"},
	OPTION_PRIMARY("The metric to plan for, as in contend ab"),
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
	const char *from; /* as typed; NULL: not said */
	struct basis basis;
};

static void plan_done(struct plan_request *p)
{
	basis_done(&p->basis);
	request_done(&p->request);
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
		if (options_is_term(key))
			return options_result(options_set_term(&p->request.terms, key, word, err));
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
				 said->pairs, BASIS_PILOT_PAIRS);
	if (said->said[TERM_PAIRS] && (p->from || !p->request.workload_count))
		return error_set(err, ERROR_USAGE,
				 "--pairs is of a pilot, and none is run for a stored experiment");
	if (p->request.said_count && (p->from || !p->request.workload_count))
		return error_set(err, ERROR_USAGE, "%.100s=: %s", p->request.said[0].key,
				 p->from ? "the parameters are those of the stored experiment"
					 : "of which workload? As in: contend plan brk1 tasks=2");
	return true;
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
	struct planning_source *sources __free(memory) =
		memory_array(p->basis.count, sizeof(*sources));
	struct planning *planning __free(planning) = NULL;
	struct text out __text = {0};
	bool all;

	for (size_t i = 0; i < p->basis.count; i++) {
		const struct precedent *one = &p->basis.precedents[i];

		sources[i] = (struct planning_source){
			.experiment = one->held.experiment,
			.runs = &one->held.runs,
			.subject = one->subject,
			.primary = one->held.experiment->subjects[one->subject].primary,
		};
	}
	planning = planning_make(&p->terms, sources, p->basis.count);

	const struct plan_findings findings = {
		.planning = planning,
		.origins = p->basis.origins,
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

	p.common.takes_command = true;
	if (!options_parse(&argp, argc, argv, &p.common, err) ||
	    !options_set_command(&p.common, &p.request, err))
		return COMMAND_FAILED;
	if (p.common.help)
		return STATUS_OK;
	if (!check_terms(&p, err))
		return COMMAND_FAILED;
	if (p.from || !p.request.workload_count
		    ? !basis_from_store(&p.basis, &p.request, p.from, &p.common, err)
		    : !basis_from_words(&p.basis, &p.request, &p.common, err))
		return COMMAND_FAILED;
	return print(&p, err);
}

const struct command command_plan = {
	.name = "plan",
	.summary = "how many pairs, and how much time, an effect needs",
	.run = run,
};
