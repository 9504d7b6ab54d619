// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/offspring.h"

#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "workload/crew/task.h"

bool offspring_prepare(const struct worker *w, struct error *err)
{
	const struct stage_map *map = w->self->map;

	if (madvise(map->stage, map->bytes, MADV_DONTFORK))
		return error_set_errno(err, "madvise MADV_DONTFORK");
	return true;
}

int offspring_fork(struct offspring *ret)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	int pidfd;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/*
		 * The parent may have died before the line above; nobody would ever kill us then.
		 */
		if (getppid() != parent)
			_exit(127);
		return 0;
	}
	if (pid < 0)
		return -1;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0) {
		int reason = errno;

		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		errno = reason;
		return -1;
	}
	*ret = (struct offspring){.pid = pid, .pidfd = pidfd};
	return 1;
}

size_t offspring_cpus(void)
{
	struct topology topology __cleanup(topology_done) = {0};
	struct error ignored;

	return topology_read("", &topology, &ignored) ? topology.count : 0;
}

bool offspring_move(const struct worker *w, unsigned int steps)
{
	const struct task *t = w->self;
	struct error ignored;

	return !steps || task_pin(placement_behind(t->placement, t->cpu, steps), &ignored);
}

size_t offspring_await_any(const struct offspring *o, size_t count)
{
	struct pollfd polled[OFFSPRING_MAX];

	assert(count <= OFFSPRING_MAX);
	for (size_t i = 0; i < count; i++)
		polled[i] = (struct pollfd){.fd = o[i].pidfd, .events = POLLIN};
	for (;;) {
		while (poll(polled, count, -1) <= 0)
			;
		for (size_t i = 0; i < count; i++) {
			if (polled[i].revents)
				return i;
		}
	}
}

bool offspring_await(const struct offspring *o, int other_fd)
{
	struct pollfd polled[] = {
		{.fd = o->pidfd, .events = POLLIN},
		{.fd = other_fd, .events = POLLIN},
	};

	while (poll(polled, 2, -1) <= 0)
		;
	return polled[0].revents;
}

bool offspring_reap(struct offspring *o, bool killed, int reason, int64_t *ret_reaped_ns,
		    struct rusage *ret_usage)
{
	int status = 0;

	while (wait4(o->pid, &status, 0, ret_usage) < 0 && errno == EINTR)
		;
	*ret_reaped_ns = clock_now_ns();
	close(o->pidfd);
	*o = (struct offspring){.pidfd = -1};
	if (killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : !status)
		return true;
	errno = WIFSIGNALED(status) ? -WTERMSIG(status) : reason ? reason : ECHILD;
	return false;
}

bool offspring_wait(pid_t pid, struct rusage *ret_usage)
{
	pid_t reaped;
	int status;

	do {
		reaped = wait4(pid, &status, 0, ret_usage);
	} while (reaped < 0 && errno == EINTR);
	if (reaped < 0 || !status)
		return reaped == pid;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	return false;
}

bool offspring_kill(const struct offspring *o)
{
	return !syscall(SYS_pidfd_send_signal, o->pidfd, SIGKILL, NULL, 0);
}

/* The letter behind the name in /proc/PID/stat; 0: there is none. */
static char state_of(pid_t task)
{
	char path[32], bytes[128];
	const char *behind;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", task);
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);
	if (n <= 0)
		return '\0';
	bytes[n] = '\0';
	behind = strrchr(bytes, ')');
	return behind && behind[1] == ' ' ? behind[2] : '\0';
}

/* Somebody who takes so long to get to sleep is stuck, or is not who is meant. */
static const int64_t SLEEP_LIMIT_NS = 10 * NS_PER_SEC;

bool offspring_await_sleep(pid_t task)
{
	int64_t deadline_ns = clock_now_ns() + SLEEP_LIMIT_NS;

	while (clock_now_ns() < deadline_ns) {
		char state = state_of(task);

		if (state == 'S')
			return true;
		if (!state || state == 'Z' || state == 'X')
			return false;
		/* It may be waiting for this CPU. */
		clock_sleep_until(clock_now_ns() + 20 * NS_PER_US);
	}
	return false;
}

int64_t offspring_used_ns(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * NS_PER_SEC +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * NS_PER_US;
}

int64_t offspring_cpu_ns(const struct offspring *o)
{
	clockid_t id;
	struct timespec ts;

	if (clock_getcpuclockid(o->pid, &id) || clock_gettime(id, &ts))
		return -1;
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/*
 * Children that share the CPU with their parent and with nobody else take 1.0 to 1.5 times their
 * CPU time, the more the shorter they are (a wake-up and a context switch are not in it). Beyond
 * twice most of it was waiting.
 */
static const double WAITING_RATIO = 2;

void offspring_tell_waiting(const char *what, double mean_ns, double cpu_ns, struct text *note)
{
	char took[UNITS_TEXT], used[UNITS_TEXT];

	if (mean_ns <= 0 || cpu_ns <= 0 || mean_ns <= WAITING_RATIO * cpu_ns)
		return;
	text_printf(note, "children waited: the mean of %s is %s, of which %s is CPU time", what,
		    units_format(mean_ns, "ns", took), units_format(cpu_ns, "ns", used));
}
