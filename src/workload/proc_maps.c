// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "workload/maps_reader.h"

/*
 * A process changes its address space while another one reads a file of it below /proc: monitoring
 * beside a database. The writer needs mmap_lock for writing; what a reader holds meanwhile, and for
 * how long, depends on the file and on the kernel.
 */

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
	struct maps_victim *victim = w->shared;
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
	*victim = (struct maps_victim){.pid = getpid(), .mappings = 2 * (int64_t)region.count};
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
	{MAPS_READER_ROLE},
	{MAPS_READER_SPINNER_ROLE},
	{.name = NULL},
};

static const struct param params[] = {
	MAPS_READER_PARAM_FILE("maps"),
	MAPS_READER_PARAM_READERS("the writer's"),
	{"vmas", PARAM_COUNT, "400", .low = 2, .high = 65000,
	 .help = "mappings in the writer's region: every second one is a page that it changes, those "
		 "between are fences that keep neighbours from merging"},
	{"writer_rate", PARAM_NUMBER, "2000", .high = 1e6,
	 .help = "operations/s of the writer, each at a random moment of its period; 0: one after "
		 "the other"},
	/* A p99 needs 299 samples: as many scans as that in a window of 1 s. */
	MAPS_READER_PARAM_RATE("320"),
	MAPS_READER_PARAM_BUSY,
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
	MAPS_READER_METRICS,
	{.name = NULL},
};

const struct workload workload_proc_maps = {
	.name = "proc_maps",
	.summary = "a reader of another process's maps beside its mmap/munmap writer",
	.needs = "a second CPU for the readers; numa_maps: CONFIG_NUMA; query: Linux 6.11",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.shared_bytes = sizeof(struct maps_victim),
	.supported = maps_reader_supported,
};
