// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* Children of this process that are somebody's and not reaped. */
static unsigned int known;

/* In the child, between fork and whatever comes next. */
static void settle(pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before the line above; nobody would ever kill us then. */
	if (getppid() != parent)
		_exit(127);
	setpgid(0, 0);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Whoever started this program may have ignored SIGCHLD, which exec hands down. The kernel would
 * then reap our children itself: no wait status, and waitpid() fails for ever.
 */
static void keep_status(void)
{
	struct sigaction action;

	if (!sigaction(SIGCHLD, NULL, &action) && action.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

int child_fork(struct child *ret_child, struct error *err)
{
	pid_t parent = getpid();
	sigset_t all, old;
	pid_t pid;
	int pidfd;

	keep_status();
	/* No handler of the parent may run in the child before settle() has removed them. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (!pid) {
		known = 0;
		settle(parent);
		return 0;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0) {
		error_set_errno(err, "fork");
		return -1;
	}
	/* Both sides do it: whoever needs the group first finds it. */
	setpgid(pid, pid);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0) {
		error_set_errno(err, "pidfd_open");
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return -1;
	}
	known++;
	*ret_child = (struct child){.pid = pid, .pidfd = pidfd, .input = -1, .output = -1};
	return 1;
}

/* Makes fd 0 or 1 of a child; a descriptor that has the number already must lose close-on-exec. */
static bool become(int fd, int number)
{
	if (fd == number)
		return !fcntl(fd, F_SETFD, 0);
	return dup2(fd, number) == number;
}

bool child_start(struct child *ret_child, char *const argv[], struct error *err)
{
	struct child c = CHILD_NONE;
	int in[2], out[2], report[2];
	int failure = 0;
	ssize_t n;

	if (pipe2(in, O_CLOEXEC))
		return error_set_errno(err, "pipe");
	int in_child __free(fd) = in[0], in_ours __free(fd) = in[1];

	if (pipe2(out, O_CLOEXEC))
		return error_set_errno(err, "pipe");
	int out_ours __free(fd) = out[0], out_child __free(fd) = out[1];

	/* Closed by a successful exec, otherwise it carries errno. */
	if (pipe2(report, O_CLOEXEC))
		return error_set_errno(err, "pipe");
	int report_ours __free(fd) = report[0], report_child __free(fd) = report[1];

	switch (child_fork(&c, err)) {
	case -1:
		return false;
	case 0:
		/* It learns of our end by its input, and is not to be killed while it tidies up. */
		prctl(PR_SET_PDEATHSIG, 0);
		if (become(in_child, STDIN_FILENO) && become(out_child, STDOUT_FILENO))
			execv(argv[0], argv);
		failure = errno;
		n = write(report_child, &failure, sizeof(failure));
		_exit(n == sizeof(failure) ? 127 : 126);
	}
	close(take_fd(report_child));
	close(take_fd(in_child));
	close(take_fd(out_child));
	do {
		n = read(report_ours, &failure, sizeof(failure));
	} while (n < 0 && errno == EINTR);
	if (n) {
		child_done(&c);
		errno = n == sizeof(failure) ? failure : EIO;
		return error_set_errno(err, "execute %s", argv[0]);
	}
	fcntl(out_ours, F_SETFL, O_NONBLOCK);
	c.input = take_fd(in_ours);
	c.output = take_fd(out_ours);
	*ret_child = c;
	return true;
}

bool child_reap(struct child *c, int64_t deadline_ns, int *ret_status)
{
	/* waitpid(0) would take somebody else's child. */
	assert(c->pid > 0);
	for (;;) {
		struct pollfd ended = {.fd = c->pidfd, .events = POLLIN};
		int64_t left_ms = 0;
		int status;
		pid_t pid;

		if (deadline_ns) {
			left_ms = (deadline_ns - clock_now_ns() + NS_PER_MS - 1) / NS_PER_MS;
			left_ms = left_ms < 0 ? 0 : left_ms > 60000 ? 60000 : left_ms;
		}
		poll(&ended, 1, (int)left_ms);
		do {
			pid = waitpid(c->pid, &status, WNOHANG);
		} while (pid < 0 && errno == EINTR);
		if (pid == c->pid) {
			known--;
			c->pid = 0;
			*ret_status = status;
			return true;
		}
		if (!deadline_ns || clock_now_ns() >= deadline_ns)
			return false;
	}
}

void child_done(struct child *c)
{
	if (c->pid) {
		int status;

		/* The group first: it may hold grandchildren that outlive the child. */
		kill(-c->pid, SIGKILL);
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
			;
		known--;
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (c->input >= 0)
		close(c->input);
	if (c->output >= 0)
		close(c->output);
	*c = (struct child)CHILD_NONE;
}

void child_reap_strays(void)
{
	while (!known && waitpid(-1, NULL, WNOHANG) > 0)
		;
}

const char *child_status_text(int status)
{
	static _Thread_local char text[64];
	const char *word = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (WIFEXITED(status))
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	else if (word)
		snprintf(text, sizeof(text), "killed by SIG%s", word);
	else if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "killed by signal %d", WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "wait status %#x", (unsigned int)status);
	return text;
}
