// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/keeper.h"

#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/memory.h"
#include "base/sibling.h"
#include "kernel/procfs.h"
#include "workload/crew/handover.h"
#include "workload/crew/minder.h"
#include "workload/crew/offspring.h"
#include "workload/crew/params.h"

/* How long the file's own cleanup may take when all is measured. */
static const int64_t CLEANUP_LIMIT_NS = NS_PER_SEC;

/* Each holds three files a task open at most; a stack is more than enough for that. */
enum { MINDER_STACK_BYTES = 64 << 10 };

/* As much of what a guest has printed last as can hold a line. */
enum { SAID_BYTES = 4096, SAID_LINE_BYTES = 300 };

struct keeper {
	const struct process *process;
	bool endless;
	struct offspring runner;
	int said_fd; /* its standard output and error */
	int stop_fd; /* SIGTERM: the agent is gone, or says so */
	int exit_fd; /* an eventfd: all are measured, or a minder has lost its task */
	struct minding *minding;
	_Atomic bool losing, lost; /* a minder is about to say why, and has said it */
	struct error why_lost;
	char said[SAID_BYTES];
	size_t said_length;
};

/* A minder's thread. */
struct minding {
	struct keeper *keeper;
	struct task task;
};

char *keeper_find_runner(struct error *err)
{
	char *path = sibling_find("contend-runner", "CONTEND_RUNNER", CONTEND_BINDIR, err);

	if (path && !access(path, X_OK))
		return path;
	if (path)
		error_set_errno(err, "execute %s", path);
	free(path);
	err->code = ERROR_UNSUPPORTED;
	return NULL;
}

const char *keeper_doing(const struct stage_map *map)
{
	static const char *const words[] = {
		[GUEST_STARTING] = "contend-runner has not come to loading the file",
		[GUEST_LOADING] = "loading the file, with what runs then, has not ended",
		[GUEST_PREPARING] = "its prepare function has not returned",
		[GUEST_RUNNING] = NULL,
		[GUEST_CLEANING] = "its cleanup function has not returned",
	};

	return words[atomic_load(&map->stage->guest.doing)];
}

/* In the child: executes the runner. Nothing allocates from the fork on. */
static _Noreturn void become_runner(const struct keeper *k, const char *path, char *argument,
				    int said_child)
{
	char name[] = "contend-runner";
	char *const argv[] = {name, argument, NULL};
	const struct stage_map *map = k->process->map;
	int input = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (input >= 0)
		dup2(input, STDIN_FILENO);
	dup2(said_child, STDOUT_FILENO);
	dup2(said_child, STDERR_FILENO);
	if (input > STDERR_FILENO)
		close(input);
	fcntl(map->fd, F_SETFD, 0);
	if (!k->endless)
		fcntl(map->bell, F_SETFD, 0);
	execv(path, argv);
	dprintf(STDERR_FILENO, "execute %s: %s\n", path, strerror(errno));
	_exit(127);
}

static bool start_runner(struct keeper *k, struct error *err)
{
	char *path __free(memory) = keeper_find_runner(err);
	char *argument __free(memory) = handover_make(k->process);
	int said[2];

	if (!path)
		return false;
	if (pipe2(said, O_CLOEXEC))
		return error_set_errno(err, "pipe");
	int said_child __free(fd) = said[1];

	k->said_fd = said[0];
	fcntl(k->said_fd, F_SETFL, O_NONBLOCK);
	switch (offspring_fork(&k->runner)) {
	case -1:
		return error_set_errno(err, "fork");
	case 0:
		become_runner(k, path, argument, said_child);
	}
	return true;
}

static void *minder_main(void *argument)
{
	struct minding *minding = argument;
	struct error err;

	struct keeper *k = minding->keeper;

	/* Tasks that end together are lost by several minders at once: the first one tells. */
	if (!minder_perform(&minding->task, &err) && !atomic_exchange(&k->losing, true)) {
		k->why_lost = err;
		atomic_store(&k->lost, true);
		eventfd_write(k->exit_fd, 1);
	}
	return NULL;
}

/* Waits for the end of the run, of which the main thread then knows. */
static void *usher_main(void *argument)
{
	const struct keeper *k = argument;

	for (enum phase phase = PHASE_GATE; phase < PHASE_EXIT; phase++)
		stage_wait_while(k->process->map, phase);
	eventfd_write(k->exit_fd, 1);
	return NULL;
}

static bool start_thread(void *(*main)(void *), void *argument, struct error *err)
{
	pthread_attr_t attributes;
	pthread_t ignored;
	int failure;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, MINDER_STACK_BYTES);
	failure = pthread_create(&ignored, &attributes, main, argument);
	pthread_attr_destroy(&attributes);
	return !failure || error_set(err, ERROR_SYSTEM, "start a thread: %s", strerror(failure));
}

static bool start_minders(struct keeper *k, struct error *err)
{
	const struct process *p = k->process;
	const struct part *part = &p->parts[0];
	struct rlimit limit;

	if (!start_thread(usher_main, k, err))
		return false;
	if (!k->endless)
		return true;
	/* Only here: the runner has its own. */
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	k->minding = memory_array(part->count, sizeof(*k->minding));
	for (unsigned int i = 0; i < part->count; i++) {
		struct minding *minding = &k->minding[i];

		minding->keeper = k;
		task_init(&minding->task, p->cast, p->map, p->placement, part->role,
			  part->first + i);
		if (!start_thread(minder_main, minding, err))
			return false;
	}
	return true;
}

/* Keeps the end of what the guest prints, and lets go of the rest: nobody is to wait for a pipe. */
static void listen(struct keeper *k)
{
	size_t half = sizeof(k->said) / 2;
	ssize_t n;

	for (;;) {
		if (k->said_length > half) {
			k->said_length -= half;
			memmove(k->said, k->said + half, k->said_length);
		}
		n = read(k->said_fd, k->said + k->said_length, half);
		if (n <= 0)
			break;
		k->said_length += (size_t)n;
		if ((size_t)n < half)
			return;
	}
	if (!n) {
		close(k->said_fd);
		k->said_fd = -1;
	}
}

/* Its last line that is not empty, as plain text: "" where there is none. */
static void last_line(const struct keeper *k, char ret[SAID_LINE_BYTES])
{
	size_t end = k->said_length, begin, length;

	while (end && isspace((unsigned char)k->said[end - 1]))
		end--;
	begin = end;
	while (begin && k->said[begin - 1] != '\n')
		begin--;
	length = end - begin < SAID_LINE_BYTES ? end - begin : SAID_LINE_BYTES - 1;
	for (size_t i = 0; i < length; i++)
		ret[i] = isprint((unsigned char)k->said[begin + i]) ? k->said[begin + i] : '?';
	ret[length] = '\0';
}

/* Waits for one of the descriptors. deadline_ns: 0: none. False: it is over. */
static bool await(struct pollfd *fds, size_t count, int64_t deadline_ns)
{
	int64_t left_ms =
		deadline_ns ? (deadline_ns - clock_now_ns() + NS_PER_MS - 1) / NS_PER_MS : -1;

	if (deadline_ns && left_ms <= 0)
		return false;
	if (poll(fds, count, (int)left_ms) < 0) {
		for (size_t i = 0; i < count; i++)
			fds[i].revents = 0;
	}
	return true;
}

/* The runner has ended by itself: says how, to the supervisor. */
static bool tell_end(struct keeper *k, int status, struct error *err)
{
	static const char *const where[] = {
		[GUEST_STARTING] = "contend-runner",
		[GUEST_LOADING] = "loading the file",
		[GUEST_PREPARING] = "its prepare function",
		[GUEST_RUNNING] = "a task",
		[GUEST_CLEANING] = "its cleanup function",
	};
	const struct guest *guest = &k->process->map->stage->guest;
	const struct role *role = &k->process->cast->workload->roles[k->process->parts[0].role];
	char line[SAID_LINE_BYTES], who[64];

	listen(k);
	last_line(k, line);
	snprintf(who, sizeof(who), "%s", where[atomic_load(&guest->doing)]);
	if (atomic_load(&guest->fallen)) {
		status = guest->fallen_status;
		snprintf(who, sizeof(who), "%s %u", role->name, guest->fallen_task);
	}
	error_set(err, ERROR_SYSTEM, "%s: %s%s%s%s", who,
		  WIFSIGNALED(status) ? "" : "ended its process with ", child_status_text(status),
		  *line ? ": " : "", line);
	if (WIFSIGNALED(status))
		stage_crash(k->process->map, err);
	return false;
}

int keeper_sweep(void)
{
	int64_t deadline_ns = clock_now_ns() + KEEPER_GRACE_MS * NS_PER_MS;
	int swept = 0;

	while (clock_now_ns() < deadline_ns) {
		DIR *proc __free(dir) = opendir("/proc");
		pid_t pid, ended;

		while (proc && (pid = procfs_next_child(proc)))
			kill(pid, SIGKILL);
		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			swept++;
		if (ended < 0)
			break;
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	}
	return swept;
}

/* Waits until the runner has ended, or the agent, at most for a time. */
static void await_end(struct keeper *k, int64_t span_ns)
{
	int64_t deadline_ns = clock_now_ns() + span_ns;
	struct pollfd fds[] = {
		{.fd = k->runner.pidfd, .events = POLLIN},
		{.fd = k->stop_fd, .events = POLLIN},
		{.fd = k->said_fd, .events = POLLIN},
	};

	while (await(fds, 3, deadline_ns) && !fds[0].revents && !fds[1].revents) {
		if (fds[2].revents)
			listen(k);
		fds[2].fd = k->said_fd;
	}
}

static bool has_ended(const struct keeper *k, int *ret_status)
{
	return waitpid(k->runner.pid, ret_status, WNOHANG) == k->runner.pid;
}

/* A task is gone: the runner says how, or has said nothing of it. */
static bool tell_lost(struct keeper *k, struct error *err)
{
	int status;

	await_end(k, CLEANUP_LIMIT_NS);
	if (has_ended(k, &status))
		return tell_end(k, status, err);
	*err = k->why_lost;
	return false;
}

/* Until the run is over, in one way or another. */
static bool keep(struct keeper *k, struct error *err)
{
	for (;;) {
		struct pollfd fds[] = {
			{.fd = k->runner.pidfd, .events = POLLIN},
			{.fd = k->stop_fd, .events = POLLIN},
			{.fd = k->exit_fd, .events = POLLIN},
			{.fd = k->said_fd, .events = POLLIN},
		};
		int status;

		await(fds, sizeof(fds) / sizeof(*fds), 0);
		if (fds[3].revents)
			listen(k);
		if (fds[2].revents && atomic_load(&k->lost))
			return tell_lost(k, err);
		if (fds[2].revents) {
			/* All are measured. To its main thread: another one would die of it. */
			syscall(SYS_tgkill, k->runner.pid, k->runner.pid, SIGTERM);
			await_end(k, CLEANUP_LIMIT_NS);
			return true;
		}
		if (fds[1].revents)
			return error_set(err, ERROR_INTERRUPTED, "stopped");
		if (fds[0].revents && has_ended(k, &status))
			return tell_end(k, status, err);
	}
}

bool keeper_perform(const struct process *p, struct error *err)
{
	/* As long as the process: its threads know of it, and none of them is waited for. */
	static struct keeper k;
	sigset_t set;
	bool ok;

	k = (struct keeper){
		.process = p,
		.endless = cast_endless(p->cast, &p->cast->workload->roles[p->parts[0].role]),
		.said_fd = -1,
		.exit_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};

	/* From here on its end is ours to see: by SIGTERM, and not at once. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	k.stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (k.exit_fd < 0 || k.stop_fd < 0)
		return error_set_errno(err, "watch the runner");
	ok = start_runner(&k, err) && start_minders(&k, err) && keep(&k, err);
	keeper_sweep();
	return ok;
}
