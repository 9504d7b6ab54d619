// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "judge/doubt.h"
#include "model/fingerprint.h"
#include "target/target.h"

enum { FACT_COLUMN = 28, NAME_COLUMN = 16, DOCTOR_SECONDS = 30, FORMAT_VERSION = 1 };

static const struct argp_option options[] = {
	OPTION_FORMAT,
	OPTION_HELP,
	{0},
};

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct common *c = state->input;

	if (key == ARGP_KEY_ARG)
		return options_result(
			error_set(c->err, ERROR_USAGE, "doctor takes no word, not '%.100s'", word));
	return options_common(key, word, c);
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Say what this machine is, what makes figures from it doubtful (marked with !), and "
	       "what it can and cannot measure, and why. What cannot be read is unknown.",
};

/* What the agent of a machine says, and what is to be thought of it. */
struct diagnosis {
	json_t *answer; /* owned */
	json_t *host;	/* borrowed from it */
	struct doubts doubts;
};

static void diagnosis_done(struct diagnosis *d)
{
	doubts_done(&d->doubts);
	json_decref(d->answer);
}

static const char *const lists[] = {"workloads", "setups", "probes"};

enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

/* ---- for reading ---- */

/* "  ! why", once for each doubt about a fact. */
static void put_doubts(const struct diagnosis *d, const char *key, struct text *out)
{
	for (size_t i = 0; i < d->doubts.count; i++) {
		if (text_equal(d->doubts.list[i].key, key))
			text_printf(out, "  ! %s", d->doubts.list[i].reason);
	}
}

static void put_fact(const struct diagnosis *d, const char *key, struct text *out)
{
	const json_t *value = json_object_get(d->host, key);
	struct text body __text = {0};

	if (value)
		fingerprint_put_value(&body, key, value);
	else
		text_puts(&body, "unknown");
	put_doubts(d, key, &body);
	output_row(out, key, FACT_COLUMN, text_string(&body));
}

/*
 * A paragraph of those that are set and one of those that are not; a row where there is a doubt.
 * What this kernel does not have is in neither.
 */
static void put_config(const struct diagnosis *d, struct text *out)
{
	struct text set __text = {0}, unset __text = {0};
	const size_t prefix = strlen("CONFIG_");
	const char *key;
	json_t *value;

	json_object_foreach(d->host, key, value) {
		bool is_no = json_is_string(value) && text_equal(json_string_value(value), "n");
		struct text *list = is_no ? &unset : &set;

		if (!fingerprint_is_config(key) ||
		    (json_is_string(value) && text_equal(json_string_value(value), "absent")))
			continue;
		text_printf(list, "%s%s", list->length ? " " : "", key + prefix);
		if (!is_no &&
		    !(json_is_string(value) && text_equal(json_string_value(value), "y"))) {
			text_puts(list, "=");
			fingerprint_put_value(list, key, value);
		}
	}
	if (!set.length && !unset.length)
		text_puts(&set, "unknown");
	if (set.length)
		output_row(out, "CONFIG_", FACT_COLUMN, text_string(&set));
	if (unset.length)
		output_row(out, "CONFIG_ is not set", FACT_COLUMN, text_string(&unset));
	json_object_foreach(d->host, key, value) {
		struct text why __text = {0};

		if (fingerprint_is_config(key))
			put_doubts(d, key, &why);
		if (why.length)
			put_fact(d, key, out);
	}
}

/* Facts of a later agent, of which this program knows nothing but the name. */
static void put_others(const struct diagnosis *d, struct text *out)
{
	bool any = false;
	const char *key;
	json_t *value;

	json_object_foreach(d->host, key, value) {
		if (fingerprint_is_config(key) || fingerprint_is_known(key))
			continue;
		if (!any)
			text_puts(out, "\nothers\n");
		any = true;
		put_fact(d, key, out);
	}
}

static void put_facts(const struct diagnosis *d, struct text *out)
{
	for (int group = 0; group < FACT_GROUPS; group++) {
		text_printf(out, "%s%s\n", group ? "\n" : "", fact_group_words[group]);
		for (const struct fact *f = fingerprint_facts(); f->key; f++) {
			if ((int)f->group == group && f->kind != FACT_RUN)
				put_fact(d, f->key, out);
		}
		if (group == FACT_KERNEL)
			put_config(d, out);
	}
	put_others(d, out);
}

/* A list of what is possible, or why not. One without members is left out. */
static bool put_list(const json_t *answer, const char *key, struct text *out, struct error *err)
{
	json_t *array, *object;
	size_t i;

	if (!json_get_array(answer, key, &array, err))
		return false;
	if (json_array_size(array))
		text_printf(out, "\n%s\n", key);
	json_array_foreach(array, i, object) {
		const char *name, *why;
		bool supported;

		if (!json_get_string(object, "name", &name, err) ||
		    !json_get_bool(object, "supported", &supported, err) ||
		    !json_get_string(object, "why", &why, err))
			return error_wrap(err, "%s %zu", key, i + 1);
		char *body __free(memory) =
			supported ? text_format("yes") : text_format("no: %s", why);

		output_row(out, name, NAME_COLUMN, body);
	}
	return true;
}

static bool put_text(const struct diagnosis *d, struct text *out, struct error *err)
{
	put_facts(d, out);
	for (size_t i = 0; i < LISTS; i++) {
		if (!put_list(d->answer, lists[i], out, err))
			return false;
	}
	return true;
}

/* ---- for programs ---- */

static json_t *fact_to_json(const struct diagnosis *d, const char *key, const char *group,
			    json_t *value)
{
	json_t *object = json_object();
	json_t *doubts = json_array();

	for (size_t i = 0; i < d->doubts.count; i++) {
		const struct doubt *doubt = &d->doubts.list[i];

		if (text_equal(doubt->key, key))
			json_array_append_new(doubts, json_pack("{s:o, s:b}", "reason",
								json_text(doubt->reason), "grave",
								doubt->grave));
	}
	json_object_set_new(object, "key", json_text(key));
	json_object_set_new(object, "group", json_text(group));
	json_object_set_new(object, "value", value ? json_incref(value) : json_null());
	json_object_set_new(object, "doubts", doubts);
	return object;
}

static json_t *facts_to_json(const struct diagnosis *d)
{
	json_t *array = json_array();
	const char *key;
	json_t *value;

	for (const struct fact *f = fingerprint_facts(); f->key; f++) {
		if (f->kind != FACT_RUN)
			json_array_append_new(array,
					      fact_to_json(d, f->key, fact_group_words[f->group],
							   json_object_get(d->host, f->key)));
	}
	json_object_foreach(d->host, key, value) {
		if (fingerprint_is_config(key))
			json_array_append_new(
				array, fact_to_json(d, key, fact_group_words[FACT_KERNEL], value));
		else if (!fingerprint_is_known(key))
			json_array_append_new(array, fact_to_json(d, key, "others", value));
	}
	return array;
}

static bool put_json(const struct diagnosis *d, struct text *out, struct error *err)
{
	json_t *object __free(json) = json_object();
	char *lines __free(memory) = NULL;

	json_object_set_new(object, "contend_doctor", json_integer(FORMAT_VERSION));
	json_object_set_new(object, "version", json_text(CONTEND_VERSION));
	json_object_set_new(object, "facts", facts_to_json(d));
	for (size_t i = 0; i < LISTS; i++) {
		json_t *array;

		if (!json_get_array(d->answer, lists[i], &array, err))
			return false;
		json_object_set(object, lists[i], array);
	}
	lines = json_dumps(object, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
	if (!lines)
		return error_set(err, ERROR_DATA, "cannot be written as JSON");
	text_printf(out, "%s\n", lines);
	return true;
}

/* ---- */

static bool diagnose(struct diagnosis *d, struct error *err)
{
	const struct wire_request request = {.job = WIRE_DOCTOR, .id = "doctor"};
	const struct target_watch watch = {.stop_fd = -1};
	bool crashed;

	if (!target_local.ask(&request, DOCTOR_SECONDS * NS_PER_SEC, &watch, &d->answer, &crashed,
			      err))
		return error_wrap(err, "ask the agent");
	if (!json_get_object(d->answer, "host", &d->host, err))
		return error_wrap(err, "agent's answer");
	d->doubts = doubts_find(d->host);
	return true;
}

static int run(int argc, char **argv, struct error *err)
{
	struct diagnosis d __cleanup(diagnosis_done) = {0};
	struct common c = {0};
	struct text out __text = {0};

	if (!options_parse(&argp, argc, argv, &c, err))
		return COMMAND_FAILED;
	if (c.help)
		return STATUS_OK;
	if (!diagnose(&d, err))
		return COMMAND_FAILED;
	if (!(text_equal(c.report->name, "json") ? put_json(&d, &out, err)
						 : put_text(&d, &out, err))) {
		error_wrap(err, "agent's answer");
		return COMMAND_FAILED;
	}
	return output_text(&out, err) ? STATUS_OK : COMMAND_FAILED;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "this machine: what makes figures doubtful, what it can measure",
	.run = run,
};
