// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/meminfo.h"
#include "kernel/procfs.h"
#include "workload/crew/offspring.h"
#include "workload/space.h"

/*
 * What the end of a process costs: a child builds an address space and leaves, or is killed. The
 * child stamps a shared clock as its last act (killed, the parent does so right before), its parent
 * when the pidfd turns readable and when it has reaped. In between lie, in this order: the exit
 * system call or the delivery of the signal; the end of the other threads; exit_mm() and, as the
 * last user of the mm leaves, exit_mmap(): unmap_vmas() frees the pages, free_pgtables() the page
 * tables, then the VMAs go one by one; files, signals, exit_notify(); the wake-up of the parent;
 * release_task(). A child without any memory of its own is the floor of all that.
 *
 * The child is a fork of this small process and has its mappings, too. It runs on its parent's CPU:
 * the parent sleeps meanwhile, no other CPU has to be woken up from idle (in a virtual machine that
 * alone takes as long as a small exit), and several parents tear down side by side.
 */

enum { CHILD, READABLE, BUILD };
enum { CPU, VMAS, RSS, PAGE_TABLES, TRIALS };

/* Of the child's further threads, which do nothing; all in one mapping. */
enum { STACK_BYTES = 64 << 10 };

enum progress { FORKED, THREADED, BUILT };

/* What a child tells its parent, in a page that both have. */
struct letter {
	struct space_state space;
	_Atomic int progress;
	int reason; /* errno, where it could not go on */
	int64_t stamp_ns;
	int64_t cpu_ns; /* CPU time of the child at the stamp */
};

/* A parent. */
struct parent {
	struct space space;
	unsigned int threads;
	bool kills;
	struct letter *letter;
	int ready; /* an eventfd: the child is where it waits to be killed */
	/* Of the trial child; all later ones are made in the same way. */
	int64_t mappings, rss_bytes, page_table_bytes;
};

/* ---- the child ---- */

struct idlers {
	pthread_barrier_t there;
	_Atomic pid_t last;
};

static void *idle(void *argument)
{
	struct idlers *idlers = argument;

	idlers->last = gettid();
	pthread_barrier_wait(&idlers->there);
	for (;;)
		pause();
	return NULL;
}

/* One after the other, each of them asleep before the next one is made. */
static bool start_threads(unsigned int count)
{
	static struct idlers idlers;
	pthread_attr_t attributes;
	char *stacks;

	if (!count)
		return true;
	stacks = mmap(NULL, (size_t)count * STACK_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stacks == MAP_FAILED)
		return false;
	pthread_barrier_init(&idlers.there, NULL, 2);
	pthread_attr_init(&attributes);
	for (unsigned int i = 0; i < count; i++) {
		pthread_t ignored;

		pthread_attr_setstack(&attributes, stacks + (size_t)i * STACK_BYTES, STACK_BYTES);
		errno = pthread_create(&ignored, &attributes, idle, &idlers);
		if (errno)
			return false;
		pthread_barrier_wait(&idlers.there);
		offspring_await_sleep(idlers.last);
	}
	return true;
}

/* waits: to be killed. */
static _Noreturn void child_main(const struct parent *p, bool waits)
{
	struct letter *letter = p->letter;

	/* Makes the page tables for what the last act needs. */
	letter->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	letter->stamp_ns = clock_now_ns();
	/*
	 * Threads first: what they need is mapped next to what is there, and could merge with it.
	 */
	if (start_threads(p->threads - 1)) {
		letter->progress = THREADED;
		if (space_build(&p->space, &letter->space))
			letter->progress = BUILT;
	}
	letter->reason = errno;
	if (letter->progress != BUILT)
		_exit(1);
	if (waits) {
		letter->stamp_ns = clock_now_ns();
		eventfd_write(p->ready, 1);
		for (;;)
			pause();
	}
	letter->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	letter->stamp_ns = clock_now_ns();
	_exit(0);
}

/* ---- the parent ---- */

/* Forks a child with a letter of its own. As offspring_fork(), without a return in the child. */
static bool start(const struct parent *p, struct offspring *child, bool waits)
{
	eventfd_t ignored;

	/* A child that died right behind its message has left it there. */
	eventfd_read(p->ready, &ignored);
	*p->letter = (struct letter){.progress = FORKED};
	switch (offspring_fork(child)) {
	case -1:
		return false;
	case 0:
		child_main(p, waits);
	}
	return true;
}

/* Waits until a child that is to be killed sleeps. False: it has ended before that. */
static bool await_ready(const struct parent *p, const struct offspring *child)
{
	return !offspring_await(child, p->ready) && offspring_await_sleep(child->pid);
}

/* One child, from its birth to its end. False with errno where it went otherwise. */
static bool raise_child(struct worker *w, const struct parent *p)
{
	int64_t fork_ns, end_ns, readable_ns, reaped_ns, cpu_ns = 0, used_ns;
	struct offspring child;
	struct rusage usage;
	bool kill = false;

	fork_ns = clock_now_ns();
	if (!start(p, &child, p->kills))
		return false;
	if (p->kills && await_ready(p, &child)) {
		cpu_ns = offspring_cpu_ns(&child);
		end_ns = clock_now_ns();
		kill = offspring_kill(&child);
	} else if (p->kills) {
		/* It has ended, or what it does cannot be seen: then it would wait for ever. */
		offspring_kill(&child);
	}
	offspring_await(&child, -1);
	readable_ns = clock_now_ns();
	if (!offspring_reap(&child, kill, p->letter->reason, &reaped_ns, &usage))
		return false;
	if (!kill) {
		end_ns = p->letter->stamp_ns;
		cpu_ns = p->letter->cpu_ns;
	}
	used_ns = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SEC +
		  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
	worker_record(w, CHILD, reaped_ns - end_ns);
	worker_record(w, READABLE, readable_ns - end_ns);
	worker_record(w, BUILD, p->letter->stamp_ns - fork_ns);
	worker_add(w, CPU, (uint64_t)(used_ns > cpu_ns ? used_ns - cpu_ns : 0));
	return true;
}

static void work(struct worker *w)
{
	const struct parent *p = w->local;

	while (worker_next(w)) {
		if (!raise_child(w, p)) {
			worker_fail(w);
			continue;
		}
		worker_state(w, VMAS, (uint64_t)p->mappings);
		worker_state(w, RSS, (uint64_t)p->rss_bytes);
		worker_state(w, PAGE_TABLES, (uint64_t)p->page_table_bytes);
		worker_state(w, TRIALS, 1);
	}
}

/* ---- the trial child ---- */

/* Of a digit as the kernel writes it. */
static unsigned int hex_value(char digit)
{
	return (unsigned int)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/*
 * Counts the mappings of a process, and those of its space among them. Allocates nothing: what it
 * did would be mapped in all later children, and not in the one that is counted.
 */
static bool count_mappings(pid_t pid, const struct space_state *space, int64_t *ret_all,
			   size_t *ret_space, struct error *err)
{
	char path[32], bytes[4096];
	uintptr_t begin = 0;
	bool in_begin = true;
	int64_t all = 0;
	size_t within = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);

	while ((n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (bytes[i] == '\n') {
				within += begin >= space->low && begin < space->high;
				all++;
				begin = 0;
				in_begin = true;
			} else if (in_begin && isxdigit((unsigned char)bytes[i])) {
				begin = begin << 4 | hex_value(bytes[i]);
			} else {
				in_begin = false;
			}
		}
	}
	if (n < 0)
		return error_set_errno(err, "%s", path);
	*ret_all = all;
	*ret_space = within;
	return true;
}

static bool inspect(struct parent *p, pid_t pid, struct error *err)
{
	char *path __free(memory) = text_format("/proc/%d/status", pid);
	size_t within;

	if (!count_mappings(pid, &p->letter->space, &p->mappings, &within, err))
		return false;
	/* Otherwise the figures would be those of another number of mappings. */
	if (within != p->space.mappings)
		return error_set(err, ERROR_DATA, "the kernel made %zu mappings of %zu", within,
				 p->space.mappings);
	p->rss_bytes = meminfo_bytes("", path, "VmRSS");
	p->page_table_bytes = meminfo_bytes("", path, "VmPTE");
	if (p->rss_bytes < 0 || p->page_table_bytes < 0)
		return error_set(err, ERROR_DATA, "%s: no VmRSS and VmPTE", path);
	return true;
}

/* Why a child could not be built, from its letter; a limit is what the machine does not support. */
static bool explain(const struct parent *p, int failure, struct error *err)
{
	const struct letter *letter = p->letter;
	bool limit = failure == ENOMEM || failure == EAGAIN;

	if (failure < 0) {
		error_set(err, ERROR_SYSTEM, "it was killed by SIG%s", sigabbrev_np(-failure));
	} else {
		errno = failure;
		if (letter->progress == FORKED)
			error_set_errno(err, "start %u threads", p->threads);
		else if (letter->space.mapped < p->space.mappings)
			error_set_errno(err, "mapping %zu (vm.max_map_count?)",
					letter->space.mapped + 1);
		else
			error_set_errno(err, "touch mapping %zu", letter->space.touched + 1);
		if (limit)
			err->code = ERROR_UNSUPPORTED;
	}
	return error_wrap(err, "the child");
}

/* A child that is built as all the others will be, looked at and killed. */
static bool try_child(struct parent *p, struct error *err)
{
	struct offspring child;
	struct rusage ignored;
	int64_t when;
	bool ready, fine;

	if (!start(p, &child, true))
		return error_set_errno(err, "fork");
	ready = await_ready(p, &child);
	fine = ready && inspect(p, child.pid, err);
	/* Also where it is not known to sleep: it may, and would never end. */
	offspring_kill(&child);
	if (offspring_reap(&child, ready, p->letter->reason, &when, &ignored))
		return fine;
	if (!ready && p->letter->progress == BUILT)
		return error_set(err, ERROR_SYSTEM, "the child: its state in /proc cannot be read");
	return explain(p, errno, err);
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct parent parent;
	struct parent *p = &parent;

	space_init(&p->space, cast_integer(w->cast, "size"), cast_integer(w->cast, "vmas"),
		   cast_number(w->cast, "touch"));
	p->threads = (unsigned int)cast_integer(w->cast, "threads");
	p->kills = text_equal(cast_string(w->cast, "end"), "kill");
	p->letter = mmap(NULL, sizeof(*p->letter), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->letter == MAP_FAILED)
		return error_set_errno(err, "map a page");
	p->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->ready < 0)
		return error_set_errno(err, "eventfd");
	w->local = p;
	return offspring_prepare(w, err) && try_child(p, err);
}

/* ---- the workload ---- */

/* What the kernel keeps for a mapping (vm_area_struct, anon_vma, …) and for a thread, roughly. */
enum { MAPPING_BYTES = 512, THREAD_BYTES = 32 << 10 };

static bool supported(const struct cast *cast, struct error *err)
{
	double tasks = cast_number(cast, "tasks");
	double bytes = cast_number(cast, "size") * cast_number(cast, "touch");

	if (!cast_whole_pages(cast, "size", err))
		return false;
	if (cast_integer(cast, "size") && !cast_integer(cast, "vmas"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "size=%s with vmas=0: there is nothing to "
				 "have it in",
				 cast_string(cast, "size"));
	/* A page table entry has 8 bytes at most. */
	bytes += bytes / (double)sysconf(_SC_PAGESIZE) * 8 +
		 cast_number(cast, "vmas") * MAPPING_BYTES +
		 cast_number(cast, "threads") * THREAD_BYTES;
	/* The children are looked at below /proc. */
	return procfs_is_ours(err) && cast_affords(cast, "the children", bytes * tasks, err);
}

/* teardown is from the stamp on, as is the CPU time. */
static void tell_waiting(const struct role_sum *sum, struct text *note)
{
	uint64_t children = sum->tally.operations[CHILD];

	if (children)
		offspring_tell_waiting("teardown", sum->mean_ns[CHILD],
				       (double)sum->tally.counters[CPU] / (double)children, note);
}

static const struct role roles[] = {
	{
		.name = "parent",
		.help = "forks a child that builds an address space and ends, waits for it, reaps it",
		.operations = {[CHILD] = {.name = "child", .series = "teardown"},
			       [READABLE] = {.name = "readable", .series = "readable", .part = true},
			       [BUILD] = {.name = "build", .series = "build", .part = true}},
		.counters = {[CPU] = {.name = "teardown_cpu_ns"},
			     [VMAS] = {.name = "vmas", .state = true},
			     [RSS] = {.name = "rss_bytes", .state = true},
			     [PAGE_TABLES] = {.name = "page_table_bytes", .state = true},
			     [TRIALS] = {.name = "trial_children", .state = true}},
		.mode = ROLE_PROCESSES,
		.slow = "a child takes too long to build and tear down, with a smaller size= or "
			"vmas= it is quicker",
		.note = tell_waiting,
		.prepare = prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "16M", .high = 0x1p46,
	 .help = "anonymous memory of a child, in whole pages; 0: none"},
	{"vmas", PARAM_COUNT, "1", .high = 1e6,
	 .help = "mappings that it is divided into, at least a page each, and a page that is not "
		 "mapped behind each; a child has those of its parent, too, and one for its "
		 "threads (the metric vmas has them all). size=0 vmas=0: the floor"},
	{"touch", PARAM_PERCENT, "100%", .high = 1,
	 .help = "share of its pages that is written, evenly spread; huge pages fill more"},
	{"threads", PARAM_COUNT, "1", .low = 1, .high = 4096,
	 .help = "threads of a child; all but the first are asleep when it ends"},
	{"end", PARAM_CHOICE, "exit", .choices = "exit|kill",
	 .help = "exit: it leaves by itself, and stamps right before; kill: it sleeps, and is sent "
		 "SIGKILL by its parent, who stamps right before"},
	{.name = NULL},
};

/*
 * Primary is the median. What a change to exit_mmap() costs or saves it does so at every exit, and
 * a median moves with that; a mean moves with the few exits in which somebody else had the CPU. (In
 * the mails of 2017 and 2021 about such changes means had standard deviations of 20 to 130 %; in
 * three series of 10 000 empty children on a busy machine means differed by 89 %, medians by 7 %.)
 */
static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("teardown", "parent.teardown",
				 "from the end of a child's life to when it has been reaped",
				 SUMMARY_P50),
	{"teardown_mean", "ns", BETTER_LOWER, SUMMARY_MEAN, "parent.teardown",
	 .help = "mean of the same"},
	{"teardown_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "parent.teardown_cpu_ns",
	 "parent.child", .help = "CPU time of a child after its stamp, in whole us"},
	METRIC_QUANTILES("readable", "parent.readable",
			 "to when the child's pidfd turned readable: without reaping"),
	METRIC_QUANTILES("build", "parent.build",
			 "from the fork to a child that has all its memory and threads"),
	{"children", "1/s", BETTER_HIGHER, SUMMARY_RATE, "parent.child",
	 .help = "children per second from fork to reaped, summed over the parents"},
	{"vmas", "mappings", BETTER_NEITHER, SUMMARY_RATIO, "parent.vmas", "parent.trial_children",
	 .help = "mappings of a child in all, from /proc/PID/maps of the first one of each parent"},
	{"rss", "bytes", BETTER_NEITHER, SUMMARY_RATIO, "parent.rss_bytes", "parent.trial_children",
	 .help = "VmRSS of the same child"},
	{"page_tables", "bytes", BETTER_NEITHER, SUMMARY_RATIO, "parent.page_table_bytes",
	 "parent.trial_children", .help = "VmPTE of the same child"},
	{.name = NULL},
};

const struct workload workload_exit_mmap = {
	.name = "exit_mmap",
	.summary = "children that build an address space and exit, or are killed",
	.needs = "memory for the children of all parents at once",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
