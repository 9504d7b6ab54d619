// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/run.h"

/* An agent in a process of its own, at the end of two pipes. */
struct agent_process {
	struct child child;
	int input, output;
};

static struct agent_process start(void)
{
	struct agent_process a = {.child = CHILD_NONE};
	int in[2], out[2];
	struct error err;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	switch (child_fork(&a.child, &err)) {
	case -1:
		fail_msg("%s", err.text);
		break;
	case 0:
		signal(SIGPIPE, SIG_IGN);
		close(in[1]);
		close(out[0]);
		_exit(agent_serve(in[0], in[0], out[1]));
	}
	close(in[0]);
	close(out[1]);
	a.input = in[1];
	a.output = out[0];
	return a;
}

static void send_text(const struct agent_process *a, const char *text)
{
	assert_int_equal(write(a->input, text, strlen(text)), strlen(text));
}

/* Reads until the text holds the words, or with NULL to the end. */
static void read_until(const struct agent_process *a, const char *words, struct text *seen)
{
	char chunk[4096];
	ssize_t n;

	while (!words || !strstr(text_string(seen), words)) {
		n = read(a->output, chunk, sizeof(chunk));
		assert_true(n >= 0);
		if (!n)
			break;
		text_append(seen, chunk, (size_t)n);
	}
	if (words && !strstr(text_string(seen), words))
		fail_msg("no '%s' in '%s'", words, text_string(seen));
}

static int finish(struct agent_process *a)
{
	int status = -1;

	if (!child_reap(&a->child, clock_now_ns() + 60 * NS_PER_SEC, &status))
		fail_msg("the agent did not end");
	child_done(&a->child);
	if (a->input >= 0)
		close(a->input);
	close(a->output);
	return status;
}

/* The lines of a whole conversation. The caller owns the array. */
static json_t *lines_of(const struct text *seen)
{
	const char *at = text_string(seen), *end;
	json_t *lines = json_array();

	for (; (end = strchr(at, '\n')); at = end + 1) {
		json_t *line;
		struct error err;

		if (!json_parse(at, (size_t)(end - at), &line, &err))
			fail_msg("%s", err.text);
		json_array_append_new(lines, line);
	}
	assert_string_equal(at, "");
	return lines;
}

static enum wire_type type_of(const json_t *line, const char *id)
{
	enum wire_type type = WIRE_BEGIN;
	const char *its = "";
	struct error err;

	if (!wire_line_type(line, &type, &its, &err))
		fail_msg("%s", err.text);
	assert_string_equal(its, id);
	return type;
}

/*
 * Sends a job and returns the line that answers it, which is owned by the caller; checks what
 * stands around it.
 */
static json_t *ask(const char *job, const char *id, enum wire_type expected, int status)
{
	struct agent_process a = start();
	struct text seen __text = {0};
	json_t *lines __free(json) = NULL;
	size_t count;

	send_text(&a, job);
	send_text(&a, "\n");
	read_until(&a, NULL, &seen);
	assert_int_equal(finish(&a), status << 8);
	lines = lines_of(&seen);
	count = json_array_size(lines);
	assert_true(count >= 3);
	assert_int_equal(type_of(json_array_get(lines, 0), id), WIRE_BEGIN);
	for (size_t i = 1; i < count - 2; i++)
		assert_int_equal(type_of(json_array_get(lines, i), id), WIRE_PROGRESS);
	assert_int_equal(type_of(json_array_get(lines, count - 2), id), expected);
	assert_int_equal(type_of(json_array_get(lines, count - 1), id), WIRE_END);
	return json_incref(json_array_get(lines, count - 2));
}

static void test_describe(void **state)
{
	json_t *line __free(json) = ask("{\"contend\":1,\"job\":\"describe\",\"id\":\"a\"}", "a",
					WIRE_ANSWER, AGENT_ANSWERED);
	json_t *answer = json_object_get(line, "answer");

	(void)state;
	assert_true(json_array_size(json_object_get(answer, "workloads")) >= 3);
	assert_true(json_is_array(json_object_get(answer, "setups")));
	assert_true(json_is_array(json_object_get(answer, "probes")));
	assert_true(json_is_string(json_object_get(answer, "agent")));
}

static void test_doctor(void **state)
{
	json_t *line __free(json) = ask("{\"contend\":1,\"job\":\"doctor\",\"id\":\"b\"}", "b",
					WIRE_ANSWER, AGENT_ANSWERED);
	json_t *answer = json_object_get(line, "answer"), *workload;
	size_t i;

	(void)state;
	assert_true(json_is_object(json_object_get(answer, "host")));
	json_array_foreach(json_object_get(answer, "workloads"), i, workload) {
		bool supported = json_is_true(json_object_get(workload, "supported"));
		const char *why = json_string_value(json_object_get(workload, "why"));

		assert_int_equal(supported, !*why);
	}
	assert_true(i >= 3);
}

/*
 * A /run of this program's own and its children, in which nobody has the machine and nothing was
 * left. Not where that is forbidden: then undo would be about the real one.
 */
static bool has_own_run;

static void make_own_run(void)
{
	has_own_run = !unshare(CLONE_NEWNS) &&
		      !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		      !mount("tmpfs", "/run", "tmpfs", 0, "mode=755");
}

static void test_undo(void **state)
{
	if (!has_own_run)
		skip();

	json_t *line __free(json) = ask("{\"contend\":1,\"job\":\"undo\",\"id\":\"c\"}", "c",
					WIRE_ANSWER, AGENT_ANSWERED);
	json_t *answer = json_object_get(line, "answer");

	(void)state;
	assert_int_equal(json_array_size(json_object_get(answer, "undone")), 0);
	assert_non_null(strstr(json_string_value(json_object_get(answer, "text")), "nothing"));
}

static void test_run(void **state)
{
	json_t *line __free(json) =
		ask("{\"contend\":1,\"job\":\"run\",\"id\":\"r\",\"workload\":\"null\","
		    "\"params\":{\"window\":\"20ms\"}}",
		    "r", WIRE_ANSWER, AGENT_ANSWERED);
	struct run *run __free(run) = NULL;
	struct error err;

	(void)state;
	if (!run_from_record(json_object_get(line, "answer"), &run, &err))
		fail_msg("%s", err.text);
	assert_true(run->outcome == OUTCOME_OK || run->outcome == OUTCOME_INVALID);
}

static void test_bad_jobs(void **state)
{
	static const struct {
		const char *job, *id, *code, *words;
	} cases[] = {
		{"nonsense", "", "data", "line 1"},
		{"[1]", "", "data", ""},
		{"{}", "", "data", "contend"},
		{"{\"contend\":2,\"job\":\"undo\",\"id\":\"x\"}", "x", "data", "line format 2"},
		{"{\"contend\":1,\"job\":\"cook\",\"id\":\"x\"}", "x", "data", "job"},
		{"{\"contend\":1,\"job\":\"run\",\"id\":\"x\"}", "x", "data", "workload"},
		{"{\"contend\":1,\"job\":\"run\",\"id\":\"x\",\"workload\":\"brk9\",\"params\":{}}",
		 "x", "usage", "no workload 'brk9'; there are brk1, "},
		{"{\"contend\":1,\"job\":\"run\",\"id\":\"x\",\"workload\":\"null\","
		 "\"params\":{\"windo\":\"1s\"}}",
		 "x", "usage", "did you mean 'window'"},
		{"{\"contend\":1,\"job\":\"run\",\"id\":\"x\",\"workload\":\"null\","
		 "\"params\":{\"window\":\"1 s\"}}",
		 "x", "usage", "window=1 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *line __free(json) =
			ask(cases[i].job, cases[i].id, WIRE_ERROR, AGENT_REFUSED);

		assert_string_equal(json_string_value(json_object_get(line, "code")),
				    cases[i].code);
		if (!strstr(json_string_value(json_object_get(line, "text")), cases[i].words))
			fail_msg("%s", json_string_value(json_object_get(line, "text")));
	}
}

static void test_no_job(void **state)
{
	struct agent_process a = start();
	struct text seen __text = {0};

	(void)state;
	close(a.input);
	a.input = -1;
	read_until(&a, "no job came", &seen);
	read_until(&a, NULL, &seen);
	assert_int_equal(finish(&a), AGENT_REFUSED << 8);
}

/* ---- how it ends early ---- */

static const char long_job[] = "{\"contend\":1,\"job\":\"run\",\"id\":\"l\",\"workload\":\"null\","
			       "\"params\":{\"window\":\"1h\",\"tasks\":\"2\"}}\n";

/* An agent in the window of a run of an hour. */
static struct agent_process start_long(struct text *seen)
{
	struct agent_process a = start();

	send_text(&a, long_job);
	read_until(&a, "\"window\"", seen);
	return a;
}

/*
 * Until all processes below this one have ended. It is the reaper of orphans, so that whatever the
 * agent leaves behind comes here, and can be seen to end.
 */
static void await_orphans(void)
{
	int64_t deadline_ns = clock_now_ns() + 60 * NS_PER_SEC;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		if (clock_now_ns() > deadline_ns)
			fail_msg("a worker lives on");
		if (!pid)
			clock_sleep_until(clock_now_ns() + NS_PER_MS);
	}
	assert_int_equal(errno, ECHILD);
}

static void assert_interrupted(struct agent_process *a, struct text *seen)
{
	read_until(a, NULL, seen);
	assert_int_equal(finish(a), AGENT_ANSWERED << 8);
	assert_non_null(strstr(text_string(seen), "\"outcome\":\"interrupted\""));
	assert_non_null(strstr(text_string(seen), "\"type\":\"end\""));
	await_orphans();
}

static void test_input_hangs_up(void **state)
{
	struct text seen __text = {0};
	struct agent_process a = start_long(&seen);

	(void)state;
	close(take_fd(a.input));
	assert_interrupted(&a, &seen);
}

static void test_signals(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct text seen __text = {0};
		struct agent_process a = start_long(&seen);

		kill(a.child.pid, signals[i]);
		assert_interrupted(&a, &seen);
	}
}

/* Words of the controller during a run are none of its business. */
static void test_more_input(void **state)
{
	struct text seen __text = {0};
	struct agent_process a = start_long(&seen);

	(void)state;
	send_text(&a, "go on, go on\n");
	text_done(&seen);
	/* It still ticks. */
	read_until(&a, "\"window\"", &seen);
	kill(a.child.pid, SIGTERM);
	assert_interrupted(&a, &seen);
}

static void test_output_closed(void **state)
{
	struct text seen __text = {0};
	struct agent_process a = start_long(&seen);
	int status;

	(void)state;
	close(a.output);
	a.output = open("/dev/null", O_RDONLY | O_CLOEXEC);
	status = finish(&a);
	assert_int_equal(status, AGENT_REFUSED << 8);
	await_orphans();
}

static void test_agent_killed(void **state)
{
	struct text seen __text = {0};
	struct agent_process a = start_long(&seen);
	int status;

	(void)state;
	kill(a.child.pid, SIGKILL);
	status = finish(&a);
	assert_true(WIFSIGNALED(status));
	await_orphans();
}

static void test_last_words(void **state)
{
	struct agent a = {.input = -1, .output = open("/dev/null", O_WRONLY | O_CLOEXEC)};
	const struct wire_request request = {.job = WIRE_UNDO, .id = "it\"em"};
	struct text words __text = {0};
	json_t *lines __free(json) = NULL;

	(void)state;
	assert_int_equal(agent_answer(&a, &request), AGENT_ANSWERED);
	close(a.output);
	text_puts(&words, agent_last_words());
	lines = lines_of(&words);
	assert_int_equal(json_array_size(lines), 2);
	assert_int_equal(type_of(json_array_get(lines, 0), "it\"em"), WIRE_ERROR);
	assert_int_equal(type_of(json_array_get(lines, 1), "it\"em"), WIRE_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_doctor),
		cmocka_unit_test(test_undo),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_bad_jobs),
		cmocka_unit_test(test_no_job),
		cmocka_unit_test(test_input_hangs_up),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_more_input),
		cmocka_unit_test(test_output_closed),
		cmocka_unit_test(test_agent_killed),
		cmocka_unit_test(test_last_words),
	};

	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	make_own_run();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
