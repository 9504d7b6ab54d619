// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "target/target.h"

/*
 * This program is its own fake agent: started with FAKE_AGENT in the environment it plays the part
 * that is named there.
 */

#define BEGIN "{\"contend\":1,\"type\":\"begin\",\"id\":\"t\"}\n"
#define PROGRESS                                                                                   \
	"{\"contend\":1,\"type\":\"progress\",\"id\":\"t\",\"phase\":\"window\",\"share\":0.5}\n"
#define SETUP "{\"contend\":1,\"type\":\"progress\",\"id\":\"t\",\"phase\":\"setup\",\"share\":0}\n"
#define UNDO(share)                                                                                \
	"{\"contend\":1,\"type\":\"progress\",\"id\":\"t\",\"phase\":\"undo\",\"share\":" share    \
	"}\n"
#define ANSWER "{\"contend\":1,\"type\":\"answer\",\"id\":\"t\",\"answer\":{\"x\":1}}\n"
#define REFUSAL                                                                                    \
	"{\"contend\":1,\"type\":\"error\",\"id\":\"t\",\"code\":\"unsupported\","                 \
	"\"text\":\"no such\"}\n"
#define END "{\"contend\":1,\"type\":\"end\",\"id\":\"t\"}\n"
#define GOOD BEGIN PROGRESS ANSWER END

enum { SLEEP_SECONDS = 300 };

static void say(const char *text)
{
	struct error ignored;

	file_write_all(STDOUT_FILENO, text, strlen(text), &ignored);
}

/* Reads the job line; returns its length. */
static size_t hear(void)
{
	size_t length = 0;
	char byte = 0;

	while (byte != '\n' && read(STDIN_FILENO, &byte, 1) == 1)
		length++;
	return length;
}

/* Waits until the controller closes our input. */
static void wait_for_leave(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1)
		;
}

static bool told_to_leave(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&input, 1, 0) > 0;
}

static void say_much(size_t bytes)
{
	static const char chunk[1 << 16] = {' '};
	struct error ignored;

	for (; bytes >= sizeof(chunk); bytes -= sizeof(chunk)) {
		if (!file_write_all(STDOUT_FILENO, chunk, sizeof(chunk), &ignored))
			return;
	}
}

static void part_cut(const char *argument)
{
	struct error ignored;

	hear();
	file_write_all(STDOUT_FILENO, GOOD, (size_t)atoi(argument), &ignored);
}

static void part_good(const char *argument)
{
	(void)argument;
	hear();
	say(GOOD);
	wait_for_leave();
}

/* Says what it is told to. */
static void part_say(const char *argument)
{
	hear();
	say(argument);
	wait_for_leave();
}

static void part_job_length(const char *argument)
{
	char *answer = text_format(
		BEGIN
		"{\"contend\":1,\"type\":\"answer\",\"id\":\"t\",\"answer\":{\"x\":%zu}}\n" END,
		hear());

	(void)argument;
	say(answer);
	wait_for_leave();
}

static void part_does_not_listen(const char *argument)
{
	(void)argument;
	close(STDIN_FILENO);
	say(GOOD);
}

static void part_exits(const char *argument)
{
	hear();
	_exit(atoi(argument));
}

static void part_exits_behind_answer(const char *argument)
{
	hear();
	say(GOOD);
	wait_for_leave();
	_exit(atoi(argument));
}

static void part_exits_behind_refusal(const char *argument)
{
	hear();
	say(BEGIN REFUSAL END);
	_exit(atoi(argument));
}

static void part_dies(const char *argument)
{
	hear();
	say(BEGIN PROGRESS);
	signal(atoi(argument), SIG_DFL);
	raise(atoi(argument));
}

static void part_dies_behind_answer(const char *argument)
{
	hear();
	say(GOOD);
	signal(atoi(argument), SIG_DFL);
	raise(atoi(argument));
}

static void part_silent(const char *argument)
{
	(void)argument;
	wait_for_leave();
}

static void part_late(const char *argument)
{
	(void)argument;
	wait_for_leave();
	say(GOOD);
}

/* Neither speaks nor hears. */
static void part_deaf(const char *argument)
{
	(void)argument;
	sleep(SLEEP_SECONDS);
}

static void part_deaf_behind_answer(const char *argument)
{
	(void)argument;
	say(GOOD);
	sleep(SLEEP_SECONDS);
}

static void part_closes_output(const char *argument)
{
	(void)argument;
	hear();
	say(BEGIN);
	close(STDOUT_FILENO);
	wait_for_leave();
}

static void part_long_line(const char *argument)
{
	(void)argument;
	hear();
	say(BEGIN);
	say_much(70 << 20);
	say("\n" END);
}

static void part_floods(const char *argument)
{
	(void)argument;
	hear();
	say(BEGIN);
	while (!told_to_leave())
		say(PROGRESS);
}

static void part_floods_deaf(const char *argument)
{
	(void)argument;
	say(BEGIN);
	for (;;)
		say(PROGRESS);
}

/* Stops when it is told to, with an answer. */
static void part_stops(const char *argument)
{
	(void)argument;
	hear();
	say(BEGIN PROGRESS);
	wait_for_leave();
	say(PROGRESS ANSWER END);
}

/* Stops when it is told to, without one. */
static void part_gives_up(const char *argument)
{
	hear();
	say(BEGIN PROGRESS);
	wait_for_leave();
	_exit(atoi(argument));
}

static void part_gives_up_with_refusal(const char *argument)
{
	(void)argument;
	hear();
	say(BEGIN PROGRESS);
	wait_for_leave();
	say(REFUSAL END);
}

static void part_waits_to_be_stopped(const char *argument)
{
	(void)argument;
	say(BEGIN PROGRESS);
	sleep(SLEEP_SECONDS);
}

/* Changes the machine for longer than a run may take. */
static void part_changes(const char *argument)
{
	(void)argument;
	hear();
	say(BEGIN SETUP);
	usleep(500000);
	say(PROGRESS UNDO("0"));
	usleep(500000);
	say(UNDO("1") ANSWER END);
	wait_for_leave();
}

/* Puts the machine back for longer than any other agent may take to leave. */
static void part_undoes(const char *argument)
{
	(void)argument;
	say(BEGIN SETUP PROGRESS);
	wait_for_leave();
	sleep(6);
	say(UNDO("0"));
	sleep(6);
	say(UNDO("1") ANSWER END);
}

/* Has done so, and stays. */
static void part_deaf_behind_undo(const char *argument)
{
	(void)argument;
	say(BEGIN SETUP PROGRESS UNDO("0") UNDO("1"));
	sleep(SLEEP_SECONDS);
}

/* Leaves a process in its group that has the pipe open. */
static void part_leaves_a_child(const char *argument)
{
	(void)argument;
	hear();
	if (!fork()) {
		sleep(SLEEP_SECONDS);
		_exit(9);
	}
	say(GOOD);
}

static void part_touches(const char *argument)
{
	close(open(argument, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	part_good(NULL);
}

static const struct part {
	const char *name;
	void (*play)(const char *argument);
} parts[] = {
	{"cut", part_cut},
	{"good", part_good},
	{"say", part_say},
	{"job-length", part_job_length},
	{"does-not-listen", part_does_not_listen},
	{"exits", part_exits},
	{"exits-behind-answer", part_exits_behind_answer},
	{"exits-behind-refusal", part_exits_behind_refusal},
	{"dies", part_dies},
	{"dies-behind-answer", part_dies_behind_answer},
	{"silent", part_silent},
	{"late", part_late},
	{"deaf", part_deaf},
	{"deaf-behind-answer", part_deaf_behind_answer},
	{"closes-output", part_closes_output},
	{"long-line", part_long_line},
	{"floods", part_floods},
	{"floods-deaf", part_floods_deaf},
	{"stops", part_stops},
	{"gives-up", part_gives_up},
	{"gives-up-with-refusal", part_gives_up_with_refusal},
	{"waits-to-be-stopped", part_waits_to_be_stopped},
	{"changes", part_changes},
	{"undoes", part_undoes},
	{"deaf-behind-undo", part_deaf_behind_undo},
	{"leaves-a-child", part_leaves_a_child},
	{"touches", part_touches},
};

__attribute__((noreturn)) static void play(const char *part)
{
	const struct rlimit no_core = {0, 0};
	size_t length = strcspn(part, ":");

	setrlimit(RLIMIT_CORE, &no_core);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (strlen(parts[i].name) == length && !memcmp(parts[i].name, part, length)) {
			parts[i].play(part[length] ? part + length + 1 : "");
			_exit(0);
		}
	}
	_exit(99);
}

/* ---- the other side ---- */

static char own_path[] = "/proc/self/exe";
static int stop_pipe[2]; /* a byte in it: stop */

struct seen {
	int calls;
	bool stop; /* at the first one */
};

static void see(void *context, const char *phase, double share)
{
	struct seen *seen = context;

	if (!text_equal(phase, "setup") && !text_equal(phase, "undo")) {
		assert_string_equal(phase, "window");
		assert_true(share == 0.5);
	}
	if (!seen->calls++ && seen->stop)
		assert_int_equal(write(stop_pipe[1], "x", 1), 1);
}

static json_t *params; /* of the job */

struct result {
	bool ok, crashed;
	json_t *answer;
	struct error err;
	struct seen seen;
};

static void result_done(struct result *r)
{
	json_decref(r->answer);
}

/* Asserts that no child is left; killed ones that were somebody else's come to us, too. */
static void expect_no_child(void)
{
	int status;

	while (waitpid(-1, &status, 0) > 0)
		assert_string_equal(child_status_text(status), "killed by SIGKILL");
	assert_int_equal(errno, ECHILD);
}

static size_t count_descriptors(void)
{
	DIR *dir __free(dir) = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(dir))
		count++;
	return count;
}

static void ask(struct result *r, const char *part, int64_t limit_ns, bool stop)
{
	const struct wire_request request = {
		.job = WIRE_RUN,
		.id = "t",
		.workload = "null",
		.params = params,
	};
	const struct target_watch watch = {
		.progress = see,
		.context = &r->seen,
		.stop_fd = stop_pipe[0],
	};
	size_t descriptors = count_descriptors();

	*r = (struct result){.seen.stop = stop, .crashed = true};
	setenv("FAKE_AGENT", part, 1);
	r->ok = target_local.ask(&request, limit_ns, &watch, &r->answer, &r->crashed, &r->err);
	unsetenv("FAKE_AGENT");
	expect_no_child();
	assert_int_equal(count_descriptors(), descriptors);
	if (r->ok)
		assert_int_equal(r->err.code, ERROR_NONE);
	else
		assert_null(r->answer);
}

static int64_t answer_x(const struct result *r)
{
	if (!r->ok)
		fail_msg("%s", r->err.text);
	return json_integer_value(json_object_get(r->answer, "x"));
}

static void expect_failure(const struct result *r, enum error_code code, const char *text)
{
	assert_false(r->ok);
	assert_string_equal(r->err.text, text);
	assert_int_equal(r->err.code, code);
}

#define LONG (60 * NS_PER_SEC)
#define SHORT (200 * NS_PER_MS)

static int set_up(void **state)
{
	(void)state;
	setenv("CONTEND_AGENT", own_path, 1);
	return pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK);
}

static int tear_down(void **state)
{
	(void)state;
	close(stop_pipe[0]);
	close(stop_pipe[1]);
	json_decref(params);
	params = NULL;
	return 0;
}

#define LOCAL_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static void a_good_answer(void **state)
{
	struct result r __cleanup(result_done);

	(void)state;
	ask(&r, "good", LONG, false);
	assert_int_equal(answer_x(&r), 1);
	assert_false(r.crashed);
	assert_int_equal(r.seen.calls, 1);
}

/* Gives the job a million bytes, which no pipe holds. */
static void lengthen_job(void)
{
	char *value __free(memory) = memory_alloc(1000001);

	memset(value, 'v', 1000000);
	params = json_pack("{s:s}", "p", value);
}

/* Read by a slow agent, or not at all. */
static void a_long_job(void **state)
{
	(void)state;
	lengthen_job();
	struct result r __cleanup(result_done);
	struct result deaf __cleanup(result_done);

	ask(&r, "job-length", LONG, false);
	assert_in_range(answer_x(&r), 1000000, 1000200);
	ask(&deaf, "does-not-listen", LONG, false);
	assert_int_equal(answer_x(&deaf), 1);
}

static void answers_cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t length = 0; length < strlen(GOOD); length++) {
		struct result r __cleanup(result_done);
		char *part __free(memory) = text_format("cut:%zu", length);
		char *message __free(memory) = NULL;
		size_t lines = 0;

		for (size_t i = 0; i < length; i++)
			lines += GOOD[i] == '\n';
		message = text_format("agent's answer was cut after %zu line%s (exit status 0)",
				      lines, lines == 1 ? "" : "s");
		ask(&r, part, LONG, false);
		expect_failure(&r, ERROR_DATA, message);
		assert_false(r.crashed);
	}
}

static void answers_that_are_none(void **state)
{
	static const struct {
		const char *says, *message;
	} cases[] = {
		{BEGIN ANSWER ANSWER END, "agent's answer: line 3: 'answer' is out of turn"},
		{BEGIN "{\"contend\":1,\"type\":\"answer\",\"id\":\"u\",\"answer\":1}\n" END,
		 "agent's answer: line 2: is about job 'u', not 't'"},
		{GOOD "more\n", "agent's answer: line 5: text behind the end"},
		{GOOD "more", "agent's answer: text behind the end"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct result r __cleanup(result_done);
		char *part __free(memory) = text_format("say:%s", cases[i].says);

		ask(&r, part, LONG, false);
		expect_failure(&r, ERROR_DATA, cases[i].message);
		assert_false(r.crashed);
	}

	struct result r __cleanup(result_done);

	ask(&r, "say:bash: no such file\n", LONG, false);
	assert_true(text_starts(r.err.text, "agent's answer: line 1: "));
	assert_int_equal(r.err.code, ERROR_DATA);
}

static void refusals(void **state)
{
	struct result r __cleanup(result_done);
	struct result status __cleanup(result_done);

	(void)state;
	ask(&r, "say:" BEGIN REFUSAL END, LONG, false);
	expect_failure(&r, ERROR_UNSUPPORTED, "no such");
	/* How it ends is no news then. */
	ask(&status, "exits-behind-refusal:3", LONG, false);
	expect_failure(&status, ERROR_UNSUPPORTED, "no such");
	assert_false(status.crashed);
}

static void exit_statuses(void **state)
{
	struct result first __cleanup(result_done);
	struct result behind __cleanup(result_done);

	(void)state;
	ask(&first, "exits:3", LONG, false);
	expect_failure(&first, ERROR_DATA, "agent's answer was cut after 0 lines (exit status 3)");
	assert_false(first.crashed);
	/* An agent that could not tidy up is not to be believed. */
	ask(&behind, "exits-behind-answer:3", LONG, false);
	expect_failure(&behind, ERROR_SYSTEM, "agent ended with exit status 3 behind its answer");
	assert_false(behind.crashed);
}

static void crashes(void **state)
{
	static const int signals[] = {SIGSEGV, SIGKILL, SIGABRT, SIGTERM};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct result r __cleanup(result_done);
		struct result behind __cleanup(result_done);
		char *part __free(memory) = text_format("dies:%d", signals[i]);
		char *part_behind __free(memory) = text_format("dies-behind-answer:%d", signals[i]);
		char *message __free(memory) =
			text_format("agent killed by SIG%s", sigabbrev_np(signals[i]));

		ask(&r, part, LONG, false);
		expect_failure(&r, ERROR_SYSTEM, message);
		assert_true(r.crashed);
		ask(&behind, part_behind, LONG, false);
		expect_failure(&behind, ERROR_SYSTEM, message);
		assert_true(behind.crashed);
	}
}

static void timeouts(void **state)
{
	static const char *const polite[] = {"silent", "late", "floods"};

	(void)state;
	for (size_t i = 0; i < sizeof(polite) / sizeof(*polite); i++) {
		struct result r __cleanup(result_done);

		ask(&r, polite[i], SHORT, false);
		expect_failure(&r, ERROR_TIMEOUT, "agent did not answer within 0.2 s");
		assert_false(r.crashed);
		if (text_equal(polite[i], "floods"))
			assert_true(r.seen.calls > 0);
	}

	struct result none __cleanup(result_done);

	ask(&none, "silent", -NS_PER_SEC, false);
	assert_int_equal(none.err.code, ERROR_TIMEOUT);
}

/*
 * These do not leave when they are told to, and are killed; but not one that puts the machine back.
 * None of them reads its job.
 */
static const struct deaf {
	const char *part;
	int64_t limit_ns;
	bool stop;
	enum error_code code;
	const char *message;
} deaf_parts[] = {
	{"deaf", SHORT, false, ERROR_TIMEOUT, "agent did not answer within 0.2 s"},
	{"floods-deaf", SHORT, false, ERROR_TIMEOUT, "agent did not answer within 0.2 s"},
	{"deaf-behind-answer", LONG, false, ERROR_TIMEOUT,
	 "agent still ran 5 s after its answer and was killed"},
	{"deaf-behind-undo", SHORT, false, ERROR_TIMEOUT, "agent did not answer within 0.2 s"},
	{"waits-to-be-stopped", LONG, true, ERROR_INTERRUPTED, "stopped"},
	{"undoes", LONG, true, ERROR_NONE, ""},
};

enum { DEAF_COUNT = sizeof(deaf_parts) / sizeof(*deaf_parts), PLAYED_WELL = 7 };

/* One of them, in a process of its own. */
static int ask_deaf(const char *number)
{
	const struct deaf *deaf = &deaf_parts[atoi(number)];
	struct result r __cleanup(result_done) = {0};

	if (set_up(NULL))
		return 1;
	lengthen_job();
	ask(&r, deaf->part, deaf->limit_ns, deaf->stop);
	fprintf(stderr, "# %s: %s\n", deaf->part, r.err.text);
	tear_down(NULL);
	return r.ok == (deaf->code == ERROR_NONE) && !r.crashed && r.err.code == deaf->code &&
			       text_equal(r.err.text, deaf->message)
		       ? PLAYED_WELL
		       : 1;
}

static void expect_played_well(struct child *child)
{
	int status = -1;

	while (!child_reap(child, clock_now_ns() + NS_PER_SEC, &status))
		;
	assert_int_equal(status, PLAYED_WELL << 8);
}

/* All at once: each takes the whole grace. */
static void agents_that_do_not_leave(void **state)
{
	struct child children[DEAF_COUNT];
	char *argv[] = {own_path, NULL};
	struct error err = {0};

	(void)state;
	for (int i = 0; i < DEAF_COUNT; i++) {
		char *number __free(memory) = text_format("%d", i);

		setenv("ASK_DEAF", number, 1);
		if (!child_start(&children[i], argv, &err))
			fail_msg("%s", err.text);
	}
	unsetenv("ASK_DEAF");
	for (int i = 0; i < DEAF_COUNT; i++) {
		expect_played_well(&children[i]);
		child_done(&children[i]);
	}
}

/* The limit is the run's. */
static void changes_of_the_machine(void **state)
{
	struct result r __cleanup(result_done);

	(void)state;
	ask(&r, "changes", SHORT, false);
	assert_int_equal(answer_x(&r), 1);
	assert_int_equal(r.seen.calls, 4);
}

static void closed_output(void **state)
{
	struct result r __cleanup(result_done);

	(void)state;
	ask(&r, "closes-output", LONG, false);
	expect_failure(&r, ERROR_DATA, "agent's answer was cut after 1 line (exit status 0)");
}

static void a_line_of_70_mb(void **state)
{
	struct result r __cleanup(result_done);

	(void)state;
	ask(&r, "long-line", LONG, false);
	expect_failure(&r, ERROR_DATA, "agent's answer: line 2 has more than 67108864 bytes");
	assert_false(r.crashed);
}

static void stops(void **state)
{
	static const char *const parts_that_stop[] = {"gives-up:0", "gives-up:3"};
	char byte;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct result r __cleanup(result_done);

		ask(&r, parts_that_stop[i], LONG, true);
		expect_failure(&r, ERROR_INTERRUPTED, "stopped");
		assert_false(r.crashed);
		/* The byte is not ours to read. */
		assert_int_equal(read(stop_pipe[0], &byte, 1), 1);
	}

	struct result refused __cleanup(result_done);

	ask(&refused, "gives-up-with-refusal", LONG, true);
	expect_failure(&refused, ERROR_UNSUPPORTED, "no such");
	assert_int_equal(read(stop_pipe[0], &byte, 1), 1);

	/* What it has is an answer, if it is whole. */
	struct result whole __cleanup(result_done);

	ask(&whole, "stops", LONG, true);
	assert_int_equal(answer_x(&whole), 1);
	assert_int_equal(whole.seen.calls, 2);
}

/* A new folder, which the test removes. Owned by the caller. */
static char *scratch_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = text_format("%s/local-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	assert_non_null(mkdtemp(folder));
	return folder;
}

static void stopped_before_it_starts(void **state)
{
	char *folder __free(memory) = scratch_folder();
	char *mark __free(memory) = text_format("%s/mark", folder);
	char *part __free(memory) = text_format("touches:%s", mark);
	char byte;
	struct result r __cleanup(result_done);
	struct result started __cleanup(result_done);

	(void)state;
	assert_int_equal(write(stop_pipe[1], "x", 1), 1);
	ask(&r, part, LONG, false);
	expect_failure(&r, ERROR_INTERRUPTED, "stopped");
	assert_int_not_equal(access(mark, F_OK), 0);

	assert_int_equal(read(stop_pipe[0], &byte, 1), 1);
	ask(&started, part, LONG, false);
	assert_int_equal(answer_x(&started), 1);
	assert_int_equal(remove(mark), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void children_of_the_agent(void **state)
{
	struct result r __cleanup(result_done);

	(void)state;
	ask(&r, "leaves-a-child", LONG, false);
	assert_int_equal(answer_x(&r), 1);
}

static void agents_that_cannot_be_started(void **state)
{
	struct result missing __cleanup(result_done);
	struct result folder __cleanup(result_done);

	(void)state;
	setenv("CONTEND_AGENT", "/nowhere/agent", 1);
	ask(&missing, "good", LONG, false);
	expect_failure(&missing, ERROR_SYSTEM,
		       "start the agent: execute /nowhere/agent: No such file or directory");
	assert_false(missing.crashed);
	setenv("CONTEND_AGENT", "/tmp", 1);
	ask(&folder, "good", LONG, false);
	expect_failure(&folder, ERROR_SYSTEM, "start the agent: execute /tmp: Permission denied");
}

static void copy_self(const char *to)
{
	struct text bytes __text = {0};
	struct error err = {0};
	int fd __free(fd) = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	assert_true(fd >= 0);
	if (!file_read("", own_path, SIZE_MAX / 2, &bytes, &err) ||
	    !file_write_all(fd, bytes.bytes, bytes.length, &err))
		fail_msg("%s", err.text);
}

/* What the copy of this program in the next test does: ask for one answer. */
static int ask_beside(void)
{
	struct result r __cleanup(result_done);

	unsetenv("CONTEND_AGENT");
	stop_pipe[0] = -1;
	ask(&r, "good", LONG, false);
	if (!r.ok)
		fprintf(stderr, "# %s\n", r.err.text);
	return r.ok && answer_x(&r) == 1 ? PLAYED_WELL : 1;
}

/* Without $CONTEND_AGENT the agent is the contend-agent beside the program. */
static void the_agent_beside(void **state)
{
	char *folder __free(memory) = scratch_folder();
	char *program __free(memory) = text_format("%s/program", folder);
	char *agent __free(memory) = text_format("%s/contend-agent", folder);
	char *argv[] = {program, NULL};
	struct child child __cleanup(child_done) = CHILD_NONE;
	struct error err = {0};

	(void)state;
	copy_self(program);
	copy_self(agent);
	setenv("ASK_BESIDE", "1", 1);
	if (!child_start(&child, argv, &err))
		fail_msg("%s", err.text);
	unsetenv("ASK_BESIDE");
	expect_played_well(&child);
	assert_int_equal(remove(program), 0);
	assert_int_equal(remove(agent), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOCAL_TEST(a_good_answer),
		LOCAL_TEST(a_long_job),
		LOCAL_TEST(answers_cut_at_every_byte),
		LOCAL_TEST(answers_that_are_none),
		LOCAL_TEST(refusals),
		LOCAL_TEST(exit_statuses),
		LOCAL_TEST(crashes),
		LOCAL_TEST(timeouts),
		LOCAL_TEST(agents_that_do_not_leave),
		LOCAL_TEST(changes_of_the_machine),
		LOCAL_TEST(closed_output),
		LOCAL_TEST(a_line_of_70_mb),
		LOCAL_TEST(stops),
		LOCAL_TEST(stopped_before_it_starts),
		LOCAL_TEST(children_of_the_agent),
		LOCAL_TEST(agents_that_cannot_be_started),
		LOCAL_TEST(the_agent_beside),
	};
	const char *part = getenv("FAKE_AGENT");

	if (part)
		play(part);
	/* Orphans of an agent come to us instead of to init. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	if (getenv("ASK_DEAF"))
		return ask_deaf(getenv("ASK_DEAF"));
	if (getenv("ASK_BESIDE"))
		return ask_beside();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
