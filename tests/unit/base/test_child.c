// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

DEFINE_FREE(child, struct child, child_done(&_T))

/* So far away that only a hang comes there. */
static int64_t far_ns(void)
{
	return clock_now_ns() + 60 * NS_PER_SEC;
}

static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Waits until the process of a pidfd has ended. */
static bool ended(int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	return poll(&p, 1, 60000) == 1;
}

static bool runs(int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	return poll(&p, 1, 0) == 0;
}

static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static int fork_checked(struct child *c)
{
	struct error err;
	int side = child_fork(c, &err);

	if (side < 0)
		fail_msg("%s", err.text);
	return side;
}

static void test_exit_status(void **state)
{
	struct child c __free(child) = CHILD_NONE;
	int status = -1;

	(void)state;
	if (!fork_checked(&c))
		_exit(3);
	assert_true(c.pid > 0);
	assert_true(c.pidfd >= 0);
	assert_int_equal(c.input, -1);
	assert_int_equal(c.output, -1);
	assert_true(fcntl(c.pidfd, F_GETFD) & FD_CLOEXEC);
	assert_true(child_reap(&c, far_ns(), &status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_int_equal(c.pid, 0);
}

/* What the child finds: a group of its own, default handlers, nothing blocked. */
static int check_inheritance(void)
{
	struct sigaction action;
	sigset_t mask;

	if (getpgrp() != getpid())
		return 1;
	for (int sig = 1; sig < NSIG; sig++) {
		if (!sigaction(sig, NULL, &action) && action.sa_handler != SIG_DFL)
			return 2;
	}
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int sig = 1; sig < NSIG; sig++) {
		if (sigismember(&mask, sig) == 1)
			return 3;
	}
	return 0;
}

static void nothing(int sig)
{
	(void)sig;
}

static void test_inheritance(void **state)
{
	struct child c __free(child) = CHILD_NONE;
	sigset_t block, before, after;
	int status = -1;

	(void)state;
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, nothing);
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigprocmask(SIG_SETMASK, NULL, &before);
	if (!fork_checked(&c))
		_exit(check_inheritance());
	sigprocmask(SIG_SETMASK, NULL, &after);
	/* The kernel fills only the first bytes of the set. */
	for (int sig = 1; sig < NSIG; sig++)
		assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
	sigprocmask(SIG_UNBLOCK, &block, NULL);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	/* The group is there when child_fork() returns, on either side. */
	assert_true(getpgid(c.pid) == c.pid || errno == ESRCH);
	assert_true(child_reap(&c, far_ns(), &status));
	assert_int_equal(status, 0);
}

static void test_reap_running(void **state)
{
	struct child c __free(child) = CHILD_NONE;
	int status = -1;

	(void)state;
	if (!fork_checked(&c))
		sleep_for_ever();
	assert_false(child_reap(&c, 0, &status));
	assert_false(child_reap(&c, 1, &status));
	assert_false(child_reap(&c, clock_now_ns() + NS_PER_MS, &status));
	assert_int_equal(status, -1);
	assert_true(c.pid > 0);
	kill(c.pid, SIGTERM);
	assert_true(child_reap(&c, far_ns(), &status));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* Whoever starts contend may have SIGCHLD ignored: the kernel reaps children itself then. */
static void test_ignored_sigchld(void **state)
{
	struct child c __free(child) = CHILD_NONE;
	int status = -1;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	if (!fork_checked(&c))
		_exit(7);
	assert_true(child_reap(&c, far_ns(), &status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	signal(SIGCHLD, SIG_DFL);
}

static void test_done(void **state)
{
	struct child none = CHILD_NONE;
	struct child c = CHILD_NONE;
	int pidfd __free(fd) = -1;
	int own;

	(void)state;
	child_done(&none);
	child_done(&none);

	if (!fork_checked(&c)) {
		signal(SIGTERM, SIG_IGN);
		sleep_for_ever();
	}
	pidfd = pidfd_of(c.pid);
	own = c.pidfd;
	assert_true(runs(pidfd));
	child_done(&c);
	assert_true(ended(pidfd));
	assert_int_equal(c.pid, 0);
	assert_int_equal(c.pidfd, -1);
	assert_int_equal(fcntl(own, F_GETFD), -1);
	/* Reaped, too: no zombie is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	child_done(&c);
}

/* A process that has to tell its pid to someone it is not the child of. */
static pid_t read_pid(int fd)
{
	pid_t pid;

	assert_int_equal(read(fd, &pid, sizeof(pid)), sizeof(pid));
	return pid;
}

static void write_pid(int fd)
{
	pid_t pid = getpid();

	if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
		_exit(126);
}

static void test_done_kills_group(void **state)
{
	struct child c = CHILD_NONE;
	int pidfd __free(fd) = -1;
	pid_t grandchild;
	int ends[2];

	(void)state;
	/* So that the orphan is ours to reap. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (!fork_checked(&c)) {
		/* A plain fork: nothing but the group ties it to anybody. */
		if (!fork()) {
			write_pid(ends[1]);
			sleep_for_ever();
		}
		sleep_for_ever();
	}
	grandchild = read_pid(ends[0]);
	pidfd = pidfd_of(grandchild);
	assert_true(pidfd >= 0);
	assert_true(runs(pidfd));
	child_done(&c);
	assert_true(ended(pidfd));
	assert_int_equal(waitpid(grandchild, NULL, 0), grandchild);
	close(ends[0]);
	close(ends[1]);
}

/* Nobody calls child_done() for a killed parent: the kernel does the work. */
static void test_dies_with_parent(void **state)
{
	struct child middle = CHILD_NONE;
	int pidfd __free(fd) = -1;
	pid_t grandchild;
	int ends[2];
	int status;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (!fork_checked(&middle)) {
		struct child c = CHILD_NONE;
		struct error err;

		if (!child_fork(&c, &err)) {
			write_pid(ends[1]);
			sleep_for_ever();
		}
		sleep_for_ever();
	}
	grandchild = read_pid(ends[0]);
	pidfd = pidfd_of(grandchild);
	assert_true(pidfd >= 0);
	assert_true(runs(pidfd));
	/* It is in a group of its own: killing the middle one alone does not reach it. */
	assert_int_equal(getpgid(grandchild), grandchild);
	kill(middle.pid, SIGKILL);
	assert_true(ended(pidfd));
	assert_int_equal(waitpid(grandchild, &status, 0), grandchild);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_true(child_reap(&middle, far_ns(), &status));
	child_done(&middle);
	close(ends[0]);
	close(ends[1]);
}

/* A process whose parent has died falls to this one. Returns its pid. */
static pid_t adopt(void)
{
	struct child middle = CHILD_NONE;
	pid_t stray;
	int ends[2];
	int status;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (!fork_checked(&middle)) {
		if (!fork()) {
			write_pid(ends[1]);
			sleep_for_ever();
		}
		_exit(0);
	}
	stray = read_pid(ends[0]);
	assert_true(child_reap(&middle, far_ns(), &status));
	child_done(&middle);
	close(ends[0]);
	close(ends[1]);
	return stray;
}

/* Kills it and waits until it is a zombie. */
static void kill_stray(pid_t stray)
{
	int pidfd __free(fd) = pidfd_of(stray);

	assert_true(pidfd >= 0);
	kill(stray, SIGKILL);
	assert_true(ended(pidfd));
}

static void test_reap_strays(void **state)
{
	struct child c = CHILD_NONE;
	pid_t stray = adopt();
	int status;

	(void)state;
	/* One that runs is left alone. */
	child_reap_strays();
	assert_int_equal(kill(stray, 0), 0);
	kill_stray(stray);
	child_reap_strays();
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);

	/* Nobody's status is taken from him. */
	stray = adopt();
	if (!fork_checked(&c))
		_exit(7);
	assert_true(ended(c.pidfd));
	kill_stray(stray);
	child_reap_strays();
	assert_true(child_reap(&c, far_ns(), &status));
	assert_int_equal(WEXITSTATUS(status), 7);
	child_done(&c);
	child_reap_strays();
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static bool start(struct child *c, const char *a, const char *b, const char *d, struct error *err)
{
	char *program __free(memory) = strdup(a);
	char *first __free(memory) = b ? strdup(b) : NULL;
	char *second __free(memory) = d ? strdup(d) : NULL;
	char *argv[] = {program, first, second, NULL};

	return child_start(c, argv, err);
}

static void test_start(void **state)
{
	struct child c __free(child) = CHILD_NONE;
	struct text answer __text = {0};
	struct error err;
	int status;

	(void)state;
	if (!start(&c, "/bin/cat", NULL, NULL, &err))
		fail_msg("%s", err.text);
	assert_true(fcntl(c.input, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(c.output, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(c.output, F_GETFL) & O_NONBLOCK);
	assert_false(fcntl(c.input, F_GETFL) & O_NONBLOCK);
	assert_true(file_write_all(c.input, "a job\n", 6, &err));
	close(take_fd(c.input));
	for (;;) {
		struct pollfd readable = {.fd = c.output, .events = POLLIN};
		char part[64];
		ssize_t n;

		assert_int_equal(poll(&readable, 1, 60000), 1);
		n = read(c.output, part, sizeof(part));
		assert_true(n >= 0);
		if (!n)
			break;
		text_append(&answer, part, (size_t)n);
	}
	assert_string_equal(text_string(&answer), "a job\n");
	assert_true(child_reap(&c, far_ns(), &status));
	assert_int_equal(status, 0);
}

static void test_start_status(void **state)
{
	struct child c __free(child) = CHILD_NONE;
	struct error err;
	int status;

	(void)state;
	assert_true(start(&c, "/bin/sh", "-c", "exit 3", &err));
	assert_true(child_reap(&c, far_ns(), &status));
	assert_string_equal(child_status_text(status), "exit status 3");
	child_done(&c);

	assert_true(start(&c, "/bin/sh", "-c", "kill -SEGV $$", &err));
	assert_true(child_reap(&c, far_ns(), &status));
	assert_string_equal(child_status_text(status), "killed by SIGSEGV");
	child_done(&c);

	/* 127 from a program that was started is its own affair, not ours. */
	assert_true(start(&c, "/bin/sh", "-c", "exit 127", &err));
	assert_true(child_reap(&c, far_ns(), &status));
	assert_string_equal(child_status_text(status), "exit status 127");
}

/* The same descriptors are free before and after. */
static int lowest_free_fd(void)
{
	int fd __free(fd) = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return fd;
}

static void test_start_failure(void **state)
{
	const struct child untouched = CHILD_NONE;
	struct child c = CHILD_NONE;
	int lowest = lowest_free_fd();
	struct error err;

	(void)state;
	assert_false(start(&c, "/nonexistent/program", NULL, NULL, &err));
	assert_int_equal(err.code, ERROR_SYSTEM);
	assert_string_equal(err.text, "execute /nonexistent/program: No such file or directory");
	assert_memory_equal(&c, &untouched, sizeof(c));

	assert_false(start(&c, "/etc/passwd", NULL, NULL, &err));
	assert_string_equal(err.text, "execute /etc/passwd: Permission denied");
	assert_false(start(&c, "/", NULL, NULL, &err));
	assert_string_equal(err.text, "execute /: Permission denied");
	/* No shell, no search path. */
	assert_false(start(&c, "true", NULL, NULL, &err));
	assert_false(start(&c, "/bin/true; true", NULL, NULL, &err));

	assert_int_equal(lowest_free_fd(), lowest);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Descriptors that any program started from here gets, whoever left them open. */
static int inherited_fds(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		count += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	return count;
}

/* The program gets its two ends, and none of the other descriptors that its start needs. */
static void test_start_descriptors(void **state)
{
	static const char script[] = "ls /proc/self/fd | wc -l";
	struct child c __free(child) = CHILD_NONE;
	int inherited = inherited_fds();
	struct pollfd readable;
	char answer[32] = "";
	struct error err;
	int status;

	(void)state;
	assert_true(start(&c, "/bin/sh", "-c", script, &err));
	readable = (struct pollfd){.fd = c.output, .events = POLLIN};
	assert_int_equal(poll(&readable, 1, 60000), 1);
	assert_true(read(c.output, answer, sizeof(answer) - 1) > 0);
	/* One more: the folder that ls reads. */
	assert_int_equal(atoi(answer), inherited + 1);
	assert_true(child_reap(&c, far_ns(), &status));
	assert_int_equal(status, 0);
}

static void test_status_text(void **state)
{
	(void)state;
	assert_string_equal(child_status_text(0), "exit status 0");
	assert_string_equal(child_status_text(3 << 8), "exit status 3");
	assert_string_equal(child_status_text(255 << 8), "exit status 255");
	assert_string_equal(child_status_text(SIGKILL), "killed by SIGKILL");
	assert_string_equal(child_status_text(SIGSEGV), "killed by SIGSEGV");
	/* The bit that says that there is a core file. */
	assert_string_equal(child_status_text(SIGABRT | 0x80), "killed by SIGABRT");
	/* Real-time signals have numbers only. */
	assert_string_equal(child_status_text(40), "killed by signal 40");
	assert_string_equal(child_status_text(0x137f), "wait status 0x137f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status),
		cmocka_unit_test(test_inheritance),
		cmocka_unit_test(test_reap_running),
		cmocka_unit_test(test_ignored_sigchld),
		cmocka_unit_test(test_done),
		cmocka_unit_test(test_done_kills_group),
		cmocka_unit_test(test_dies_with_parent),
		cmocka_unit_test(test_reap_strays),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_start_status),
		cmocka_unit_test(test_start_failure),
		cmocka_unit_test(test_start_descriptors),
		cmocka_unit_test(test_status_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
