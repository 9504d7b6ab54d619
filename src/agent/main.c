// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * contend-agent: the part of contend that runs on the machine under test. It does one job and ends.
 * It needs a kernel and nothing else: no library, no file, no environment.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

static _Noreturn void out_of_memory(void)
{
	const char *words = agent_last_words();
	ssize_t n = write(STDOUT_FILENO, words, strlen(words));

	_exit(n < 0 ? AGENT_USAGE : AGENT_REFUSED);
}

static int usage(void)
{
	static const char text[] =
		"usage: contend-agent [describe|doctor|undo]\n"
		"Without an argument it reads one job line from its standard input (docs/wire.md)\n"
		"and stops when that hangs up. It is started by contend.\n";

	fputs(text, stderr);
	return AGENT_USAGE;
}

/* A job by its word, for people; the same lines come out. */
static int shorthand(const char *word)
{
	static const enum wire_job jobs[] = {WIRE_DESCRIBE, WIRE_DOCTOR, WIRE_UNDO};
	struct agent a = {.input = STDIN_FILENO, .output = STDOUT_FILENO};

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		struct wire_request request = {.job = jobs[i], .id = "1"};

		if (text_equal(word, wire_job_words[jobs[i]]))
			return agent_answer(&a, &request);
	}
	return usage();
}

/* See agent_begin_anew(). */
static int serve_anew(const char *descriptor)
{
	int64_t job;
	struct error ignored;

	if (!units_parse_count(descriptor, &job, &ignored) || fcntl((int)job, F_GETFD) < 0)
		return usage();
	/* Nothing that is forked or executed from here on has it. */
	fcntl((int)job, F_SETFD, FD_CLOEXEC);
	/* It was executed as "exe". */
	prctl(PR_SET_NAME, AGENT_NAME);
	return agent_serve((int)job, STDIN_FILENO, STDOUT_FILENO);
}

int main(int argc, char **argv)
{
	/* First of all: brk1 measures the break, nothing else may lie on it. */
	memory_brk_guard();
	memory_on_failure(out_of_memory);
	json_use_memory();
	signal(SIGPIPE, SIG_IGN);
	/*
	 * Where there is no /dev/null (the agent alone in a root folder) nothing better can be
	 * done.
	 */
	file_fill_standard();
	if (argc == 3 && text_equal(argv[1], AGENT_ANEW))
		return serve_anew(argv[2]);
	if (argc > 2)
		return usage();
	return argc == 2 ? shorthand(argv[1])
			 : agent_serve(STDIN_FILENO, STDIN_FILENO, STDOUT_FILENO);
}
