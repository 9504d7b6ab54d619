// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/list.h"
#include "cli/options.h"
#include "model/json.h"
#include "report/page.h"

enum { KEY_VERSION = KEY_COMMAND };

static const struct argp_option options[] = {
	OPTION_HELP,
	{.name = "version", .key = KEY_VERSION, .doc = "Print the version"},
	{0},
};

struct front {
	struct common common;
	bool version;
};

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct front *f = state->input;

	if (key != KEY_VERSION)
		return options_common(key, word, &f->common);
	f->version = true;
	return 0;
}

/* argp asks for the text behind the options, which it frees. */
static char *list_commands(int key, const char *text, void *input)
{
	struct text list = {0};

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	text_puts(&list, "Commands:\n");
	for (const struct command *const *c = command_table; *c; c++)
		text_printf(&list, "  %-9s  %s\n", (*c)->name, (*c)->summary);
	text_puts(&list, "\n`contend COMMAND --help` explains one.");
	return text_take(&list);
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "COMMAND [WORD...]",
	.doc = "Measure how Linux memory management behaves when tasks contend for its locks, and "
	       "compare.\v ",
	.help_filter = list_commands,
};

static const struct command *find_command(const char *name, struct error *err)
{
	struct nearest nearest = {.name = name};

	for (const struct command *const *c = command_table; *c; c++) {
		if (text_equal(name, (*c)->name))
			return *c;
		nearest_try(&nearest, (*c)->name);
	}
	nearest_refuse(&nearest, "command", err);
	return NULL;
}

static int dispatch(int argc, char **argv, struct error *err)
{
	static char program[] = "contend";
	struct front f = {0};
	const struct command *command;
	int own = 1;

	/* The words before the command are the program's, the rest is the command's. */
	while (own < argc && argv[own][0] == '-')
		own++;
	argv[0] = program;
	if (!options_parse(&argp, own, argv, &f.common, err))
		return COMMAND_FAILED;
	if (f.version)
		printf("contend %s\n", CONTEND_VERSION);
	if (f.version || f.common.help)
		return STATUS_OK;
	if (own >= argc) {
		error_set(err, ERROR_USAGE, "which command? `contend --help` lists them");
		return COMMAND_FAILED;
	}
	command = find_command(argv[own], err);
	if (!command)
		return COMMAND_FAILED;

	char *name __free(memory) = text_format("contend %s", command->name);

	argv[own] = name;
	return command->run(argc - own, argv + own, err);
}

/* One line of printable ASCII on standard error, whatever the message was made of. */
static void complain(const char *message)
{
	struct text line __text = {0};

	page_ascii(&line, message, 0);
	fprintf(stderr, "contend: %s\n", text_string(&line));
}

static int status_of(enum error_code code)
{
	switch (code) {
	case ERROR_USAGE:
		return STATUS_USAGE;
	case ERROR_INTERRUPTED:
		return STATUS_INTERRUPTED;
	default:
		return STATUS_IMPOSSIBLE;
	}
}

static void out_of_memory(void)
{
	static const char line[] = "contend: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, line, sizeof(line) - 1);

	(void)ignored;
	_exit(STATUS_IMPOSSIBLE);
}

static void settle(void)
{
	/*
	 * The longest --help: what cannot be written is then seen at the end, and with its errno.
	 */
	static char buffer[1 << 16];

	if (!file_fill_standard())
		_exit(STATUS_IMPOSSIBLE);
	/* What is written into a closed pipe, or beyond a limit, is an error like others. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	memory_on_failure(out_of_memory);
	json_use_memory();
	/* glibc's argp prints for ever when this asks for a margin that leaves no room. */
	unsetenv("ARGP_HELP_FMT");
	/* Not LC_NUMERIC: numbers are read and written with a point. */
	setlocale(LC_CTYPE, "");
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

int main(int argc, char **argv)
{
	struct error err;
	int status;

	settle();
	argp_err_exit_status = STATUS_USAGE;
	status = argc ? dispatch(argc, argv, &err) : STATUS_USAGE;
	if (status == COMMAND_FAILED) {
		complain(err.text);
		status = status_of(err.code);
	}
	if (fflush(stdout) && errno != EPIPE) {
		complain("standard output: write failed");
		status = STATUS_IMPOSSIBLE;
	}
	return status;
}
