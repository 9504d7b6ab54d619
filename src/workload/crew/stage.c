// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/stage.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/units.h"
#include "kernel/abi.h"
#include "kernel/memfd.h"
#include "workload/crew/params.h"

/* So many samples surely fit into a line of the answer (WIRE_LINE_BYTES). */
enum { RAW_LIMIT = 4000000 };

static size_t round_up(size_t bytes, size_t step)
{
	return (bytes + step - 1) / step * step;
}

/*
 * All sizes as uint64_t: 4096 tasks with a million raw samples a series do not overflow it, and do
 * not fit a machine either.
 */
static uint64_t raw_bytes(const struct stage_map *map)
{
	return map->raw_room
		       ? round_up(sizeof(struct raw) + map->raw_room * sizeof(int64_t), STAGE_ALIGN)
		       : 0;
}

static void add_series(struct stage_role *role, const char *name)
{
	for (unsigned int i = 0; i < role->series_count; i++) {
		if (text_equal(role->series[i], name))
			return;
	}
	/* Otherwise a bug in the workload's declaration. */
	assert(role->series_count < OPERATION_MAX);
	role->series[role->series_count++] = name;
}

static void find_series(struct stage_role *found, const struct role *role)
{
	for (const struct operation *o = role->operations; o->name; o++) {
		if (o->series)
			add_series(found, o->series);
		if (o->series && o->own)
			add_series(found, o->own);
	}
}

/* Where everything lies, for these tasks; and how much that is. */
struct layout {
	uint64_t bytes;
	uint64_t shared_at;
	uint64_t task_at[ROLE_MAX];
	uint64_t raw_values;
	bool guests; /* there is a role whose tasks are contend-runner's */
};

static void lay_out(const struct cast *cast, const struct placement *placement,
		    struct stage_map *map, struct layout *ret)
{
	const struct workload *w = cast->workload;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct layout l = {.bytes = round_up(sizeof(struct stage), page)};

	map->shared_bytes = w->shared_bytes;
	map->raw_room = (uint64_t)cast_integer(cast, "raw");
	l.shared_at = l.bytes;
	l.bytes += round_up(w->shared_bytes, page);
	for (size_t r = 0; w->roles[r].name; r++) {
		struct stage_role *role = &map->roles[r];

		if (cast_switch(cast, "record") && !cast_endless(cast, &w->roles[r]))
			find_series(role, &w->roles[r]);
		/* Whole pages, so that a task's part lies on its own NUMA node. */
		role->task_bytes =
			round_up(sizeof(struct slot) +
					 role->series_count *
						 (round_up(sizeof(struct histogram), STAGE_ALIGN) +
						  raw_bytes(map)),
				 page);
		l.task_at[r] = l.bytes;
		l.bytes += role->task_bytes * placement->roles[r].tasks;
		l.raw_values += map->raw_room * role->series_count * placement->roles[r].tasks;
		l.guests = l.guests || (w->roles[r].guest && placement->roles[r].tasks);
	}
	*ret = l;
}

static void take_places(struct stage_map *map, const struct layout *l, char *base)
{
	map->stage = (struct stage *)(void *)base;
	map->bytes = l->bytes;
	map->shared = base + l->shared_at;
	for (size_t r = 0; r < ROLE_MAX; r++)
		map->roles[r].tasks = base + l->task_at[r];
}

/* A descriptor for the memory, which an executed program can map. */
static int make_memfd(size_t bytes)
{
	int fd = memfd_make("contend-stage", MFD_NOEXEC_SEAL, MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)bytes)) {
		close(fd);
		return -1;
	}
	return fd;
}

bool stage_open(const struct cast *cast, const struct placement *placement, struct stage_map *ret,
		struct error *err)
{
	struct stage_map map = STAGE_MAP_NONE;
	char needed[UNITS_TEXT];
	struct layout l;
	char *base;

	lay_out(cast, placement, &map, &l);
	if (l.raw_values > RAW_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED,
				 "raw=%llu of all tasks and series are %llu samples, an answer "
				 "holds %d",
				 (unsigned long long)map.raw_room, (unsigned long long)l.raw_values,
				 RAW_LIMIT);
	/* All of it is touched. */
	if (!cast_affords(cast, "what is recorded of the tasks", (double)l.bytes, err))
		return false;
	int fd __free(fd) = l.guests ? make_memfd(l.bytes) : -1;

	if (l.guests && fd < 0)
		return error_set_errno(err, "make a memfd to record into");
	base = mmap(NULL, l.bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | (l.guests ? 0 : MAP_ANONYMOUS), fd, 0);
	if (base == MAP_FAILED)
		return error_set_errno(err, "map %s to record into",
				       units_format((double)l.bytes, "bytes", needed));
	map.bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (map.bell < 0) {
		error_set_errno(err, "eventfd");
		munmap(base, l.bytes);
		return false;
	}
	map.fd = take_fd(fd);
	take_places(&map, &l, base);
	*ret = map;
	return true;
}

bool stage_adopt(const struct cast *cast, const struct placement *placement, int fd, int bell,
		 struct stage_map *ret, struct error *err)
{
	struct stage_map map = STAGE_MAP_NONE;
	struct layout l;
	struct stat is;
	char *base;

	lay_out(cast, placement, &map, &l);
	if (fstat(fd, &is))
		return error_set_errno(err, "what is recorded into, descriptor %d", fd);
	if ((uint64_t)is.st_size != l.bytes)
		return error_set(err, ERROR_DATA,
				 "the agent is of another version: what is recorded into has %lld "
				 "bytes and should have %llu",
				 (long long)is.st_size, (unsigned long long)l.bytes);
	base = mmap(NULL, l.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return error_set_errno(err, "map what is recorded into");
	map.bell = bell;
	take_places(&map, &l, base);
	*ret = map;
	return true;
}

void stage_close(struct stage_map *map)
{
	if (map->stage)
		munmap(map->stage, map->bytes);
	if (map->bell >= 0)
		close(map->bell);
	if (map->fd >= 0)
		close(map->fd);
	*map = (struct stage_map)STAGE_MAP_NONE;
}

static char *place_of(const struct stage_map *map, size_t role, unsigned int task)
{
	return map->roles[role].tasks + map->roles[role].task_bytes * task;
}

static char *recording(const struct stage_map *map, size_t role, unsigned int task,
		       unsigned int series)
{
	return place_of(map, role, task) + sizeof(struct slot) +
	       series * (round_up(sizeof(struct histogram), STAGE_ALIGN) + raw_bytes(map));
}

struct slot *stage_slot(const struct stage_map *map, size_t role, unsigned int task)
{
	return (struct slot *)(void *)place_of(map, role, task);
}

struct histogram *stage_histogram(const struct stage_map *map, size_t role, unsigned int task,
				  unsigned int series)
{
	return (struct histogram *)(void *)recording(map, role, task, series);
}

struct raw *stage_raw(const struct stage_map *map, size_t role, unsigned int task,
		      unsigned int series)
{
	if (!map->raw_room)
		return NULL;
	return (struct raw *)(void *)(recording(map, role, task, series) +
				      round_up(sizeof(struct histogram), STAGE_ALIGN));
}

int stage_series(const struct stage_map *map, size_t role, const char *name)
{
	for (unsigned int i = 0; name && i < map->roles[role].series_count; i++) {
		if (text_equal(map->roles[role].series[i], name))
			return (int)i;
	}
	return -1;
}

/* A write makes the page table entry writable; an atomic one that changes nothing harms nobody. */
static void touch(char *bytes, size_t count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < count; at += page)
		__atomic_fetch_or(bytes + at, 0, __ATOMIC_RELAXED);
}

void stage_touch(const struct stage_map *map, size_t role, unsigned int task)
{
	touch((char *)map->stage, sizeof(*map->stage));
	touch(map->shared, map->shared_bytes);
	touch(place_of(map, role, task), map->roles[role].task_bytes);
}

void stage_clear(const struct stage_map *map, size_t role, unsigned int task)
{
	for (unsigned int i = 0; i < map->roles[role].series_count; i++) {
		struct histogram *h = stage_histogram(map, role, task, i);
		struct raw *raw = stage_raw(map, role, task, i);

		memset(h, 0, sizeof(*h));
		if (raw)
			raw->count = 0;
	}
}

void stage_await(const struct stage_map *map, uint32_t count)
{
	map->stage->awaited = count;
	atomic_store(&map->stage->arrived, 0);
}

void stage_arrive(const struct stage_map *map)
{
	uint32_t awaited = map->stage->awaited;

	if (atomic_fetch_add(&map->stage->arrived, 1) + 1 == awaited)
		eventfd_write(map->bell, 1);
}

static void wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wait_while(const _Atomic uint32_t *word, uint32_t value)
{
	while (atomic_load(word) == value)
		syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

void stage_set_phase(const struct stage_map *map, enum phase phase)
{
	atomic_store(&map->stage->phase, phase);
	wake(&map->stage->phase);
}

void stage_wait_while(const struct stage_map *map, enum phase phase)
{
	wait_while(&map->stage->phase, phase);
}

void stage_set_ready(struct slot *slot)
{
	atomic_store(&slot->state, TASK_READY);
	wake(&slot->state);
}

void stage_wait_ready(struct slot *slot)
{
	wait_while(&slot->state, TASK_ABSENT);
}

static void leave_failure(const struct stage_map *map, const struct error *err, bool crashed)
{
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&map->stage->failed, &none, 1))
		return;
	map->stage->failure = *err;
	map->stage->crashed = crashed;
	atomic_store(&map->stage->failed, 2);
}

void stage_fail(const struct stage_map *map, const struct error *err)
{
	leave_failure(map, err, false);
}

void stage_crash(const struct stage_map *map, const struct error *err)
{
	leave_failure(map, err, true);
}

bool stage_has_failed(const struct stage_map *map)
{
	return atomic_load(&map->stage->failed) == 2;
}
