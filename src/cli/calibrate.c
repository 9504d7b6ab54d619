// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "cli/calibrations.h"
#include "cli/command.h"
#include "cli/conduct.h"
#include "cli/output.h"
#include "cli/series.h"
#include "experiment/calibrate.h"
#include "report/calibration.h"

enum {
	KEY_LIST = KEY_COMMAND,
	KEY_SHOW,
};

static const struct argp_option options[] = {
	OPTION_ALPHA("Rate of false alarms that is accepted (default 0.05)"),
	OPTION_BUDGET(
		"Share this time among all experiments (default 270s a workload); with less, the "
		"small shifts have fewer pairs"),
	{.name = "list", .key = KEY_LIST, .doc = "List the stored calibrations: nothing is run"},
	OPTION_MARGIN(
		"A change for the worse up to this does not matter (default 0%: a shift is looked "
		"for until it is found, and not until it is cleared)"),
	OPTION_PRIMARY("The metric that it is about, as for contend ab"),
	OPTION_SEED("Repeat the random orders of an earlier one"),
	{.name = "show",
	 .key = KEY_SHOW,
	 .arg = "ID",
	 .doc = "Print a stored calibration again: nothing is run"},
	OPTION_FORMAT,
	OPTION_HELP,
	OPTION_QUIET,
	OPTION_STORE,
	{0},
};

/*
 * What is calibrated when no workload is named: the shortest path under mmap_lock that every kernel
 * has.
 */
static const char usual_workload[] = "brk1";

struct calibrate {
	struct common common;
	struct request request;
	struct experiment *of; /* what all experiments are made of */
	bool list;
	const char *show; /* as typed; NULL: nothing is to be shown again */
	const char *said; /* the first word that is about measuring; NULL */
};

static void calibrate_done(struct calibrate *c)
{
	request_done(&c->request);
	experiment_free(c->of);
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct calibrate *c = state->input;
	struct error *err = c->common.err;

	switch (key) {
	case KEY_LIST:
		c->list = true;
		return 0;
	case KEY_SHOW:
		c->show = word;
		return 0;
	case ARGP_KEY_ARG:
		c->said = c->said ? c->said : word;
		return options_result(request_add_word(&c->request, word, err));
	default:
		if (!options_is_term(key))
			return options_common(key, word, &c->common);
		c->said = c->said ? c->said : term_words[key - KEY_TERM];
		return options_result(options_set_term(&c->request.terms, key, word, err));
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[WORKLOAD...] [KEY=VALUE...]\n--list\n--show ID",
	.doc = "Find out what this machine can tell apart: an A/A experiment, in which every "
	       "difference that is found is a false alarm, and one for each of the known shifts 5, 2, "
	       "1 and 0.5 %, by which delay= slows B and of which the judge is not told."
	       "\v"
	       "It takes under five minutes a workload; shorter windows (window=100ms) take less, and "
	       "count for the same windows only. Without WORKLOAD it is brk1. Its experiments are "
	       "stored as others are. Later reports of the same workload, parameters and primary "
	       "quote what it found as long as the machine is in the same state.\n\n"
	       "Exit status: 0 measured; 1 A/A is rejected more often than its level explains; 2 "
	       "usage; 4 it could not be done; 5 interrupted.\n\n"
	       "Examples:\n"
	       "  contend calibrate brk1 window=200ms\n"
	       "  contend calibrate proc_maps file=maps --budget 10m",
};

/* ---- printing ---- */

static int status_of(const struct series *list, size_t count)
{
	int status = STATUS_OK;

	for (size_t i = 0; i < count; i++) {
		if (list[i].interrupted)
			return STATUS_INTERRUPTED;
		if (list[i].stopped)
			status = STATUS_IMPOSSIBLE;
		else if (status == STATUS_OK && calibration_alarms(list[i].answer))
			status = 1;
	}
	return status;
}

static bool is_json(const struct common *c)
{
	return text_equal(c->report->name, "json");
}

static int print(const struct series *list, size_t count, const struct common *c, struct error *err)
{
	struct calibration_findings *findings __free(memory) =
		memory_array(count, sizeof(*findings));
	struct findings *aa __free(memory) = memory_array(count, sizeof(*aa));
	const struct calibration_report report = {
		.list = findings,
		.count = count,
		.status = status_of(list, count),
		.version = CONTEND_VERSION,
	};
	struct text out __text = {0};

	for (size_t i = 0; i < count; i++) {
		aa[i] = (struct findings){
			.experiment = list[i].cases[0].experiment,
			.runs = &list[i].cases[0].runs,
			.judgement = list[i].judgements[0],
			.version = CONTEND_VERSION,
		};
		findings[i] = (struct calibration_findings){
			.answer = list[i].answer,
			.aa = &aa[i],
			.kept = list[i].kept,
			.command = list[i].command,
			.stopped = list[i].stopped,
		};
	}
	if (!(is_json(c) ? calibration_json : calibration_mail)(&report, &out, err) ||
	    !output_text(&out, err))
		return COMMAND_FAILED;
	return report.status;
}

/* ---- --show ---- */

static int show_one(const struct calibrate *c, struct store *store, struct error *err)
{
	struct calibrations all __cleanup(calibrations_done) = {0};
	struct series series __cleanup(series_done) = {0};
	int64_t id;

	if (!units_parse_count(c->show, &id, err)) {
		error_wrap(err, "--show");
		return COMMAND_FAILED;
	}
	if (!store_read_calibrations(store, &all, err))
		return COMMAND_FAILED;
	for (size_t i = 0; i < all.count; i++) {
		if (all.list[i]->id != id)
			continue;
		if (!series_read(&series, take(all.list[i]), store, err))
			return COMMAND_FAILED;
		/* Whatever it found: it could be shown. */
		return print(&series, 1, &c->common, err) < 0 ? COMMAND_FAILED : STATUS_OK;
	}
	error_set(err, ERROR_USAGE, "store %s has no calibration %" PRId64, store_path(store), id);
	return COMMAND_FAILED;
}

static int look_up(const struct calibrate *c, struct error *err)
{
	struct store *store __free(store) = NULL;

	if (c->said || (c->list && c->show)) {
		error_set(err, ERROR_USAGE, "%s: with --%s nothing is run",
			  c->said ? c->said : "--list", c->show ? "show" : "list");
		return COMMAND_FAILED;
	}
	if (!conduct_store(&c->common, false, &store, err))
		return COMMAND_FAILED;
	return c->list ? calibrations_list(&c->common, store, err) : show_one(c, store, err);
}

/* ---- measuring ---- */

static bool check_request(struct calibrate *c, struct error *err)
{
	const struct request *r = &c->request;

	for (size_t i = 0; i < r->said_count; i++) {
		const char *name;

		/* Whatever the workload: its name ends at the point. */
		name = strrchr(r->said[i].key, '.');
		if (text_equal(name ? name + 1 : r->said[i].key, calibration_delay))
			return error_set(err, ERROR_USAGE,
					 "%s=%s: delay= is what calibrate gives to B itself",
					 r->said[i].key, r->said[i].value);
	}
	return r->workload_count ||
	       request_add_workload(&c->request, usual_workload, (struct place){0}, err);
}

static bool run_all(struct calibrate *c, struct series *list, size_t *ret_count,
		    const struct series_place *place, struct error *err)
{
	const struct terms *t = &c->request.terms;
	size_t subjects = c->of->subject_count;
	int64_t budget_ns =
		t->said[TERM_BUDGET] ? t->budget_ns / (int64_t)subjects : CALIBRATE_BUDGET_NS;

	for (size_t i = 0; i < subjects; i++) {
		*ret_count = i + 1;
		if (!series_run(&list[i], c->of, i, budget_ns, place, err))
			return false;
		if (list[i].interrupted)
			return true;
	}
	return true;
}

static int measure(struct calibrate *c, struct error *err)
{
	struct store *store __free(store) = NULL;
	struct series *list __free(memory) = NULL;
	struct agent_identity agent;
	struct series_place place = {.agent = &agent, .common = &c->common};
	const struct terms none = {0};
	size_t count = 0;
	int status = COMMAND_FAILED;

	if (!check_request(c, err))
		return COMMAND_FAILED;
	terms_apply(&c->request.terms, &none, c->of);
	if (!c->request.terms.said[TERM_MARGIN])
		c->of->margin = 0;
	if (!conduct_heed_interrupts(&place.stop_fd, err) ||
	    !conduct_resolve(c->of, &c->request, place.stop_fd, &agent, err) ||
	    !conduct_store(&c->common, true, &store, err))
		return COMMAND_FAILED;
	place.store = store;
	list = memory_array(c->of->subject_count, sizeof(*list));
	if (run_all(c, list, &count, &place, err))
		status = print(list, count, &c->common, err);
	for (size_t i = 0; i < count; i++)
		series_done(&list[i]);
	return status;
}

static int run(int argc, char **argv, struct error *err)
{
	struct calibrate c __cleanup(calibrate_done) = {.of = experiment_new()};

	c.common.takes_command = true;
	if (!options_parse(&argp, argc, argv, &c.common, err) ||
	    !options_set_command(&c.common, &c.request, err))
		return COMMAND_FAILED;
	if (c.common.help)
		return STATUS_OK;
	return c.list || c.show ? look_up(&c, err) : measure(&c, err);
}

const struct command command_calibrate = {
	.name = "calibrate",
	.summary = "find out which differences this machine can resolve",
	.run = run,
};
