// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "target/target.h"

enum { NAME_COLUMN = 16, DOCTOR_SECONDS = 30 };

static const struct argp_option options[] = {
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
	.doc = "Say what this machine can and cannot measure, and why.",
};

/* "memory_bytes": 16 GiB. The unit is part of the name, and is read better behind the value. */
static void put_fact(const char *key, const json_t *value, struct text *out)
{
	char *name __free(memory) = text_format("%s", key);
	struct text body __text = {0};
	char buffer[UNITS_TEXT];
	char *unit = strrchr(name, '_');

	if (json_is_number(value) && unit && text_equal(unit, "_bytes")) {
		*unit = '\0';
		text_puts(&body, units_format(json_number_value(value), "bytes", buffer));
	} else if (json_is_number(value)) {
		text_printf(&body, "%.6g", json_number_value(value));
	} else if (json_is_string(value)) {
		text_puts(&body, json_string_value(value));
	} else {
		return;
	}
	for (char *at = name; *at; at++) {
		if (*at == '_')
			*at = ' ';
	}
	output_row(out, name, NAME_COLUMN, text_string(&body));
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

static bool put_answer(const json_t *answer, struct text *out, struct error *err)
{
	json_t *host, *value;
	const char *key;

	if (!json_get_object(answer, "host", &host, err))
		return false;
	text_puts(out, "machine\n");
	json_object_foreach(host, key, value)
		put_fact(key, value, out);
	return put_list(answer, "workloads", out, err) && put_list(answer, "setups", out, err) &&
	       put_list(answer, "probes", out, err);
}

static int run(int argc, char **argv, struct error *err)
{
	const struct wire_request request = {.job = WIRE_DOCTOR, .id = "doctor"};
	const struct target_watch watch = {.stop_fd = -1};
	struct common c __cleanup(common_done) = {0};
	json_t *answer __free(json) = NULL;
	struct text out __text = {0};
	bool crashed;

	if (!options_parse(&argp, argc, argv, &c, err))
		return COMMAND_FAILED;
	if (c.help)
		return STATUS_OK;
	if (!target_local.ask(&request, DOCTOR_SECONDS * NS_PER_SEC, &watch, &answer, &crashed,
			      err)) {
		error_wrap(err, "ask the agent");
		return COMMAND_FAILED;
	}
	if (!put_answer(answer, &out, err)) {
		error_wrap(err, "agent's answer");
		return COMMAND_FAILED;
	}
	return output_text(&out, err) ? STATUS_OK : COMMAND_FAILED;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "what this machine can and cannot measure, and why",
	.run = run,
};
