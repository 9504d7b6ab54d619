// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

static char last_words[1024];

const char *agent_last_words(void)
{
	return last_words;
}

static json_t *error_line(const char *id, enum error_code code, const char *text)
{
	json_t *line = wire_line_new(WIRE_ERROR, id);

	json_object_set_new(line, "code", json_text(wire_code_words[code]));
	json_object_set_new(line, "text", json_text(text));
	return line;
}

/* Made while there still is memory. */
static void prepare_last_words(const char *id)
{
	json_t *error __free(json) = error_line(id, ERROR_SYSTEM, "out of memory");
	json_t *end __free(json) = wire_line_new(WIRE_END, id);
	char *first __free(memory) = json_line(error), *second __free(memory) = json_line(end);

	/* An id that is too long is its sender's own fault: no words rather than half of them. */
	if ((size_t)snprintf(last_words, sizeof(last_words), "%s\n%s\n", first, second) >=
	    sizeof(last_words))
		last_words[0] = '\0';
}

static int refuse(struct agent *a, const struct error *err)
{
	agent_say(a, error_line(a->id, err->code, err->text));
	agent_say(a, wire_line_new(WIRE_END, a->id));
	return AGENT_REFUSED;
}

/* The first line. job: NULL where it is not known. */
static void begin(struct agent *a, const char *job)
{
	json_t *line = wire_line_new(WIRE_BEGIN, a->id);

	prepare_last_words(a->id);
	if (job)
		json_object_set_new(line, "job", json_text(job));
	json_object_set_new(line, "agent", json_text(CONTEND_VERSION));
	if (*agent_build())
		json_object_set_new(line, "build", json_text(agent_build()));
	json_object_set_new(line, "pid", json_integer(getpid()));
	agent_say(a, line);
}

/* A job that cannot be done for what it is. */
static int refuse_job(struct agent *a, const struct error *err)
{
	begin(a, NULL);
	return refuse(a, err);
}

int agent_answer(struct agent *a, const struct wire_request *request)
{
	static json_t *(*const jobs[])(struct agent *, const struct wire_request *,
				       struct error *) = {
		[WIRE_DESCRIBE] = agent_describe,
		[WIRE_RUN] = agent_run,
		[WIRE_UNDO] = agent_undo,
		[WIRE_DOCTOR] = agent_doctor,
		[WIRE_HOLD] = agent_hold,
	};
	struct error err;
	json_t *answer, *line;

	a->id = request->id;
	begin(a, wire_job_words[request->job]);
	answer = jobs[request->job](a, request, &err);
	if (!answer)
		return refuse(a, &err);
	line = wire_line_new(WIRE_ANSWER, a->id);
	json_object_set_new(line, "answer", answer);
	agent_say(a, line);
	agent_say(a, wire_line_new(WIRE_END, a->id));
	return a->gone ? AGENT_REFUSED : AGENT_ANSWERED;
}

/* Reads up to a line feed or the end of input. What is behind the line is nobody's. */
static bool read_line(int fd, struct text *line, struct error *err)
{
	char chunk[4096];
	const char *feed;
	ssize_t n;

	for (;;) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, "read the job");
		if (!n)
			break;
		feed = memchr(chunk, '\n', (size_t)n);
		text_append(line, chunk, feed ? (size_t)(feed - chunk) : (size_t)n);
		if (feed)
			break;
		if (line->length > WIRE_LINE_BYTES)
			return error_set(err, ERROR_DATA, "the job is longer than %d bytes",
					 WIRE_LINE_BYTES);
	}
	if (!line->length)
		return error_set(err, ERROR_DATA, "no job came");
	return true;
}

int agent_serve(int job, int input, int output)
{
	struct agent a = {.input = input, .output = output, .id = "", .anew = job != input};
	struct text line __text = {0};
	json_t *object __free(json) = NULL;
	struct wire_request request;
	const char *id;
	struct error err;

	prepare_last_words(a.id);
	if (!read_line(job, &line, &err) || !json_parse(line.bytes, line.length, &object, &err))
		return refuse_job(&a, &err);
	/* Whatever is wrong with it, its sender knows it by its id. */
	id = json_string_value(json_object_get(object, "id"));
	if (id)
		a.id = id;
	if (!wire_request_from_json(object, &request, &err))
		return refuse_job(&a, &err);
	if (job == input && agent_wants_anew(&request) && !agent_begin_anew(&line, &err)) {
		begin(&a, wire_job_words[request.job]);
		return refuse(&a, &err);
	}
	return agent_answer(&a, &request);
}
