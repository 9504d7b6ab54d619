// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lets one call of libc fail, or all from one on, in contend and its agents: to be preloaded.
 * Beside each fault it counts the calls, so that who asks for a fault knows how many there are and
 * whether his was one of them.
 *
 *	CONTEND_FAULT_BOARD=FILE            where it counts (struct row); without it nothing happens
 *	CONTEND_FAULT=ROLE:KIND:N[+]:EFFECT what fails: in all processes of this role together the
 *	                                    N-th call (+: and all behind it) with EFFECT, an errno,
 *	                                    or `short`: a write that takes only half of its bytes,
 *	                                    or `slow`: a call that takes long, and succeeds
 *
 * It sees calls that go from one object to another: those that libc makes in itself (stdio's write,
 * the clone below fork) it does not, nor vfork(), which cannot be stood before. The agent must be a
 * dynamic program for it.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Who calls. What controller and agent have forked has a role of its own while it has not executed
 * a program; what that forks has the same.
 */
enum role { CONTROLLER, STARTER, AGENT, WORKER, ROLES };

static const char *const role_names[ROLES] = {"controller", "starter", "agent", "worker"};

enum kind {
	ACCESS,
	AFFINITY,
	ALLOC,
	DUP,
	EPOLL,
	EVENTFD,
	EXEC,
	FCNTL,
	FLOCK,
	FORK,
	FSYNC,
	GETRANDOM,
	MADVISE,
	MEMFD,
	MINCORE,
	MKDIR,
	MKNOD,
	MMAP,
	MOUNT,
	MPROTECT,
	OPEN,
	PERSONALITY,
	PIPE,
	POLL,
	PRIORITY,
	READ,
	READLINK,
	RENAME,
	RLIMIT,
	RMDIR,
	SIGNALFD,
	SOCKET,
	STAT,
	SWAP,
	SYSCALL,
	THREAD,
	TRUNCATE,
	UNLINK,
	WAIT,
	WRITE,
	KINDS
};

static const char *const kind_names[KINDS] = {
	[ACCESS] = "access",
	[AFFINITY] = "affinity",
	[ALLOC] = "alloc",
	[DUP] = "dup",
	[EPOLL] = "epoll",
	[EVENTFD] = "eventfd",
	[EXEC] = "exec",
	[FCNTL] = "fcntl",
	[FLOCK] = "flock",
	[FORK] = "fork",
	[FSYNC] = "fsync",
	[GETRANDOM] = "getrandom",
	[MADVISE] = "madvise",
	[MEMFD] = "memfd",
	[MINCORE] = "mincore",
	[MKDIR] = "mkdir",
	[MKNOD] = "mknod",
	[MMAP] = "mmap",
	[MOUNT] = "mount",
	[MPROTECT] = "mprotect",
	[OPEN] = "open",
	[PERSONALITY] = "personality",
	[PIPE] = "pipe",
	[POLL] = "poll",
	[PRIORITY] = "priority",
	[READ] = "read",
	[READLINK] = "readlink",
	[RENAME] = "rename",
	[RLIMIT] = "rlimit",
	[RMDIR] = "rmdir",
	[SIGNALFD] = "signalfd",
	[SOCKET] = "socket",
	[STAT] = "stat",
	[SWAP] = "swap",
	[SYSCALL] = "syscall",
	[THREAD] = "thread",
	[TRUNCATE] = "truncate",
	[UNLINK] = "unlink",
	[WAIT] = "wait",
	[WRITE] = "write",
};

/* A row for each role and kind, and one for each role with the descriptors at its end. */
struct row {
	char role[16];
	char kind[16];
	_Atomic uint64_t calls;
	_Atomic uint64_t faults;
};

enum {
	ROWS = ROLES * (KINDS + 1),
	EFFECT_SHORT = -1,
	EFFECT_SLOW = -2,
	SLOW_SECONDS = 8,
	MOST_DESCRIPTORS = 1024
};

static struct row *board; /* NULL: inert */
static int role = -1;	  /* of this process; -1: none of ours */
static int fault_role = -1, fault_kind = -1, fault_effect;
static uint64_t fault_at;
static bool fault_stays;

/*
 * The function behind ours. Looked up at its first call, which may come before any constructor;
 * dlsym() needs no memory for that.
 */
#define REAL(name)                                                                                 \
	({                                                                                         \
		static __typeof__(&name) real_;                                                    \
		if (!real_)                                                                        \
			real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                        \
		real_;                                                                             \
	})

static struct row *row_of(int of_role, int kind)
{
	return &board[of_role * (KINDS + 1) + kind];
}

/* Counts a call. True when it is to fail: what it returns then is the caller's matter. */
static bool faulty(enum kind kind)
{
	uint64_t number;

	if (!board || role < 0)
		return false;
	number = atomic_fetch_add(&row_of(role, kind)->calls, 1) + 1;
	if (role != fault_role || (int)kind != fault_kind ||
	    (fault_stays ? number < fault_at : number != fault_at))
		return false;
	/* Half of a call that does not write is no fault. */
	if (fault_effect == EFFECT_SHORT && kind != WRITE)
		return false;
	atomic_fetch_add(&row_of(role, kind)->faults, 1);
	if (fault_effect == EFFECT_SLOW) {
		sleep(SLOW_SECONDS);
		return false;
	}
	if (fault_effect != EFFECT_SHORT)
		errno = fault_effect;
	return true;
}

static int find(const char *const *names, int count, const char *word, size_t length)
{
	for (int i = 0; i < count; i++) {
		if (strlen(names[i]) == length && !strncmp(names[i], word, length))
			return i;
	}
	fprintf(stderr, "preload: unknown: %s\n", word);
	_exit(99);
}

static void read_fault(const char *text)
{
	size_t length = strcspn(text, ":");
	char *end;

	fault_role = find(role_names, ROLES, text, length);
	text += length + 1;
	length = strcspn(text, ":");
	fault_kind = find(kind_names, KINDS, text, length);
	text += length + 1;
	fault_at = strtoull(text, &end, 10);
	fault_stays = *end == '+';
	text = end + fault_stays + 1;
	fault_effect = !strcmp(text, "short")  ? EFFECT_SHORT
		       : !strcmp(text, "slow") ? EFFECT_SLOW
					       : atoi(text);
}

static void open_board(const char *path)
{
	size_t bytes = ROWS * sizeof(struct row);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *map = MAP_FAILED;

	if (fd >= 0 && !syscall(SYS_ftruncate, fd, bytes))
		map = REAL(mmap)(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		fprintf(stderr, "preload: board %s: %s\n", path, strerror(errno));
		_exit(99);
	}
	syscall(SYS_close, fd);
	for (int r = 0; r < ROLES; r++) {
		for (int k = 0; k <= KINDS; k++) {
			struct row *row = &((struct row *)map)[r * (KINDS + 1) + k];

			strcpy(row->role, role_names[r]);
			strcpy(row->kind, k < KINDS ? kind_names[k] : "descriptors");
		}
	}
	board = map;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CONTEND_FAULT_BOARD"), *fault = getenv("CONTEND_FAULT");
	const char *name = program_invocation_short_name;

	if (!path)
		return;
	if (!strncmp(name, "contend-agent", strlen("contend-agent")))
		role = AGENT;
	else if (!strcmp(name, "contend"))
		role = CONTROLLER;
	else
		return;
	if (fault && *fault)
		read_fault(fault);
	open_board(path);
}

/* At exit(), which nobody but a whole program calls: what is still open. */
__attribute__((destructor)) static void end(void)
{
	uint64_t open = 0;

	if (!board || role < 0)
		return;
	for (int fd = STDERR_FILENO + 1; fd < MOST_DESCRIPTORS; fd++)
		open += REAL(fcntl)(fd, F_GETFD) >= 0;
	/* The worst of all processes of the role. */
	if (open > row_of(role, KINDS)->calls)
		row_of(role, KINDS)->calls = open;
}

/* ---- the calls ---- */

/* A function that fails with -1 and errno, or with another value. */
#define FAILING(kind, failure, type, name, params, args)                                           \
	type name params                                                                           \
	{                                                                                          \
		return faulty(kind) ? (failure) : REAL(name) args;                                 \
	}

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
	return faulty(ALLOC) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return faulty(ALLOC) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return faulty(ALLOC) ? NULL : __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return faulty(ALLOC) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **ret, size_t alignment, size_t bytes)
{
	void *p = faulty(ALLOC) ? NULL : __libc_memalign(alignment, bytes);

	if (!p)
		return ENOMEM;
	*ret = p;
	return 0;
}

FAILING(ACCESS, -1, int, access, (const char *path, int mode), (path, mode))
FAILING(ACCESS, -1, int, faccessat, (int folder, const char *path, int mode, int flags),
	(folder, path, mode, flags))
FAILING(AFFINITY, -1, int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set),
	(pid, size, set))
FAILING(AFFINITY, -1, int, sched_getaffinity, (pid_t pid, size_t size, cpu_set_t *set),
	(pid, size, set))
FAILING(DUP, -1, int, dup2, (int from, int to), (from, to))
FAILING(EPOLL, -1, int, epoll_create1, (int flags), (flags))
FAILING(EPOLL, -1, int, epoll_ctl, (int fd, int op, int of, struct epoll_event *event),
	(fd, op, of, event))
FAILING(EPOLL, -1, int, epoll_wait, (int fd, struct epoll_event *events, int most, int timeout),
	(fd, events, most, timeout))
FAILING(EVENTFD, -1, int, eventfd, (unsigned int count, int flags), (count, flags))
FAILING(EVENTFD, -1, int, eventfd_read, (int fd, eventfd_t *value), (fd, value))
FAILING(EXEC, -1, int, execv, (const char *path, char *const argv[]), (path, argv))
FAILING(EXEC, -1, int, execveat,
	(int folder, const char *path, char *const argv[], char *const envp[], int flags),
	(folder, path, argv, envp, flags))
FAILING(FLOCK, -1, int, flock, (int fd, int operation), (fd, operation))
FAILING(FSYNC, -1, int, fsync, (int fd), (fd))
FAILING(FSYNC, -1, int, fdatasync, (int fd), (fd))
FAILING(GETRANDOM, -1, ssize_t, getrandom, (void *bytes, size_t length, unsigned int flags),
	(bytes, length, flags))
FAILING(MADVISE, -1, int, madvise, (void *at, size_t length, int advice), (at, length, advice))
FAILING(MEMFD, -1, int, memfd_create, (const char *name, unsigned int flags), (name, flags))
FAILING(MINCORE, -1, int, mincore, (void *at, size_t length, unsigned char *pages),
	(at, length, pages))
FAILING(OPEN, -1, int, mkostemp64, (char *name, int flags), (name, flags))
FAILING(MKDIR, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
FAILING(MKNOD, -1, int, mknod, (const char *path, mode_t mode, dev_t dev), (path, mode, dev))
FAILING(MMAP, MAP_FAILED, void *, mmap,
	(void *at, size_t length, int protection, int flags, int fd, off_t offset),
	(at, length, protection, flags, fd, offset))
FAILING(MMAP, MAP_FAILED, void *, mmap64,
	(void *at, size_t length, int protection, int flags, int fd, off64_t offset),
	(at, length, protection, flags, fd, offset))
FAILING(MOUNT, -1, int, mount,
	(const char *from, const char *at, const char *type, unsigned long flags, const void *data),
	(from, at, type, flags, data))
FAILING(MOUNT, -1, int, unshare, (int flags), (flags))
FAILING(MPROTECT, -1, int, mprotect, (void *at, size_t length, int protection),
	(at, length, protection))
FAILING(PERSONALITY, -1, int, personality, (unsigned long persona), (persona))
FAILING(PIPE, -1, int, pipe2, (int fds[2], int flags), (fds, flags))
FAILING(POLL, -1, int, poll, (struct pollfd * fds, nfds_t count, int timeout),
	(fds, count, timeout))
FAILING(POLL, -1, int, ppoll,
	(struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
	(fds, count, timeout, mask))
FAILING(PRIORITY, -1, int, setpriority, (__priority_which_t which, id_t who, int priority),
	(which, who, priority))
FAILING(READ, -1, ssize_t, read, (int fd, void *bytes, size_t length), (fd, bytes, length))
FAILING(READ, -1, ssize_t, pread64, (int fd, void *bytes, size_t length, off64_t offset),
	(fd, bytes, length, offset))
FAILING(READLINK, -1, ssize_t, readlink, (const char *path, char *buffer, size_t room),
	(path, buffer, room))
FAILING(RENAME, -1, int, rename, (const char *from, const char *to), (from, to))
FAILING(RLIMIT, -1, int, getrlimit64, (__rlimit_resource_t resource, struct rlimit64 *limit),
	(resource, limit))
FAILING(RLIMIT, -1, int, setrlimit64, (__rlimit_resource_t resource, const struct rlimit64 *limit),
	(resource, limit))
FAILING(RMDIR, -1, int, rmdir, (const char *path), (path))
FAILING(SIGNALFD, -1, int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags))
FAILING(SOCKET, -1, int, socket, (int domain, int type, int protocol), (domain, type, protocol))
FAILING(SOCKET, -1, int, socketpair, (int domain, int type, int protocol, int fds[2]),
	(domain, type, protocol, fds))
FAILING(SOCKET, -1, int, bind, (int fd, const struct sockaddr *address, socklen_t length),
	(fd, address, length))
FAILING(STAT, -1, int, stat64, (const char *path, struct stat64 *st), (path, st))
FAILING(STAT, -1, int, lstat64, (const char *path, struct stat64 *st), (path, st))
FAILING(STAT, -1, int, fstat, (int fd, struct stat *st), (fd, st))
FAILING(STAT, -1, int, fstat64, (int fd, struct stat64 *st), (fd, st))
FAILING(STAT, -1, int, fstatat64, (int folder, const char *path, struct stat64 *st, int flags),
	(folder, path, st, flags))
FAILING(STAT, -1, int, statvfs64, (const char *path, struct statvfs64 *st), (path, st))
FAILING(STAT, -1, int, statx,
	(int folder, const char *path, int flags, unsigned int mask, struct statx *st),
	(folder, path, flags, mask, st))
FAILING(SWAP, -1, int, swapon, (const char *path, int flags), (path, flags))
FAILING(SWAP, -1, int, swapoff, (const char *path), (path))
FAILING(TRUNCATE, -1, int, fallocate64, (int fd, int mode, off64_t offset, off64_t length),
	(fd, mode, offset, length))
FAILING(TRUNCATE, -1, int, ftruncate64, (int fd, off64_t length), (fd, length))
FAILING(UNLINK, -1, int, unlink, (const char *path), (path))
FAILING(UNLINK, -1, int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
FAILING(WAIT, -1, pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage),
	(pid, status, options, usage))
FAILING(WAIT, -1, pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
FAILING(OPEN, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
FAILING(OPEN, NULL, DIR *, opendir, (const char *path), (path))

/* pthread_create() returns its errno. */
FAILING(THREAD, fault_effect, int, pthread_create,
	(pthread_t * handle, const pthread_attr_t *attributes, void *(*start)(void *),
	 void *argument),
	(handle, attributes, start, argument))

static pid_t forked(pid_t pid)
{
	if (!pid && role >= 0)
		role = role == CONTROLLER ? STARTER : role == AGENT ? WORKER : role;
	return pid;
}

pid_t fork(void)
{
	return faulty(FORK) ? -1 : forked(REAL(fork)());
}

pid_t _Fork(void)
{
	return faulty(FORK) ? -1 : forked(REAL(_Fork)());
}

/*
 * Of a child that shares memory or borrows it: it does not return here, and has its parent's role.
 */
int clone(int (*main)(void *), void *stack, int flags, void *argument, ...)
{
	void *more[3];
	va_list args;

	va_start(args, argument);
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		more[i] = va_arg(args, void *);
	va_end(args);
	return faulty(FORK) ? -1
			    : REAL(clone)(main, stack, flags, argument, more[0], more[1], more[2]);
}

/* Half of a write; of one byte, that byte. */
static size_t part(size_t length)
{
	return length > 1 ? length / 2 : length;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	if (faulty(WRITE)) {
		if (fault_effect != EFFECT_SHORT)
			return -1;
		length = part(length);
	}
	return REAL(write)(fd, bytes, length);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
	if (faulty(WRITE)) {
		if (fault_effect != EFFECT_SHORT)
			return -1;
		length = part(length);
	}
	return REAL(pwrite64)(fd, bytes, length, offset);
}

/* The last argument of those that take one or not. */
#define LAST(type, last)                                                                           \
	({                                                                                         \
		va_list args_;                                                                     \
		va_start(args_, last);                                                             \
		type argument_ = va_arg(args_, type);                                              \
		va_end(args_);                                                                     \
		argument_;                                                                         \
	})

int open(const char *path, int flags, ...)
{
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? LAST(mode_t, flags) : 0;

	return faulty(OPEN) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? LAST(mode_t, flags) : 0;

	return faulty(OPEN) ? -1 : REAL(open64)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? LAST(mode_t, flags) : 0;

	return faulty(OPEN) ? -1 : REAL(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? LAST(mode_t, flags) : 0;

	return faulty(OPEN) ? -1 : REAL(openat64)(folder, path, flags, mode);
}

int fcntl(int fd, int command, ...)
{
	void *argument = LAST(void *, command);

	return faulty(FCNTL) ? -1 : REAL(fcntl)(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
	void *argument = LAST(void *, command);

	return faulty(FCNTL) ? -1 : REAL(fcntl64)(fd, command, argument);
}

/*
 * What libc has no function for: pidfd_open, close_range. Not the futexes, which fail in no kernel
 * for want of anything.
 */
long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (size_t i = 0; i < sizeof(a) / sizeof(*a); i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return number != SYS_futex && faulty(SYSCALL)
		       ? -1
		       : REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
