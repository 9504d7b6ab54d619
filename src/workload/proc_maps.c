// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "kernel/maps.h"
#include "kernel/procfs.h"
#include "workload/workload.h"

/*
 * A process changes its address space while another one reads a file of it below /proc: monitoring
 * beside a database. The writer needs mmap_lock for writing; what a reader holds meanwhile, and for
 * how long, depends on the file and on the kernel.
 */

/* What the roles tell each other, in worker->shared. */
struct meeting {
	int victim; /* pid of the writer's process */
};

/* ---- the writer ---- */

enum { MAP, PROTECT, UNMAP };
enum { STALLED };
enum { STALL_NS = 1000000 }; /* longer than any work of its own: the writer waited */

struct region {
	char *slots; /* the first slot; the next one is two pages on */
	size_t page;
	size_t count;
};

static char *slot_at(const struct region *region, uint64_t index)
{
	return region->slots + index * 2 * region->page;
}

static bool map_slot(const struct region *region, char *at)
{
	return mmap(at, region->page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at;
}

/* Fences and slots in turn. The page behind the last slot stays unmapped: it could merge there. */
static bool prepare_writer(struct worker *w, struct error *err)
{
	static struct region region;
	struct meeting *meeting = w->shared;
	size_t bytes;
	char *base;

	region.page = (size_t)sysconf(_SC_PAGESIZE);
	region.count = (size_t)cast_integer(w->cast, "vmas") / 2;
	bytes = 2 * region.count * region.page;
	base = mmap(NULL, bytes + region.page, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED || munmap(base + bytes, region.page))
		return error_set_errno(err, "map the region");
	region.slots = base + region.page;
	for (size_t i = 0; i < region.count; i++) {
		if (!map_slot(&region, slot_at(&region, i)))
			return error_set_errno(err, "mapping %zu (vm.max_map_count?)", 2 * i + 1);
	}
	w->local = &region;
	meeting->victim = getpid();
	return true;
}

static bool change(const struct region *region, char *slot, unsigned int operation)
{
	switch (operation) {
	case PROTECT:
		return !mprotect(slot, region->page, PROT_READ);
	case UNMAP:
		return !munmap(slot, region->page);
	default:
		return map_slot(region, slot);
	}
}

/*
 * Three calls on one slot, then another slot: after each round there are as many mappings as
 * before, so that a scan has the same work from the first moment to the last.
 */
static void work_writer(struct worker *w)
{
	static const unsigned int round[] = {PROTECT, UNMAP, MAP};
	const struct region *region = w->local;
	struct random random;
	char *slot = NULL;

	random_seed(&random, w->seed, 1);
	for (unsigned int i = 0; worker_next(w); i = (i + 1) % 3) {
		int64_t begin, took;

		if (!i)
			slot = slot_at(region, random_below(&random, region->count));
		begin = worker_begin(w, round[i]);
		took = worker_end(w, round[i], begin, change(region, slot, round[i]));
		if (took >= STALL_NS)
			worker_add(w, STALLED, (uint64_t)took);
	}
}

static double writer_rate(const struct cast *cast)
{
	return cast_number(cast, "writer_rate");
}

/* ---- the readers ---- */

enum { SCAN };
enum { BYTES };

static bool shows_mappings(const char *file)
{
	return !text_equal(file, "smaps_rollup") && !text_equal(file, "stat");
}

static bool prepare_reader(struct worker *w, struct error *err)
{
	const struct meeting *meeting = w->shared;
	const char *file = cast_string(w->cast, "file");
	int64_t vmas = cast_integer(w->cast, "vmas") / 2 * 2;
	struct maps *maps = memory_alloc(sizeof(*maps));
	int64_t found;

	maps_init(maps, meeting->victim, file);
	found = maps_count(maps, err);
	if (found < 0)
		return false;
	/* Scanning another process than the victim, or half of it, would be fast. */
	if (shows_mappings(file) && found < vmas)
		return error_set(err, ERROR_DATA, "%s shows %lld mappings, not %lld", maps->path,
				 (long long)found, (long long)vmas);
	w->local = maps;
	return true;
}

static void work_reader(struct worker *w)
{
	struct maps *maps = w->local;

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, SCAN);
		int64_t bytes = maps_scan(maps);

		worker_end(w, SCAN, begin, bytes > 0);
		if (bytes > 0)
			worker_add(w, BYTES, (uint64_t)bytes);
	}
}

static unsigned int reader_tasks(const struct cast *cast)
{
	if (text_equal(cast_string(cast, "file"), "none"))
		return 0;
	return (unsigned int)cast_integer(cast, "readers");
}

static int reader_nice(const struct cast *cast)
{
	return cast_integer(cast, "busy_ms") ? 15 : 0;
}

static double reader_rate(const struct cast *cast)
{
	return cast_number(cast, "reader_rate");
}

/* ---- the spinners ---- */

enum { SPELL };

static void work_spinner(struct worker *w)
{
	int64_t busy_ns = cast_integer(w->cast, "busy_ms") * NS_PER_MS;

	while (worker_next(w)) {
		int64_t until = clock_now_ns() + busy_ns;

		while (clock_now_ns() < until &&
		       atomic_load_explicit(w->phase, memory_order_relaxed) == w->seen_phase)
			;
		worker_end(w, SPELL, 0, true);
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	}
}

static unsigned int spinner_tasks(const struct cast *cast)
{
	return cast_integer(cast, "busy_ms") ? reader_tasks(cast) : 0;
}

/* ---- the workload ---- */

static bool supported(const struct cast *cast, struct error *err)
{
	const char *file = cast_string(cast, "file");

	if (text_equal(file, "none") || (procfs_is_ours(err) && maps_supported(file, err)))
		return true;
	return error_wrap(err, "file=%s", file);
}

static const struct role roles[] = {
	{
		.name = "writer",
		.help = "changes the protection of a page's mapping, unmaps it, maps it again",
		.operations = {[MAP] = {.name = "map", .series = "latency", .own = "call"},
			       [PROTECT] = {.name = "protect", .series = "latency", .own = "call"},
			       [UNMAP] = {.name = "unmap", .series = "latency", .own = "call"}},
		.counters = {[STALLED] = {"stalled_ns", .timed = true}},
		.alone = true,
		.mode = ROLE_THREADS,
		.rate = writer_rate,
		.prepare = prepare_writer,
		.work = work_writer,
	},
	{
		.name = "reader",
		.help = "opens the file, reads it to the end, closes it",
		.operations = {[SCAN] = {.name = "scan", .series = "latency"}},
		.counters = {[BYTES] = {.name = "bytes"}},
		.tasks = reader_tasks,
		.mode = ROLE_PROCESSES,
		.apart = true,
		.nice = reader_nice,
		.rate = reader_rate,
		.prepare = prepare_reader,
		.work = work_reader,
	},
	{
		.name = "spinner",
		.help = "takes the readers' CPU from them (busy_ms=)",
		.operations = {[SPELL] = {.name = "spell"}},
		.tasks = spinner_tasks,
		.alone = true,
		.mode = ROLE_PROCESSES,
		.beside = "reader",
		.work = work_spinner,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"file", PARAM_CHOICE, "maps",
	 .choices = "maps|smaps|smaps_rollup|numa_maps|query|stat|none",
	 .help = "what the readers read of the writer's process; query: the PROCMAP_QUERY ioctl on "
		 "maps, mapping by mapping; stat: a control, no mm lock; none: no readers"},
	{"readers", PARAM_COUNT, "1", .low = 1, .high = 1024,
	 .help = "reader processes, on CPUs apart from the writer's"},
	{"vmas", PARAM_COUNT, "400", .low = 2, .high = 65000,
	 .help = "mappings in the writer's region: every second one is a page that it changes, those "
		 "between are fences that keep neighbours from merging"},
	{"writer_rate", PARAM_NUMBER, "2000", .high = 1e6,
	 .help = "operations/s of the writer, each at a random moment of its period; 0: one after "
		 "the other"},
	/* A p99 needs 299 samples: as many scans as that in a window of 1 s. */
	{"reader_rate", PARAM_NUMBER, "320", .high = 1e6,
	 .help = "scans/s of each reader; 0: one after the other, and then the faster reader meets "
		 "the writer more often"},
	{"busy_ms", PARAM_COUNT, "0", .high = 1000,
	 .help = "a spinner on each reader's CPU, N ms busy and 1 ms asleep in turn, and readers at "
		 "nice 15: preempted while they hold a lock. 0: none"},
	{.name = NULL},
};

/*
 * Primary is what a call takes, not how late it ends. On a machine that does other things as well a
 * call is late because the writer did not get the CPU, far more often than because of the lock. In
 * two series of 15 pairs, file=smaps against maps (Linux 6.18, 2 CPUs, other work at a load of 3 to
 * 4), writer_call_p99 differed by factors of 53 and 789 (t = 15 and 125), writer_latency_p99 of 34
 * and 2.8 (t = 5 and 9).
 */
static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("writer_call", "writer.call", "that a call of the writer takes",
				 SUMMARY_P99),
	{"writer_stalled", "ns/s", BETTER_LOWER, SUMMARY_RATE, "writer.stalled_ns",
	 .help = "time in calls of at least 1 ms, per second"},
	METRIC_QUANTILES("writer_latency", "writer.latency",
			 "of a call from when it was due; not paced: as it takes"),
	{"writer_operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "writer.operations",
	 .help = "calls of the writer per second; paced: at most writer_rate"},
	{"writer_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "writer.cpu_ns", "writer.operations",
	 .help = "CPU time of the writer a call"},
	METRIC_QUANTILES("reader_latency", "reader.latency",
			 "of a scan from when it was due; not paced: as it takes"),
	{"reader_scans", "1/s", BETTER_HIGHER, SUMMARY_RATE, "reader.operations",
	 .help = "scans per second, summed over the readers; paced: at most reader_rate each"},
	{"reader_bytes", "bytes", BETTER_NEITHER, SUMMARY_RATIO, "reader.bytes",
	 "reader.operations", .help = "bytes a scan; query: of the answers"},
	{.name = NULL},
};

const struct workload workload_proc_maps = {
	.name = "proc_maps",
	.summary = "a reader of another process's maps beside its mmap/munmap writer",
	.needs = "a second CPU for the readers; numa_maps: CONFIG_NUMA; query: Linux 6.11",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.shared_bytes = sizeof(struct meeting),
	.supported = supported,
};
