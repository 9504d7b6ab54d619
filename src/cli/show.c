// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/conclude.h"
#include "cli/conduct.h"
#include "cli/output.h"
#include "lab/lab.h"
#include "model/json.h"
#include "report/page.h"
#include "store/store.h"

static const struct argp_option options[] = {
	OPTION_FORMAT_FILE,
	OPTION_HELP,
	/* Not OPTION_STORE: nothing is made here. */
	{.name = "store",
	 .key = KEY_STORE,
	 .arg = "FILE",
	 .group = -2,
	 .doc = "The file that holds experiments and their runs"},
	{0},
};

struct show {
	struct common common;
	const char *id; /* as given; NULL: the list is wanted */
};

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct show *s = state->input;

	if (key != ARGP_KEY_ARG)
		return options_common(key, word, &s->common);
	if (s->id)
		return options_result(
			error_set(s->common.err, ERROR_USAGE, "one experiment at a time"));
	s->id = word;
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[EXPERIMENT]",
	.doc = "List the stored experiments, or print the report of one from its stored runs."
	       "\v"
	       "Examples:\n"
	       "  contend show 7\n"
	       "  contend show 7 --format yaml >again.yaml",
};

/* How often a word stands in a list of words. */
static size_t count_word(const char *list, const char *word)
{
	size_t count = 0;

	while (*list) {
		size_t length = strcspn(list, " ");

		count += length == strlen(word) && !strncmp(list, word, length);
		list += length + (list[length] == ' ');
	}
	return count;
}

/* As ASCII, left-aligned, with two blanks behind it. */
static void put_padded(const char *words, int width, struct text *out)
{
	struct text ascii __text = {0};

	page_ascii(&ascii, words, 0);
	text_printf(out, "%-*s  ", width, text_string(&ascii));
}

/*
 * The verdicts of the primaries: "improved", of several "1 regressed, 2 undecided", the gravest first.
 * "-": nothing was looked at yet.
 */
static void put_verdicts(const char *verdicts, struct text *out)
{
	size_t count = 0;

	if (!verdicts || !*verdicts) {
		text_puts(out, "-");
		return;
	}
	if (!strchr(verdicts, ' ')) {
		page_ascii(out, verdicts, 0);
		return;
	}
	for (int verdict = 0; verdict_words[verdict]; verdict++) {
		size_t own = count_word(verdicts, verdict_words[verdict]);

		if (own)
			text_printf(out, "%s%zu %s", count++ ? ", " : "", own,
				    verdict_words[verdict]);
	}
}

/* A line that fits. */
static void put_cut(const struct text *line, struct text *out)
{
	page_ascii(out, text_string(line), output_columns());
	text_puts(out, "\n");
}

/* The next word of a command line, in its quotes; NULL: there is none. Owned by the caller. */
static char *next_word(const char **command)
{
	const char *at = *command + strspn(*command, " ");
	size_t length = 0;
	char quote = 0;

	while (at[length] && (quote || at[length] != ' ')) {
		if (quote ? at[length] == quote : at[length] == '\'' || at[length] == '"')
			quote = quote ? 0 : at[length];
		length++;
	}
	*command = at + length;
	return length ? text_format("%.*s", (int)length, at) : NULL;
}

static void add_word(struct text *out, const char *before, const char *word)
{
	text_printf(out, "%s%s%s", out->length ? " " : "", before, word);
}

/*
 * What tells a command from others: its workloads, what the arms are, then what they share. Terms
 * such as its seed are left out.
 */
static void put_told(const char *command, struct text *out)
{
	struct text arms __text = {0}, shared __text = {0};
	char option = 0;

	if (text_starts(command, "contend "))
		command += strlen("contend ");
	for (;;) {
		char *word __free(memory) = next_word(&command);
		bool is_arm = word && text_starts(word, "--") && strchr("abcd", word[2]) &&
			      word[2] && !word[3];

		if (!word || text_equal(word, "--"))
			break;
		if (text_starts(word, "--")) {
			option = is_arm ? word[2] : '-';
			continue;
		}
		if (!option)
			add_word(strchr(word, '=') ? &shared : out, "", word);
		else if (option != '-' && !text_equal(word, "''"))
			add_word(&arms, (char[]){option, ':', ' ', '\0'}, word);
		option = 0;
	}
	if (arms.length)
		add_word(out, "", text_string(&arms));
	if (shared.length)
		add_word(out, "", text_string(&shared));
	/* The program that is run. */
	if (*command)
		add_word(out, "--", command);
}

static void put_line(const struct store_line *line, int width, struct text *out)
{
	struct text whole __text = {0};
	time_t seconds = line->created_ns / NS_PER_SEC;
	struct text verdicts __text = {0}, told __text = {0};
	char when[32] = "?";
	struct tm local;

	if (localtime_r(&seconds, &local))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &local);
	put_verdicts(line->verdicts, &verdicts);
	text_printf(&whole, "%5lld  %-16s %6lld  ", (long long)line->id, when,
		    (long long)line->runs);
	/* A store may have come by mail: nothing in it may do anything to a terminal. */
	put_padded(line->how ? line->how : "not ended", 11, &whole);
	put_padded(text_string(&verdicts), width, &whole);
	put_told(line->command, &told);
	page_paragraph(out, text_string(&whole), "       ", text_string(&told));
}

/* What fills the column of verdicts of all lines. */
static int verdict_width(const struct store_lines *lines)
{
	size_t width = strlen("verdict");

	for (size_t i = 0; i < lines->count; i++) {
		struct text verdicts __text = {0};

		put_verdicts(lines->list[i].verdicts, &verdicts);
		width = verdicts.length > width ? verdicts.length : width;
	}
	return (int)width;
}

static json_t *verdicts_to_json(const char *verdicts)
{
	json_t *array = verdicts ? json_array() : json_null();

	while (verdicts && *verdicts) {
		size_t length = strcspn(verdicts, " ");
		char *word __free(memory) = text_format("%.*s", (int)length, verdicts);

		json_array_append_new(array, json_text(word));
		verdicts += length + (verdicts[length] == ' ');
	}
	return array;
}

static json_t *line_to_json(const struct store_line *line)
{
	json_t *object = json_object();

	json_object_set_new(object, "id", json_integer(line->id));
	json_object_set_new(object, "created_ns", json_integer(line->created_ns));
	json_object_set_new(object, "runs", json_integer(line->runs));
	json_object_set_new(object, "end", line->how ? json_text(line->how) : json_null());
	json_object_set_new(object, "verdicts", verdicts_to_json(line->verdicts));
	json_object_set_new(object, "command", json_text(line->command));
	return object;
}

static int show_list(const struct common *c, struct store *store, struct error *err)
{
	struct store_lines lines __cleanup(store_lines_done) = {0};
	struct text out __text = {0};

	if (!store_list(store, &lines, err))
		return COMMAND_FAILED;
	if (text_equal(c->report->name, "json")) {
		json_t *array __free(json) = json_array();

		for (size_t i = 0; i < lines.count; i++)
			json_array_append_new(array, line_to_json(&lines.list[i]));

		char *line __free(memory) = json_line(array);

		text_printf(&out, "%s\n", line);
	} else {
		int width = verdict_width(&lines);
		struct text head __text = {0};

		text_printf(&head, "%5s  %-16s %6s  %-11s  %-*s  %s", "id", "begun", "runs", "end",
			    width, "verdict", "what");
		put_cut(&head, &out);
		for (size_t i = 0; i < lines.count; i++)
			put_line(&lines.list[i], width, &out);
	}
	return output_text(&out, err) ? STATUS_OK : COMMAND_FAILED;
}

static int show_one(const struct common *c, struct store *store, int64_t id, struct error *err)
{
	struct lab_case held __cleanup(lab_case_done) = {0};
	struct judgement *judgement __free(judgement) = NULL;

	if (!lab_read(&held, store, id, err))
		return COMMAND_FAILED;
	judgement = lab_judge(held.experiment, &held.runs, held.history.how);
	/* Whatever the verdict was: it could be shown. */
	return conclude(&held, judgement, store, c, err) < 0 ? COMMAND_FAILED : STATUS_OK;
}

static int run(int argc, char **argv, struct error *err)
{
	struct show s = {0};
	struct store *store __free(store) = NULL;
	int64_t id = 0;

	if (!options_parse(&argp, argc, argv, &s.common, err))
		return COMMAND_FAILED;
	if (s.common.help)
		return STATUS_OK;
	if (s.id && !units_parse_count(s.id, &id, err)) {
		error_wrap(err, "experiment");
		return COMMAND_FAILED;
	}
	if (!conduct_store(&s.common, false, &store, err))
		return COMMAND_FAILED;
	if (!s.id && s.common.report->of_two_arms) {
		error_set(err, ERROR_USAGE, "--format %s: of which experiment?",
			  s.common.report->name);
		return COMMAND_FAILED;
	}
	return s.id ? show_one(&s.common, store, id, err) : show_list(&s.common, store, err);
}

const struct command command_show = {
	.name = "show",
	.summary = "list stored experiments, or report one again",
	.run = run,
};
