// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "workload/faulting.h"
#include "workload/maps_reader.h"

/*
 * Faults that queue behind a writer that queues behind a reader. A process reads a file of another
 * one below /proc and holds that one's mmap_lock for reading; a thread there changes a mapping and
 * waits for it; from then on whoever wants the lock for reading waits for the writer.
 *
 * Most faults do not want it since VMAs have locks of their own (Linux 6.4). One that does is the
 * first write to a VMA: it makes the anon_vma, for which it looks at the VMAs next to it
 * (__vmf_anon_prepare()). Programs meet it in memory that they have just mapped: stacks, arenas of
 * malloc(), large blocks. So with where=fresh_vma each fault has a VMA to itself, and with
 * where=other_vma the same VMAs were written before, and the fault of a second page needs no more
 * than the VMA's own lock. No fault waits for the lock of its VMA: the writer changes another one.
 */

/*
 * A slot is a VMA of two pages, of which a fault writes the second one. Every other one is not
 * inherited (MADV_DONTFORK), so that neighbours differ, do not merge and lend each other no
 * anon_vma.
 */
static bool map_slots(char *at, size_t count, size_t page, bool fresh)
{
	for (size_t i = 0; i < count; i++, at += 2 * page) {
		if (i % 2 && madvise(at, 2 * page, MADV_DONTFORK))
			return false;
		/* Reading makes the page table, and no anon_vma: of both there is one, then. */
		if (fresh)
			(void)*(volatile char *)at;
		else
			*(volatile char *)at = 1;
	}
	return true;
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct faulting f;
	struct maps_victim *victim = w->shared;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t each = (size_t)cast_integer(w->cast, "vmas") / w->tasks, count = each * w->tasks;
	char *fenced;

	/* With huge pages, of any size, one fault would bring both pages. */
	if (prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL))
		return error_set_errno(err, "prctl PR_SET_THP_DISABLE");
	fenced = mmap(NULL, (2 * count + 2) * page, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fenced == MAP_FAILED ||
	    mprotect(fenced + page, 2 * count * page, PROT_READ | PROT_WRITE) ||
	    !map_slots(fenced + page, count, page,
		       text_equal(cast_string(w->cast, "where"), "fresh_vma")))
		return error_set_errno(err, "map %zu mappings", count);
	f = (struct faulting){
		.page_bytes = page,
		.first = fenced + 2 * page,
		.part_bytes = each * 2 * page,
		.bytes = each * 2 * page,
		.step_bytes = 2 * page,
		.passed = UINTPTR_MAX,
		.target = faulting_map_target(page),
		.enough = "the mappings that it has to write to are used up: with a larger vmas= "
			  "they last, or with a lower fault_rate=",
	};
	if (!f.target)
		return error_set_errno(err, "map the writer's pages");
	w->local = &f;
	*victim = (struct maps_victim){.pid = getpid(), .mappings = (int64_t)count};
	return true;
}

/* What a process has besides: its program, libraries, stacks. */
enum { OTHER_MAPPINGS = 200 };

static bool mappings_fit(const struct cast *cast, struct error *err)
{
	char *line __free(memory) = file_read_line("", "/proc/sys/vm/max_map_count");
	int64_t limit = line ? strtoll(line, NULL, 10) : 0, vmas = cast_integer(cast, "vmas");

	if (limit <= 0 || vmas + cast_integer(cast, "tasks") + OTHER_MAPPINGS <= limit)
		return true;
	return error_set(err, ERROR_UNSUPPORTED, "vmas=%lld: vm.max_map_count is %lld",
			 (long long)vmas, (long long)limit);
}

static bool supported(const struct cast *cast, struct error *err)
{
	int64_t needed = faulting_pages_needed(cast) * cast_integer(cast, "tasks");

	if (needed > cast_integer(cast, "vmas"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "vmas=%s is too little for fault_rate=%s in warm-up and window: "
				 "each fault has a mapping of its own, %lld would do",
				 cast_string(cast, "vmas"), cast_string(cast, "fault_rate"),
				 (long long)needed);
	return mappings_fit(cast, err) && maps_reader_supported(cast, err);
}

static const struct role roles[] = {
	{FAULTING_FAULTER_ROLE, .help = "writes to a page of each of many mappings",
	 .prepare = prepare},
	{FAULTING_WRITER_ROLE},
	{MAPS_READER_ROLE, .beside = "writer"},
	{MAPS_READER_SPINNER_ROLE},
	{.name = NULL},
};

static const struct param params[] = {
	MAPS_READER_PARAM_FILE("smaps"),
	MAPS_READER_PARAM_READERS("the faulters' and the writer's where there are so many"),
	MAPS_READER_PARAM_RATE("100"),
	MAPS_READER_PARAM_BUSY,
	FAULTING_PARAM_WRITER,
	{"writer_rate", PARAM_NUMBER, "2000", .high = 1e6,
	 .help = "operations/s of the writer, each at a random moment of its period; 0: one after "
		 "the other"},
	{"where", PARAM_CHOICE, "fresh_vma", .choices = "fresh_vma|other_vma",
	 .help = "each fault is the first write to its mapping, which takes mmap_lock; or one more "
		 "in a mapping that was written before, which only takes the mapping's own lock "
		 "where there is one (Linux 6.4, CONFIG_PER_VMA_LOCK)"},
	{"fault_rate", PARAM_NUMBER, "1000", .low = 1, .high = 1e6,
	 .help = "mappings/s that each faulter writes to, each at a random moment of its period"},
	{"vmas", PARAM_COUNT, "1500", .low = 2, .high = 1e6,
	 .help = "mappings for all faulters together, each for one fault; the readers' file shows "
		 "them all, so the more there are the longer is a scan"},
	{.name = NULL},
};

/*
 * Primary is what a fault takes: in 13 to 15 pairs (Linux 6.18, 2 CPUs, other work at a load of 6)
 * file=smaps against maps changed fault_call_p99 by a factor of 112 (t = 33), p95 by 5 (t = 9), p50
 * by nothing, and fault_latency_p99, in which waiting for the CPU is, by 1.4 (t = 1). Of two runs
 * of file=smaps the fault_call_p99 differed by a standard deviation of a factor of 1.6.
 */
static const struct metric metrics[] = {
	FAULTING_METRICS_FAULTER(SUMMARY_P99),
	FAULTING_METRICS_WRITER,
	MAPS_READER_METRICS,
	{.name = NULL},
};

const struct workload workload_reader_writer_fault = {
	.name = "reader_writer_fault",
	.summary =
		"faults that queue behind a writer of mappings that queues behind a reader of maps",
	.needs = "three CPUs, or roles take turns on one; numa_maps: CONFIG_NUMA; query: Linux "
		 "6.11",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.shared_bytes = sizeof(struct maps_victim),
	.supported = supported,
};
