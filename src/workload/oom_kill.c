// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "kernel/mark_victim.h"
#include "kernel/memcg.h"
#include "kernel/meminfo.h"
#include "workload/crew/offspring.h"
#include "workload/group_memory.h"
#include "workload/touch.h"

/*
 * A memory cgroup runs out of memory: a child writes to more than its limit, and without swap there
 * is nothing to reclaim. In the child's own page fault a victim is chosen (mem_cgroup_oom(),
 * out_of_memory()), which is the child; it is sent SIGKILL and marked (mark_oom_victim()), and
 * exits: exit_mm(), exit_mmap(), all of the group's memory given back. The OOM reaper would help
 * after 2 s (Linux 5.18, commit e4a38402c36e), which no child here takes.
 *
 * When the victim was chosen is known from one of two places, by source=:
 *
 *	mark_victim	tracepoint oom:mark_victim, stamped by the kernel
 *	event		the cgroup's own notice (kernel/memcg.h), stamped by who hears of it
 *
 * They are not the same moment: figures of one are not to be compared with those of the other.
 */

enum { VICTIM, BACK, FILL };
enum { SOURCE_MARK_VICTIM, SOURCE_EVENT };

/* A child that has so many times the limit of its group and lives is not going to be killed. */
enum { LIMITS = 2 };

struct witness {
	int64_t source;
	struct mark_victim mark;
	struct memcg_oom_watch watch;
	struct group_memory memory;
	size_t bytes, page; /* of a child's mapping */
	int64_t limit_bytes;
	int *reason; /* errno of a child that could not go on, in memory that both have; 0: none */
	unsigned int steps; /* to the CPU of the children */
};

/* First of all victims, whoever else is in the group. */
static void set_oom_score(const char *value)
{
	int fd __free(fd) = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	struct error ignored;

	if (fd >= 0)
		file_write_all(fd, value, strlen(value), &ignored);
}

/* Comes back where it was not killed: true having got all, false with errno. */
static bool be_victim(const struct worker *w, const struct witness *s)
{
	char *at;

	set_oom_score("1000");
	if (!offspring_move(w, s->steps))
		return false;
	at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at != MAP_FAILED && touch_pages(at, s->page, 0, s->bytes / s->page, 1);
}

/* True when a victim was chosen; false: the child has ended before anybody said so. */
static bool await_choice(const struct witness *s, const struct offspring *child)
{
	if (s->source == SOURCE_MARK_VICTIM)
		return mark_victim_await(&s->mark, child->pidfd);
	return memcg_oom_watch_await(&s->watch, child->pidfd);
}

/* What was said of earlier ones. */
static void forget(struct witness *s)
{
	if (s->source == SOURCE_MARK_VICTIM)
		mark_victim_take(&s->mark, 0);
	else
		memcg_oom_watch_clear(&s->watch);
}

/* False with errno where the child ended otherwise than it should; 0: it had all it wanted. */
static bool kill_one(struct worker *w, struct witness *s)
{
	int64_t begin_ns = clock_now_ns(), before = group_memory_bytes(&s->memory);
	int64_t chosen_ns, back_ns = 0, reaped_ns;
	struct offspring child;
	struct rusage ignored;

	forget(s);
	*s->reason = 0;
	switch (offspring_fork(&child)) {
	case -1:
		return false;
	case 0:
		*s->reason = be_victim(w, s) ? 0 : errno;
		_exit(1);
	}
	bool heard = await_choice(s, &child);

	chosen_ns = clock_now_ns();
	if (heard)
		back_ns = group_memory_await(&s->memory, before, s->limit_bytes);
	offspring_await(&child, -1);
	pid_t pid = child.pid;

	if (!offspring_reap(&child, true, *s->reason, &reaped_ns, &ignored)) {
		errno = errno == ECHILD ? 0 : errno;
		return false;
	}
	if (s->source == SOURCE_MARK_VICTIM)
		chosen_ns = mark_victim_take(&s->mark, pid);
	if (!heard || !chosen_ns) {
		/* Killed, and not by who was meant to. */
		errno = -SIGKILL;
		return false;
	}
	if (back_ns < 0) {
		errno = ETIMEDOUT;
		return false;
	}
	worker_record(w, VICTIM, reaped_ns - chosen_ns);
	worker_record(w, FILL, chosen_ns - begin_ns);
	if (back_ns)
		worker_record(w, BACK, back_ns - chosen_ns);
	return true;
}

static void work(struct worker *w)
{
	struct witness *s = w->local;

	while (worker_next(w)) {
		if (kill_one(w, s))
			continue;
		if (!errno) {
			worker_spent(w,
				     "a child had twice the limit of its memory cgroup and was not "
				     "killed: does it swap? memcg.swap=0, or swap=off");
			return;
		}
		worker_fail(w);
	}
}

/* No page may go to swap, or nothing ends. */
static bool check_swap(const char *group, const struct memcg_files *files, int64_t limit,
		       struct error *err)
{
	int64_t swap = memcg_bytes("", group, files->swap);

	if (meminfo_bytes("", "/proc/meminfo", "SwapTotal") <= 0)
		return true;
	/* v1 limits memory and swap together. */
	if (swap == (files->high ? 0 : limit))
		return true;
	return error_set(
		err, ERROR_UNSUPPORTED,
		"oom_kill in a memory cgroup that swaps: memcg.swap=0 has it do without, or "
		"swap=off the machine");
}

static bool check_group(const struct cast *cast, int64_t *ret_limit, struct error *err)
{
	const char *group = cast_memcg(cast);
	const struct memcg_files *files;
	int64_t limit;

	if (!group)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"oom_kill needs a memory cgroup of its own, or the machine would run "
			"out of memory: memcg=32M");
	if (!memcg_find("", &files, err))
		return false;
	limit = memcg_bytes("", group, files->limit);
	if (limit < group_memory_least_bytes())
		return error_set(
			err, ERROR_UNSUPPORTED,
			"memcg= is less than %lld bytes: what comes back could not be told "
			"from what CPUs keep for later",
			(long long)group_memory_least_bytes());
	*ret_limit = limit;
	return check_swap(group, files, limit, err);
}

static bool supported(const struct cast *cast, struct error *err)
{
	int64_t limit;

	if (text_equal(cast_string(cast, "victim_cpu"), "other") && offspring_cpus() == 1)
		return error_set(err, ERROR_UNSUPPORTED,
				 "victim_cpu=other: this process may use only one CPU");
	return check_group(cast, &limit, err) &&
	       cast_affords(cast, "the victim", (double)limit, err);
}

static bool open_source(struct witness *s, const struct cast *cast, struct error *err)
{
	if (s->source == SOURCE_EVENT)
		return memcg_oom_watch_open(&s->watch, cast_memcg(cast), err);
	return mark_victim_open(&s->mark, err) ||
	       error_wrap(err, "source=mark_victim (source=event does without)");
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct witness s;

	w->local = &s;
	s.source = cast_integer(w->cast, "source");
	s.steps = text_equal(cast_string(w->cast, "victim_cpu"), "other");
	s.page = (size_t)sysconf(_SC_PAGESIZE);
	if (!check_group(w->cast, &s.limit_bytes, err))
		return false;
	s.bytes = LIMITS * (size_t)s.limit_bytes / s.page * s.page;
	s.reason = mmap(NULL, s.page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s.reason == MAP_FAILED)
		return error_set_errno(err, "map a page");
	/* Not this one: the crew had offered it. */
	set_oom_score("0");
	return open_source(&s, w->cast, err) && group_memory_open(&s.memory, w->cast, err) &&
	       offspring_prepare(w, err);
}

static const struct role roles[] = {
	{
		.name = "witness",
		.help = "forks a child that writes to more memory than their cgroup may have, hears "
			"of its choice as a victim, sees the memory come back, reaps it",
		.operations = {[VICTIM] = {.name = "victim", .series = "exit"},
			       [BACK] = {.name = "back", .series = "back", .part = true},
			       [FILL] = {.name = "fill", .series = "fill", .part = true}},
		.alone = true,
		.mode = ROLE_PROCESSES,
		.slow = "a child takes too long to fill the memory cgroup, with a smaller memcg= it is "
			"quicker",
		.prepare = prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"source", PARAM_CHOICE, "mark_victim", .choices = "mark_victim|event",
	 .help = "how it is known when a victim was chosen. mark_victim: tracepoint oom:mark_victim "
		 "(root), right behind its signal; event: the cgroup's notice, v1's eventfd, which is "
		 "before a victim is looked for, or v2's memory.events, which is up to 10 ms late"},
	{"victim_cpu", PARAM_CHOICE, "other", .choices = "other|same",
	 .help = "other: the child is on the CPU behind its witness's, who watches the memory come "
		 "back meanwhile; same: on the witness's, who sees it only when the child lets it"},
	{.name = NULL},
};

/* Primary is the median of what a victim takes to go; what all wait for is the memory. */
static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY(
		"exit", "witness.exit",
		"from when the victim was chosen (source=) until it has been reaped", SUMMARY_P50),
	METRIC_QUANTILES("back", "witness.back",
			 "from there until the cgroup has nine tenths of its memory back "
			 "(memory.usage_in_bytes, v2 memory.current)"),
	METRIC_QUANTILES("fill", "witness.fill",
			 "before that: from fork until the victim was chosen"),
	{"victims", "1/s", BETTER_NEITHER, SUMMARY_RATE, "witness.victim",
	 .help = "victims per second, most of which goes into filling the cgroup"},
	{.name = NULL},
};

const struct workload workload_oom_kill = {
	.name = "oom_kill",
	.summary = "a memory cgroup over its limit: how long a victim takes to go, and its memory",
	.needs = "memcg=32M, without swap; root, or source=event; a second CPU, or victim_cpu=same",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
