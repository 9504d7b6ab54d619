// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "target/reply.h"

#define BEGIN "{\"contend\":1,\"type\":\"begin\",\"id\":\"t\"}\n"
#define PROGRESS(share)                                                                            \
	"{\"contend\":1,\"type\":\"progress\",\"id\":\"t\",\"phase\":\"window\",\"share\":" share  \
	"}\n"
#define ANSWER "{\"contend\":1,\"type\":\"answer\",\"id\":\"t\",\"answer\":{\"x\":[1,\"\\n\"]}}\n"
#define REFUSAL(code)                                                                              \
	"{\"contend\":1,\"type\":\"error\",\"id\":\"t\",\"code\":\"" code                          \
	"\",\"text\":\"no such\"}\n"
#define END "{\"contend\":1,\"type\":\"end\",\"id\":\"t\"}\n"

static const char good[] = BEGIN PROGRESS("0") PROGRESS("0.5") ANSWER PROGRESS("1") END;

struct seen {
	int calls;
	double last, sum;
};

static void see(void *context, const char *phase, double share)
{
	struct seen *seen = context;

	assert_string_equal(phase, "window");
	seen->calls++;
	seen->last = share;
	seen->sum += share;
}

/* Feeds bytes in pieces and takes the answer; false with err set where that fails. */
static bool feed(const char *bytes, size_t length, size_t piece, json_t **ret_answer,
		 struct error *err)
{
	struct reply r __cleanup(reply_done);

	reply_init(&r, "t", NULL);
	for (size_t at = 0; at < length; at += piece) {
		/* A copy of the exact size, so that reading past its end is found. */
		size_t n = length - at < piece ? length - at : piece;
		char *copy __free(memory) = memory_alloc(n);

		memcpy(copy, bytes + at, n);
		if (!reply_feed(&r, copy, n, err))
			return false;
	}
	return reply_take(&r, ret_answer, err);
}

static void whole_replies(void **state)
{
	static const char *const replies[] = {
		good,
		BEGIN ANSWER END,
		BEGIN PROGRESS("0.1") ANSWER END,
		/* White space is JSON's own affair. */
		" " BEGIN "\t" ANSWER "  " END,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
		for (size_t piece = 1; piece <= strlen(replies[i]); piece++) {
			json_t *answer __free(json) = NULL;
			struct error err = {0};
			char *line __free(memory) = NULL;

			if (!feed(replies[i], strlen(replies[i]), piece, &answer, &err))
				fail_msg("%s", err.text);
			line = json_line(answer);
			assert_string_equal(line, "{\"x\":[1,\"\\n\"]}");
		}
	}
}

static void cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t length = 0; length < strlen(good); length++) {
		json_t *answer = NULL;
		struct error err = {0};
		size_t lines = 0;
		char *message __free(memory) = NULL;

		for (size_t i = 0; i < length; i++)
			lines += good[i] == '\n';
		message = text_format("agent's answer was cut after %zu line%s", lines,
				      lines == 1 ? "" : "s");
		assert_false(feed(good, length, 7, &answer, &err));
		assert_string_equal(err.text, message);
		assert_int_equal(err.code, ERROR_DATA);
		assert_null(answer);
	}
}

static void refusals(void **state)
{
	static const struct {
		const char *reply;
		enum error_code code;
	} cases[] = {
		{BEGIN REFUSAL("usage") END, ERROR_USAGE},
		{BEGIN REFUSAL("unsupported") END, ERROR_UNSUPPORTED},
		{BEGIN REFUSAL("system") END, ERROR_SYSTEM},
		{BEGIN REFUSAL("data") END, ERROR_DATA},
		{BEGIN REFUSAL("timeout") END, ERROR_TIMEOUT},
		{BEGIN PROGRESS("1") REFUSAL("interrupted") END, ERROR_INTERRUPTED},
		/* From an agent that did not get as far as to begin. */
		{REFUSAL("system") END, ERROR_SYSTEM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *answer = NULL;
		struct error err = {0};

		assert_false(feed(cases[i].reply, strlen(cases[i].reply), 5, &answer, &err));
		assert_string_equal(err.text, "no such");
		assert_int_equal(err.code, cases[i].code);
		assert_null(answer);
	}
}

static void damage(void **state)
{
	static const struct {
		const char *reply, *message;
	} cases[] = {
		{BEGIN ANSWER ANSWER END, "line 3: 'answer' is out of turn"},
		{BEGIN REFUSAL("data") ANSWER END, "line 3: 'answer' is out of turn"},
		{BEGIN ANSWER REFUSAL("data") END, "line 3: 'error' is out of turn"},
		{BEGIN BEGIN ANSWER END, "line 2: 'begin' is out of turn"},
		{ANSWER END, "line 1: 'answer' is out of turn"},
		{PROGRESS("0") BEGIN, "line 1: 'progress' is out of turn"},
		{END, "line 1: 'end' is out of turn"},
		{BEGIN END, "line 2: 'end' is out of turn"},
		{BEGIN ANSWER END "\n", "line 4: text behind the end"},
		{BEGIN ANSWER END "x", "text behind the end"},
		{BEGIN ANSWER END END, "line 4: text behind the end"},
		{REFUSAL("data") BEGIN, "line 2: 'begin' is out of turn"},
		{"Segmentation fault\n" BEGIN ANSWER END, "line 1: line 1 column "},
		{BEGIN "\n" ANSWER END, "line 2: "},
		{BEGIN "[]\n" ANSWER END, "line 2: "},
		{BEGIN "{}\n" ANSWER END, "line 2: line: field 'contend' is not an integer"},
		{BEGIN "{\"contend\":2}\n", "line 2: line: line format 2, this program speaks 1"},
		{BEGIN "{\"contend\":1,\"type\":\"joke\",\"id\":\"t\"}\n",
		 "line 2: line: field 'type': unknown word 'joke'"},
		{BEGIN "{\"contend\":1,\"type\":\"end\"}\n",
		 "line 2: line: field 'id' is not a string"},
		{"{\"contend\":1,\"type\":\"begin\",\"id\":\"u\"}\n" ANSWER END,
		 "line 1: is about job 'u', not 't'"},
		{BEGIN "{\"contend\":1,\"type\":\"answer\",\"id\":\"\",\"answer\":1}\n" END,
		 "line 2: is about job '', not 't'"},
		{BEGIN "{\"contend\":1,\"type\":\"answer\",\"id\":\"t\"}\n" END,
		 "line 2: field 'answer' is missing"},
		{BEGIN PROGRESS("\"much\""), "line 2: field 'share' is not a number"},
		{BEGIN "{\"contend\":1,\"type\":\"progress\",\"id\":\"t\",\"share\":1}\n",
		 "line 2: field 'phase' is not a string"},
		{BEGIN REFUSAL("odd") END, "line 2: field 'code': unknown word 'odd'"},
		{BEGIN REFUSAL("none") END, "line 2: an error of code 'none'"},
		{BEGIN "{\"contend\":1,\"type\":\"error\",\"id\":\"t\",\"code\":\"data\"}\n" END,
		 "line 2: field 'text' is not a string"},
		{BEGIN "{\"contend\":1,\"contend\":1,\"type\":\"end\",\"id\":\"t\"}\n", "line 2: "},
		{BEGIN "\"\xff\"\n", "line 2: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t piece = 1; piece < 100; piece += 14) {
			json_t *answer = NULL;
			struct error err = {0};
			char *message __free(memory) =
				text_format("agent's answer: %s", cases[i].message);

			assert_false(
				feed(cases[i].reply, strlen(cases[i].reply), piece, &answer, &err));
			if (!text_starts(err.text, message))
				fail_msg("'%s' is not '%s'", err.text, message);
			assert_int_equal(err.code, ERROR_DATA);
			assert_null(answer);
		}
	}
}

/* A zero byte neither ends a line nor hides what stands behind it. */
static void zero_bytes(void **state)
{
	static const char reply[] = BEGIN "{\"contend\":1,\"type\":\"end\",\"id\":\"t\"}\0x\n";
	json_t *answer = NULL;
	struct error err = {0};

	(void)state;
	assert_false(feed(reply, sizeof(reply) - 1, 1000, &answer, &err));
	assert_true(text_starts(err.text, "agent's answer: line 2: "));
}

static void long_lines(void **state)
{
	enum { CHUNK = 1 << 20 };
	char *chunk __free(memory) = memory_alloc(CHUNK);
	struct reply r __cleanup(reply_done);
	struct error err = {0};
	size_t fed = 0;

	(void)state;
	memset(chunk, ' ', CHUNK);
	reply_init(&r, "t", NULL);
	assert_true(reply_feed(&r, BEGIN, strlen(BEGIN), &err));
	for (; fed < WIRE_LINE_BYTES; fed += CHUNK)
		assert_true(reply_feed(&r, chunk, CHUNK, &err));
	/* Exactly as long as it may be. */
	assert_int_equal(fed, WIRE_LINE_BYTES);
	assert_false(reply_feed(&r, " ", 1, &err));
	assert_string_equal(err.text, "agent's answer: line 2 has more than 67108864 bytes");
	assert_int_equal(err.code, ERROR_DATA);
}

static void progress(void **state)
{
	static const char reply[] = BEGIN PROGRESS("0") PROGRESS("0.25") PROGRESS("-7")
		PROGRESS("1e300") PROGRESS("1") ANSWER PROGRESS("0.5") END;
	struct seen seen = {0};
	struct target_watch watch = {.progress = see, .context = &seen, .stop_fd = -1};
	struct reply r __cleanup(reply_done);
	struct error err = {0};

	(void)state;
	reply_init(&r, "t", &watch);
	assert_true(reply_feed(&r, reply, strlen(reply), &err));
	assert_int_equal(r.state, REPLY_ENDED);
	assert_int_equal(r.lines, 9);
	assert_int_equal(seen.calls, 6);
	assert_true(seen.last == 0.5);
	assert_true(seen.sum == 2.75);
}

/* The first agent says which it is; after that it must be the same, where it says so. */
static void the_agent_stays(void **state)
{
	static const struct {
		const char *known, *begin, *then;
		bool ok;
	} cases[] = {
		{"", "", "", true},
		{"", ",\"agent\":\"0.1.0\"", "0.1.0", true},
		{"", ",\"agent\":\"0.1.0\",\"build\":\"5f\"", "0.1.0 build 5f", true},
		{"0.1.0 build 5f", ",\"agent\":\"0.1.0\",\"build\":\"5f\"", "0.1.0 build 5f", true},
		{"0.1.0 build 5f", ",\"agent\":\"0.1.0\",\"build\":\"60\"", "0.1.0 build 5f",
		 false},
		{"0.1.0 build 5f", ",\"agent\":\"0.1.0\"", "0.1.0 build 5f", false},
		{"0.1.0", ",\"agent\":\"0.2.0\"", "0.1.0", false},
		{"0.1.0", "", "0.1.0", true},
		{"0.1.0", ",\"agent\":7", "0.1.0", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *line __free(memory) = text_format(
			"{\"contend\":1,\"type\":\"begin\",\"id\":\"t\"%s}\n", cases[i].begin);
		struct agent_identity agent = {""};
		const struct target_watch watch = {.stop_fd = -1, .agent = &agent};
		struct reply r __cleanup(reply_done);
		struct error err = {0};

		snprintf(agent.text, sizeof(agent.text), "%s", cases[i].known);
		reply_init(&r, "t", &watch);
		assert_int_equal(reply_feed(&r, line, strlen(line), &err), cases[i].ok);
		assert_string_equal(agent.text, cases[i].then);
		if (!cases[i].ok) {
			assert_int_equal(err.code, ERROR_DATA);
			assert_non_null(strstr(err.text, "exchanged"));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_agent_stays),
		cmocka_unit_test(whole_replies),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(refusals),
		cmocka_unit_test(damage),
		cmocka_unit_test(zero_bytes),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
