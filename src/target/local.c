// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/sibling.h"
#include "base/text.h"
#include "target/reply.h"

/* This machine: the agent is a child process, the lines go through pipes. */

enum {
	/* As much as a pipe usually holds; not on the stack, which a limit may make small. */
	READ_BYTES = 64 << 10,
	/* More than any pipe holds (fs.pipe-max-size is 1 MiB, root may go beyond). */
	DRAIN_READS = 64,
	/* How long an agent that was told to leave may take to undo and exit. */
	GRACE_SECONDS = 5,
	/*
	 * How long one that changes the machine may take for a step of that, or to come to the next
	 * one: to swap an area off means to read all that is in it. One that is killed meanwhile
	 * leaves the machine changed.
	 */
	CHANGE_SECONDS = 600,
	/* What all of these steps may take beyond the limit of a job. */
	CHANGES_SECONDS = 3600,
	/* How long one may take to say that it has the machine. */
	HOLD_SECONDS = 30,
};

/* Why the agent was told to leave. */
enum leave {
	LEAVE_NOT,
	LEAVE_ENDED,   /* its reply is whole, or its output closed */
	LEAVE_DAMAGED, /* what it says is not a reply; it may still have something to undo */
	LEAVE_STOPPED,
	LEAVE_TIMEOUT,
};

/* A job on its way. */
struct talk {
	struct child agent;
	struct reply reply;
	struct text job; /* the job line, and how much of it the agent has */
	size_t sent;
	bool output_open;
	char *chunk; /* READ_BYTES, for what the agent says */
	enum leave leave;
	struct error damage; /* LEAVE_DAMAGED */
	int64_t limit_ns, deadline_ns;
	const struct target_watch *asked; /* who else is told of progress */
	struct target_watch watch;	  /* sees it first */
	int64_t latest_ns;		  /* up to here its steps put the deadline off */
	bool setting_up;
	bool changed; /* by what it says it has changed the machine, or is about to */
	bool exited;  /* on its own, within the grace */
	int status;
};

static void talk_done(struct talk *t)
{
	child_done(&t->agent);
	/* An agent that died leaves its workers to us where we are PID 1, as in a container. */
	child_reap_strays();
	reply_done(&t->reply);
	text_done(&t->job);
	free(t->chunk);
}

/* The agent that has the machine for the experiment; its pid is 0 where none has. */
static struct talk holding = {.agent = CHILD_NONE};

static bool start(struct talk *t, const struct wire_request *asked, struct error *err)
{
	struct wire_request request = *asked;

	request.holder = holding.agent.pid;

	json_t *job __free(json) = wire_request_to_json(&request);
	char *line __free(memory) = json_line(job);
	char *path __free(memory) =
		sibling_find("contend-agent", "CONTEND_AGENT", CONTEND_BINDIR, err);
	char *argv[] = {path, NULL};

	if (!path || !child_start(&t->agent, argv, err))
		return error_wrap(err, "start the agent");
	t->output_open = true;
	/* A job may be larger than the pipe, and the agent may not read it. */
	fcntl(t->agent.input, F_SETFL, O_NONBLOCK);
	text_printf(&t->job, "%s\n", line);
	return true;
}

/* From now; saturated. */
static int64_t in(int64_t ns)
{
	int64_t then;

	return __builtin_add_overflow(clock_now_ns(), ns, &then) ? INT64_MAX : then;
}

static void put_off(struct talk *t, int64_t ns)
{
	t->deadline_ns = in(ns) < t->latest_ns ? in(ns) : t->latest_ns;
}

/*
 * The limit of a job is one of the run. What it takes to set the machine up for it, and to put it
 * back, is not part of that: the agent says when it does.
 */
static void note_progress(void *context, const char *phase, double share)
{
	struct talk *t = context;
	bool undo = text_equal(phase, WIRE_PHASE_UNDO);
	bool setup = text_equal(phase, WIRE_PHASE_SETUP);

	if (setup || (undo && share < 1))
		put_off(t, CHANGE_SECONDS * NS_PER_SEC);
	else if (undo ? t->changed : t->setting_up && t->leave == LEAVE_NOT)
		put_off(t, t->leave == LEAVE_NOT ? t->limit_ns : GRACE_SECONDS * NS_PER_SEC);
	t->setting_up = setup;
	t->changed = undo ? share < 1 : t->changed || setup;
	if (t->asked->progress)
		t->asked->progress(t->asked->context, phase, share);
}

/* Tells the agent to leave: the end of its input does. */
static void tell_to_leave(struct talk *t, enum leave why)
{
	t->leave = why;
	if (t->changed)
		put_off(t, CHANGE_SECONDS * NS_PER_SEC);
	else
		t->deadline_ns = in(GRACE_SECONDS * NS_PER_SEC);
	close(take_fd(t->agent.input));
}

static void send_job(struct talk *t)
{
	ssize_t n = write(t->agent.input, t->job.bytes + t->sent, t->job.length - t->sent);

	if (n > 0)
		t->sent += (size_t)n;
	else if (n < 0 && errno == EPIPE)
		/* It does not want the rest. What it answers, or how it dies, says why. */
		t->sent = t->job.length;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		error_set_errno(&t->damage, "send the job to the agent");
}

/* Reads once. True when there may be more right now. */
static bool read_output(struct talk *t)
{
	ssize_t n = read(t->agent.output, t->chunk, READ_BYTES);

	if (n > 0) {
		/* Once it is damaged the rest is read only to keep the agent from hanging. */
		if (t->damage.code == ERROR_NONE)
			reply_feed(&t->reply, t->chunk, (size_t)n, &t->damage);
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	if (!n || errno != EAGAIN)
		t->output_open = false;
	return false;
}

/* The agent has ended: reads what it left in the pipe and why it ended. */
static void take_leave(struct talk *t)
{
	/* While it waits to be reaped its group cannot be anybody else's. */
	kill(-t->agent.pid, SIGKILL);
	/* Bounded: a stranger that has inherited the pipe may still write. */
	for (int i = 0; t->output_open && i < DRAIN_READS && read_output(t); i++)
		;
	t->exited = child_reap(&t->agent, 0, &t->status);
}

static int timeout_ms(int64_t deadline_ns)
{
	int64_t left = deadline_ns - clock_now_ns();

	if (left <= 0)
		return 0;
	/* Rounded up, or the last millisecond would be spun through. */
	return left > 60 * NS_PER_SEC ? 60000 : (int)((left + NS_PER_MS - 1) / NS_PER_MS);
}

/* Talks until the agent has ended or must be killed, or *enough (NULL: never). */
static void converse(struct talk *t, int stop_fd, const bool *enough)
{
	while (!enough || !*enough) {
		bool here = t->leave == LEAVE_NOT;
		bool unsent = here && t->sent < t->job.length;
		struct pollfd fds[] = {
			{.fd = t->output_open ? t->agent.output : -1, .events = POLLIN},
			{.fd = t->agent.pidfd, .events = POLLIN},
			{.fd = unsent ? t->agent.input : -1, .events = POLLOUT},
			{.fd = here ? stop_fd : -1, .events = POLLIN},
		};

		/* Interrupted by a signal: nothing is ready, the clock is looked at below. */
		if (poll(fds, sizeof(fds) / sizeof(*fds), timeout_ms(t->deadline_ns)) < 0)
			memset(fds, 0, sizeof(fds));
		if (fds[1].revents) {
			take_leave(t);
			return;
		}
		if (fds[2].revents)
			send_job(t);
		if (fds[0].revents)
			read_output(t);
		if (!here) {
			if (clock_now_ns() >= t->deadline_ns)
				return;
		} else if (t->damage.code != ERROR_NONE) {
			tell_to_leave(t, LEAVE_DAMAGED);
		} else if (t->reply.state == REPLY_ENDED || !t->output_open) {
			tell_to_leave(t, LEAVE_ENDED);
		} else if (fds[3].revents) {
			tell_to_leave(t, LEAVE_STOPPED);
		} else if (clock_now_ns() >= t->deadline_ns) {
			tell_to_leave(t, LEAVE_TIMEOUT);
		}
	}
}

/* What came of it. */
static bool conclude(struct talk *t, json_t **ret_answer, bool *ret_crashed, struct error *err)
{
	bool clean = t->exited && !t->status && t->damage.code == ERROR_NONE;
	json_t *answer __free(json) = NULL;
	bool answered;

	if (t->changed && !t->exited)
		return error_set(err, ERROR_TIMEOUT,
				 "agent did not come to an end of putting the machine back and was "
				 "killed: `contend undo` goes on with it");
	/* A whole answer that comes too late is not one: the next run would be given less time. */
	if (t->leave == LEAVE_TIMEOUT)
		return error_set(err, ERROR_TIMEOUT, "agent did not answer within %.4g s",
				 (double)t->limit_ns / NS_PER_SEC);
	if (t->leave == LEAVE_STOPPED && (!clean || t->reply.state != REPLY_ENDED))
		return error_set(err, ERROR_INTERRUPTED, "stopped");
	if (t->damage.code != ERROR_NONE)
		return error_set(err, t->damage.code, "%s", t->damage.text);
	if (t->exited && WIFSIGNALED(t->status)) {
		*ret_crashed = true;
		return error_set(err, ERROR_SYSTEM, "agent %s", child_status_text(t->status));
	}
	answered = reply_take(&t->reply, &answer, err);
	if (answered && !t->exited)
		return error_set(err, ERROR_TIMEOUT,
				 "agent still ran %d s after its answer and was killed",
				 GRACE_SECONDS);
	if (answered && !clean)
		return error_set(err, ERROR_SYSTEM, "agent ended with %s behind its answer",
				 child_status_text(t->status));
	if (!answered) {
		size_t used = strlen(err->text);

		if (t->reply.state != REPLY_ENDED && t->exited)
			snprintf(err->text + used, sizeof(err->text) - used, " (%s)",
				 child_status_text(t->status));
		return false;
	}
	*ret_answer = take(answer);
	return true;
}

static bool local_ask(const struct wire_request *request, int64_t limit_ns,
		      const struct target_watch *watch, json_t **ret_answer, bool *ret_crashed,
		      struct error *err)
{
	struct talk t __cleanup(talk_done) = {
		.agent = CHILD_NONE,
		.chunk = memory_alloc(READ_BYTES),
		.limit_ns = limit_ns,
	};
	struct pollfd stop = {.fd = watch->stop_fd, .events = POLLIN};

	*ret_crashed = false;
	if (poll(&stop, 1, 0) > 0)
		return error_set(err, ERROR_INTERRUPTED, "stopped");
	t.asked = watch;
	t.watch = *watch;
	t.watch.progress = note_progress;
	t.watch.context = &t;
	t.deadline_ns = in(limit_ns);
	if (__builtin_add_overflow(t.deadline_ns, CHANGES_SECONDS * NS_PER_SEC, &t.latest_ns))
		t.latest_ns = INT64_MAX;
	reply_init(&t.reply, request->id, &t.watch);
	if (!start(&t, request, err))
		return false;
	converse(&t, watch->stop_fd, NULL);
	return conclude(&t, ret_answer, ret_crashed, err);
}

static void note_held(void *context, const char *phase __attribute__((unused)),
		      double share __attribute__((unused)))
{
	*(bool *)context = true;
}

/* Its agent answers when it is told to leave, and says before that it has what it was asked for. */
static bool local_hold(int stop_fd, struct error *err)
{
	static bool held;
	static const struct target_watch watch = {
		.progress = note_held, .context = &held, .stop_fd = -1};
	static const struct wire_request request = {.job = WIRE_HOLD, .id = "hold"};
	struct talk t __cleanup(talk_done) = {
		.agent = CHILD_NONE,
		.chunk = memory_alloc(READ_BYTES),
		.limit_ns = HOLD_SECONDS * NS_PER_SEC,
	};
	json_t *answer __free(json) = NULL;
	bool crashed;

	if (holding.agent.pid)
		return true;
	held = false;
	t.deadline_ns = clock_now_ns() + t.limit_ns;
	reply_init(&t.reply, request.id, &watch);
	if (!start(&t, &request, err))
		return false;
	converse(&t, stop_fd, &held);
	if (!held)
		return conclude(&t, &answer, &crashed, err);
	holding = t;
	t = (struct talk){.agent = CHILD_NONE};
	return true;
}

static void local_release(void)
{
	if (!holding.agent.pid)
		return;
	tell_to_leave(&holding, LEAVE_ENDED);
	converse(&holding, -1, NULL);
	talk_done(&holding);
	holding = (struct talk){.agent = CHILD_NONE};
}

const struct target target_local = {
	.name = "local",
	.summary = "this machine and the kernel that it runs",
	.ask = local_ask,
	.hold = local_hold,
	.release = local_release,
};
