// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/maps_reader.h"

#include "base/memory.h"
#include "base/text.h"
#include "kernel/maps.h"
#include "kernel/procfs.h"

static bool shows_mappings(const char *file)
{
	return !text_equal(file, "smaps_rollup") && !text_equal(file, "stat");
}

bool maps_reader_prepare(struct worker *w, struct error *err)
{
	const struct maps_victim *victim = w->shared;
	const char *file = cast_string(w->cast, "file");
	struct maps *maps = memory_alloc(sizeof(*maps));
	int64_t found;

	maps_init(maps, victim->pid, file);
	found = maps_count(maps, err);
	if (found < 0)
		return false;
	if (shows_mappings(file) && found < victim->mappings)
		return error_set(err, ERROR_DATA, "%s shows %lld mappings, not %lld", maps->path,
				 (long long)found, (long long)victim->mappings);
	w->local = maps;
	return true;
}

void maps_reader_work(struct worker *w)
{
	struct maps *maps = w->local;

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, MAPS_READER_SCAN);
		int64_t bytes = maps_scan(maps);

		worker_end(w, MAPS_READER_SCAN, begin, bytes > 0);
		if (bytes > 0)
			worker_add(w, MAPS_READER_BYTES, (uint64_t)bytes);
	}
}

unsigned int maps_reader_tasks(const struct cast *cast)
{
	if (text_equal(cast_string(cast, "file"), "none"))
		return 0;
	return (unsigned int)cast_integer(cast, "readers");
}

int maps_reader_nice(const struct cast *cast)
{
	return cast_integer(cast, "busy_ms") ? 15 : 0;
}

double maps_reader_rate(const struct cast *cast)
{
	return cast_number(cast, "reader_rate");
}

void maps_reader_spin(struct worker *w)
{
	int64_t busy_ns = cast_integer(w->cast, "busy_ms") * NS_PER_MS;

	while (worker_next(w)) {
		int64_t until = clock_now_ns() + busy_ns;

		while (clock_now_ns() < until &&
		       atomic_load_explicit(w->phase, memory_order_relaxed) == w->seen_phase)
			;
		worker_end(w, 0, 0, true);
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	}
}

unsigned int maps_reader_spinner_tasks(const struct cast *cast)
{
	return cast_integer(cast, "busy_ms") ? maps_reader_tasks(cast) : 0;
}

bool maps_reader_supported(const struct cast *cast, struct error *err)
{
	const char *file = cast_string(cast, "file");

	if (text_equal(file, "none") || (procfs_is_ours(err) && maps_supported(file, err)))
		return true;
	return error_wrap(err, "file=%s", file);
}
