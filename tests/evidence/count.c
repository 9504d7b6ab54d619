// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: count [WORKLOAD [NAME=VALUE...] -- [EVENT...]]
 *
 * Without a word it prints the names of all workloads. Else runs a workload and prints what its
 * tasks counted and what the kernel counted of them, in the same
 * operations: events are on from right behind the begin of a task's window to right before its end,
 * for the task and all that it makes meanwhile, and there is no operation before the window. Lines,
 * of three words each but for the last one of the first two:
 *
 *	outcome ok
 *	reason ...
 *	machine CONFIG_PER_VMA_LOCK y
 *	task tasks 2
 *	task operations 70000
 *	task lock_write 70000
 *	vmstat pgfault 1234
 *
 * EVENT is as in tracepoint.h; with "+" in front what all processes of the run did from its begin to
 * its end; or vmstat:NAME, what /proc/vmstat counted on the whole machine meanwhile. The status is
 * 77, and the reason the only line, where this machine cannot count them.
 *
 * The program has the crew's worker_next_slow() and task_perform() wrapped by the linker: the first
 * is where a task enters and leaves its window, the second where its thread begins.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/flat_keyed.h"
#include "kernel/host.h"
#include "kernel/tracefs.h"
#include "subject.h"
#include "tracepoint.h"
#include "workload/crew/task.h"

enum { EVENT_MAX = 24, SKIPPED = 77 };

/* How an event is counted. */
enum manner { OF_TASK, OF_NAME, OF_RUN, OF_MACHINE };

/* What is asked for. */
static struct {
	const char *words[EVENT_MAX];
	struct tracepoint events[EVENT_MAX];
	enum manner manners[EVENT_MAX];
	unsigned int count;
} asked;

/* From the begin of the run to its end, whoever of this process and all that it makes. */
static int run_descriptors[EVENT_MAX];

/* By role and event, added up over tasks; shared with the workers. */
static _Atomic uint64_t (*counted)[EVENT_MAX];

/* Of the calling task; -1: none. */
static _Thread_local int descriptors[EVENT_MAX];

/* Whose names tell the tasks of one role in their windows, and what they make there. */
static pid_t supervisor;

static void name_role(char name[static 16], size_t role)
{
	snprintf(name, 16, "r%zu.%d", role, supervisor);
}

bool __real_worker_next_slow(struct worker *w);
bool __wrap_worker_next_slow(struct worker *w);
bool __real_task_perform(struct task *t, struct error *err);
bool __wrap_task_perform(struct task *t, struct error *err);

bool __wrap_task_perform(struct task *t, struct error *err)
{
	for (unsigned int i = 0; i < asked.count; i++) {
		descriptors[i] = -1;
		if (asked.manners[i] == OF_TASK &&
		    !tracepoint_open(&asked.events[i], &descriptors[i], err))
			return error_wrap(err, "%s", asked.words[i]);
	}
	return __real_task_perform(t, err);
}

static void begin_counting(size_t role)
{
	char name[16];

	name_role(name, role);
	prctl(PR_SET_NAME, name);
	for (unsigned int i = 0; i < asked.count; i++)
		ioctl(descriptors[i], PERF_EVENT_IOC_ENABLE, 0);
}

static void stop_counting(void)
{
	for (unsigned int i = 0; i < asked.count; i++)
		ioctl(descriptors[i], PERF_EVENT_IOC_DISABLE, 0);
	prctl(PR_SET_NAME, "stopped");
}

static void add_counts(size_t role)
{
	for (unsigned int i = 0; i < asked.count; i++) {
		uint64_t n;

		if (read(descriptors[i], &n, sizeof(n)) == sizeof(n))
			atomic_fetch_add(&counted[role][i], n);
	}
}

bool __wrap_worker_next_slow(struct worker *w)
{
	bool begins = w->seen_phase == PHASE_WARM;
	bool more;

	/* So that there is no operation that the events see and the window does not. */
	while (atomic_load(w->phase) < PHASE_WINDOW)
		clock_sleep_until(clock_now_ns() + 50 * NS_PER_US);
	if (atomic_load(w->phase) == PHASE_STOP)
		stop_counting();
	more = __real_worker_next_slow(w);
	if (!more) {
		/* A paced task learns of the end while it waits. */
		stop_counting();
		add_counts(w->self->role);
	} else if (begins) {
		begin_counting(w->self->role);
	}
	return more;
}

/* The descriptors of one event that is counted by name, for one role: one a CPU. */
struct named {
	unsigned int event;
	size_t role;
	int fd;
};

static struct named *named;
static size_t named_count;

static bool open_named(const struct workload *w, struct error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	named = memory_array((size_t)cpus * EVENT_MAX * ROLE_MAX, sizeof(*named));
	for (unsigned int i = 0; i < asked.count; i++) {
		for (size_t r = 0; asked.manners[i] == OF_NAME && w->roles[r].name; r++) {
			char name[16];

			name_role(name, r);
			for (int cpu = 0; cpu < cpus; cpu++) {
				struct named *n = &named[named_count];

				*n = (struct named){.event = i, .role = r};
				if (!tracepoint_open_named(&asked.events[i], name, cpu, &n->fd,
							   err))
					return error_wrap(err, "%s", asked.words[i]);
				named_count++;
			}
		}
	}
	return true;
}

static void add_named(void)
{
	for (size_t i = 0; i < named_count; i++) {
		uint64_t n;

		if (read(named[i].fd, &n, sizeof(n)) == sizeof(n))
			counted[named[i].role][named[i].event] += n;
	}
}

static _Noreturn void skip(const struct error *err)
{
	printf("%s\n", err->text);
	exit(err->code == ERROR_UNSUPPORTED ? SKIPPED : 1);
}

/* Tries each event on this process: where it is refused it is refused to the tasks, too. */
static bool ask(char **words, struct error *err)
{
	for (; *words; words++) {
		struct tracepoint *t = &asked.events[asked.count];
		enum manner *manner = &asked.manners[asked.count];
		int fd;

		if (asked.count == EVENT_MAX)
			return error_set(err, ERROR_USAGE, "more than %d events", EVENT_MAX);
		asked.words[asked.count++] = *words;
		*manner = OF_MACHINE;
		if (text_starts(*words, "vmstat:"))
			continue;
		if (!tracepoint_find(*words + (*words[0] == '+'), t, err))
			return false;
		*manner = *words[0] == '+' ? OF_RUN : t->by_name ? OF_NAME : OF_TASK;
		if (*manner == OF_NAME)
			continue;
		if (!tracepoint_open(t, &fd, err))
			return error_wrap(err, "%s", *words);
		if (*manner == OF_RUN)
			run_descriptors[asked.count - 1] = fd;
		else
			close(fd);
	}
	return true;
}

static void switch_run(unsigned long request)
{
	for (unsigned int i = 0; i < asked.count; i++) {
		if (asked.manners[i] == OF_RUN)
			ioctl(run_descriptors[i], request, 0);
	}
}

/* They stand with each role. */
static void add_run(void)
{
	for (unsigned int i = 0; i < asked.count; i++) {
		uint64_t n;

		if (asked.manners[i] != OF_RUN ||
		    read(run_descriptors[i], &n, sizeof(n)) != sizeof(n))
			continue;
		for (size_t r = 0; r < ROLE_MAX; r++)
			counted[r][i] = n;
	}
}

static int64_t vmstat(unsigned int event)
{
	return flat_keyed_integer("", "/proc/vmstat", asked.words[event] + strlen("vmstat:"));
}

static void print_machine(void)
{
	json_t *host __free(json) = host_describe("");

	for (void *at = json_object_iter(host); at; at = json_object_iter_next(host, at)) {
		const char *name = json_object_iter_key(at);
		const json_t *value = json_object_iter_value(at);

		if (json_is_string(value) &&
		    (text_starts(name, "CONFIG_") || text_equal(name, "kernel")))
			printf("machine %s %s\n", name, json_string_value(value));
	}
}

/* Adds up the numbers of an object, but for those that are of one task alone. */
static void add_numbers(json_t *sums, json_t *object)
{
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
		const char *name = json_object_iter_key(at);
		json_int_t n = json_integer_value(json_object_iter_value(at));

		if (json_is_integer(json_object_iter_value(at)))
			json_object_set_new(
				sums, name,
				json_integer(json_integer_value(json_object_get(sums, name)) + n));
	}
}

static void print_role(const json_t *record, const struct role *role, size_t number)
{
	json_t *sums __free(json) = json_object();
	unsigned int tasks = 0;
	json_t *task;
	size_t i;

	json_array_foreach(json_object_get(record, "tasks"), i, task) {
		if (!text_equal(json_string_value(json_object_get(task, "role")), role->name))
			continue;
		tasks++;
		add_numbers(sums, task);
		add_numbers(sums, json_object_get(task, "counters"));
	}
	if (!tasks)
		return;
	printf("%s tasks %u\n", role->name, tasks);
	for (void *at = json_object_iter(sums); at; at = json_object_iter_next(sums, at))
		printf("%s %s %lld\n", role->name, json_object_iter_key(at),
		       (long long)json_integer_value(json_object_iter_value(at)));
	for (unsigned int e = 0; e < asked.count; e++) {
		if (asked.manners[e] != OF_MACHINE)
			printf("%s %s %llu\n", role->name, asked.words[e],
			       (unsigned long long)atomic_load(&counted[number][e]));
	}
}

int main(int argc, char **argv)
{
	struct subject subject;
	int64_t before[EVENT_MAX] = {0};
	struct error err;

	subject_read(argc, argv, &subject);
	supervisor = getpid();
	if (subject.rest[0] && (!tracefs_mount(&err) || !ask(subject.rest, &err) ||
				!open_named(subject.workload, &err)))
		skip(&err);
	counted = mmap(NULL, ROLE_MAX * sizeof(*counted), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counted == MAP_FAILED)
		return 1;
	for (unsigned int e = 0; e < asked.count; e++) {
		if (asked.manners[e] == OF_MACHINE)
			before[e] = vmstat(e);
	}
	switch_run(PERF_EVENT_IOC_ENABLE);
	json_t *record __free(json) = subject_run(&subject);

	switch_run(PERF_EVENT_IOC_DISABLE);
	add_run();
	add_named();
	for (unsigned int e = 0; e < asked.count; e++) {
		if (asked.manners[e] == OF_MACHINE)
			printf("vmstat %s %lld\n", asked.words[e],
			       (long long)(vmstat(e) - before[e]));
	}
	print_machine();
	for (size_t r = 0; subject.workload->roles[r].name; r++)
		print_role(record, &subject.workload->roles[r], r);
	json_decref(subject.values);
	return 0;
}
