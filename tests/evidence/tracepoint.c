// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracepoint.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "kernel/tracefs.h"

/*
 * mmap_lock_acquire_returned and not mmap_lock_start_locking, which a trylock does not pass (a
 * fault that falls back from the VMA's lock begins with one). A lock for writing that is downgraded
 * (munmap, a brk that shrinks) passes it a second time, as one for reading.
 */
static const struct {
	const char *name;
	const char *words;
} names[] = {
	{"lock_write", "mmap_lock:mmap_lock_acquire_returned{write==1 && success==1}"},
	{"lock_read", "mmap_lock:mmap_lock_acquire_returned{write==0 && success==1}"},
	{"exit_mmap", "@mmap:exit_mmap"},
	{"new_task", "task:task_newtask"},
	{"exec", "sched:sched_process_exec"},
	{"exit", "sched:sched_process_exit"},
};

/* @SYSTEM:EVENT{FILTER} */
static bool find_event(const char *words, struct tracepoint *ret, struct error *err)
{
	char system[TRACEPOINT_NAME], event[TRACEPOINT_NAME];
	struct tracepoint t = {.type = PERF_TYPE_TRACEPOINT, .by_name = words[0] == '@'};
	int n = sscanf(words + t.by_name, "%63[a-z0-9_]:%63[a-z0-9_]{%95[^}]}", system, event,
		       t.filter);
	int64_t id;

	if (n < 2)
		return error_set(err, ERROR_USAGE, "'%s' is no event", words);
	id = tracefs_event_id(system, event);
	if (id < 0)
		return error_set(err, ERROR_UNSUPPORTED, "this kernel has no event %s:%s", system,
				 event);
	t.id = (uint64_t)id;
	*ret = t;
	return true;
}

bool tracepoint_find(const char *words, struct tracepoint *ret, struct error *err)
{
	/* Each one that a task takes, on all architectures; the exceptions: events are x86's. */
	if (text_equal(words, "faults")) {
		*ret = (struct tracepoint){.type = PERF_TYPE_SOFTWARE,
					   .id = PERF_COUNT_SW_PAGE_FAULTS};
		return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (text_equal(words, names[i].name))
			words = names[i].words;
	}
	return find_event(words, ret, err);
}

static bool open_event(struct perf_event_attr *attr, pid_t pid, int cpu, const char *filter,
		       int *ret_fd, struct error *err)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		error_set_errno(err, "perf_event_open");
		err->code = ERROR_UNSUPPORTED;
		return false;
	}
	if (filter[0] && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
		error_set_errno(err, "filter '%s'", filter);
		close(fd);
		return false;
	}
	*ret_fd = fd;
	return true;
}

bool tracepoint_open(const struct tracepoint *t, int *ret_fd, struct error *err)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = t->type,
		.config = t->id,
		.disabled = 1,
		.inherit = 1,
	};

	return open_event(&attr, 0, -1, t->filter, ret_fd, err);
}

bool tracepoint_open_named(const struct tracepoint *t, const char *name, int cpu, int *ret_fd,
			   struct error *err)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = t->type, .config = t->id};
	char *filter __free(memory) =
		t->filter[0] ? text_format("(%s) && comm == \"%s\"", t->filter, name)
			     : text_format("comm == \"%s\"", name);

	return open_event(&attr, -1, cpu, filter, ret_fd, err);
}
