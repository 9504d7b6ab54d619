// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/mark_victim.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "kernel/tracefs.h"

enum { RING_PAGES = 1, POLLED_MAX = 1025 };

struct mark_victim_ring {
	int fd;
	struct perf_event_mmap_page *page; /* NULL: none; the ring is behind it */
};

/* What a record of the event has, in this order, by PERF_SAMPLE_TIME and PERF_SAMPLE_RAW. */
struct sample {
	struct perf_event_header header;
	uint64_t time;
	uint32_t raw_bytes;
	char raw[64]; /* the first of them */
} __attribute__((packed));

static size_t ring_bytes(void)
{
	return RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static bool refuse(const char *what, struct error *err)
{
	error_set_errno(err, "oom:mark_victim: %s", what);
	err->code = ERROR_UNSUPPORTED;
	return false;
}

static bool open_ring(struct perf_event_attr *attr, int cpu, struct mark_victim_ring *ret,
		      struct error *err)
{
	size_t bytes = ring_bytes() + (size_t)sysconf(_SC_PAGESIZE);
	void *page;

	ret->fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	/* One that is offline chooses nobody. */
	if (ret->fd < 0 && errno == ENODEV)
		return true;
	if (ret->fd < 0)
		return refuse("perf_event_open", err);
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ret->fd, 0);
	if (page == MAP_FAILED)
		return refuse("map a ring buffer", err);
	ret->page = page;
	return true;
}

static bool open_all(struct mark_victim *m, struct error *err)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.wakeup_events = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int64_t id;

	if (!tracefs_mount(err))
		return false;
	id = tracefs_event_id("oom", "mark_victim");
	m->pid_offset = tracefs_field_offset("oom", "mark_victim", "pid");
	if (id < 0 || m->pid_offset < 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "this kernel has no tracepoint oom:mark_victim (Linux 4.13, "
				 "CONFIG_TRACING)");
	attr.config = (uint64_t)id;
	if (cpus > POLLED_MAX - 1)
		return error_set(err, ERROR_UNSUPPORTED, "oom:mark_victim: more than %d CPUs",
				 POLLED_MAX - 1);
	m->rings = memory_array((size_t)cpus, sizeof(*m->rings));
	while (m->count < (size_t)cpus) {
		struct mark_victim_ring *ring = &m->rings[m->count];

		ring->fd = -1;
		if (!open_ring(&attr, (int)m->count++, ring, err))
			return false;
	}
	return true;
}

/*
 * The event has a process by its number in the first PID namespace, which has this inode
 * (PROC_PID_INIT_INO, include/linux/proc_ns.h): in another one nobody would find himself in it.
 */
static bool has_global_pids(void)
{
	static const ino_t initial = 0xEFFFFFFC;
	struct stat own;

	/* Without CONFIG_PID_NS there is only one. */
	return stat("/proc/self/ns/pid", &own) ? errno == ENOENT : own.st_ino == initial;
}

bool mark_victim_open(struct mark_victim *m, struct error *err)
{
	*m = (struct mark_victim){0};
	if (!has_global_pids())
		return error_set(err, ERROR_UNSUPPORTED,
				 "oom:mark_victim tells of processes by numbers that this PID "
				 "namespace does not have");
	if (open_all(m, err))
		return true;
	mark_victim_close(m);
	return false;
}

void mark_victim_close(struct mark_victim *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct mark_victim_ring *ring = &m->rings[i];

		if (ring->page)
			munmap(ring->page, ring_bytes() + (size_t)sysconf(_SC_PAGESIZE));
		if (ring->fd >= 0)
			close(ring->fd);
	}
	free(m->rings);
	*m = (struct mark_victim){0};
}

bool mark_victim_await(const struct mark_victim *m, int other_fd)
{
	struct pollfd polled[POLLED_MAX];

	for (size_t i = 0; i < m->count; i++)
		polled[i] = (struct pollfd){.fd = m->rings[i].fd, .events = POLLIN};
	polled[m->count] = (struct pollfd){.fd = other_fd, .events = POLLIN};
	while (poll(polled, m->count + 1, -1) <= 0)
		;
	for (size_t i = 0; i < m->count; i++) {
		if (polled[i].revents)
			return true;
	}
	return false;
}

/* Copies out of the ring, whose end may lie in between. */
static void copy(const struct perf_event_mmap_page *page, uint64_t from, void *to, size_t bytes)
{
	size_t room = ring_bytes();
	const char *ring = (const char *)page + (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = ring[(from + i) % room];
}

int64_t mark_victim_take(struct mark_victim *m, pid_t pid)
{
	int64_t when_ns = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct perf_event_mmap_page *page = m->rings[i].page;
		uint64_t head, tail;

		if (!page)
			continue;
		head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
		for (tail = page->data_tail; tail < head;) {
			struct sample s = {0};
			int32_t victim = 0;

			copy(page, tail, &s.header, sizeof(s.header));
			copy(page, tail, &s, s.header.size < sizeof(s) ? s.header.size : sizeof(s));
			tail += s.header.size;
			if (s.header.type != PERF_RECORD_SAMPLE ||
			    (size_t)m->pid_offset + sizeof(victim) > sizeof(s.raw))
				continue;
			memcpy(&victim, s.raw + m->pid_offset, sizeof(victim));
			if (victim == pid)
				when_ns = (int64_t)s.time;
		}
		__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	}
	return when_ns;
}
