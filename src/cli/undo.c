// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/page.h"
#include "target/target.h"

/* Switching a swap area off reads back what it holds. */
enum { UNDO_SECONDS = 600 };

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
			error_set(c->err, ERROR_USAGE, "undo takes no word, not '%.100s'", word));
	return options_common(key, word, c);
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Put back what a run that was killed left changed on this machine: swap, zram, "
	       "control groups, huge pages, sysctls. Safe at any time: it is refused while a run "
	       "that needs the changes is alive, and does nothing where there are none.",
};

/* "  words", a line for each sentence of a list. */
static bool put_list(const json_t *answer, const char *key, const char *heading, struct text *out,
		     struct error *err)
{
	json_t *array, *value;
	size_t i;

	if (!json_get_array(answer, key, &array, err))
		return false;
	if (json_array_size(array))
		text_printf(out, "%s\n", heading);
	json_array_foreach(array, i, value) {
		if (!json_is_string(value))
			return error_set(err, ERROR_DATA, "%s %zu is no text", key, i + 1);
		page_paragraph(out, "  ", "    ", json_string_value(value));
	}
	return true;
}

static bool put_text(const json_t *answer, struct text *out, struct error *err)
{
	const char *text;

	if (!put_list(answer, "undone", "undone, the last change first:", out, err) ||
	    !put_list(answer, "failed", "not undone:", out, err) ||
	    !json_get_string(answer, "text", &text, err))
		return false;
	page_paragraph(out, "", "", text);
	return true;
}

static bool undo(bool as_json, struct text *out, bool *ret_whole, struct error *err)
{
	const struct wire_request request = {.job = WIRE_UNDO, .id = "undo"};
	const struct target_watch watch = {.stop_fd = -1};
	json_t *answer __free(json) = NULL, *failed;
	bool crashed;

	if (!target_local.ask(&request, UNDO_SECONDS * NS_PER_SEC, &watch, &answer, &crashed, err))
		return false;
	if (!json_get_array(answer, "failed", &failed, err))
		return false;
	*ret_whole = !json_array_size(failed);
	if (!as_json)
		return put_text(answer, out, err);
	char *line __free(memory) = json_line(answer);

	text_printf(out, "%s\n", line);
	return true;
}

static int run(int argc, char **argv, struct error *err)
{
	struct common c = {.err = err};
	struct text out __text = {0};
	bool whole;

	if (!options_parse(&argp, argc, argv, &c, err))
		return COMMAND_FAILED;
	if (c.help)
		return STATUS_OK;
	if (!undo(text_equal(c.report->name, "json"), &out, &whole, err) || !output_text(&out, err))
		return COMMAND_FAILED;
	return whole ? STATUS_OK : STATUS_IMPOSSIBLE;
}

const struct command command_undo = {
	.name = "undo",
	.summary = "put back what a killed run left changed",
	.run = run,
};
