// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/maps.h"
#include "workload/faulting.h"
#include "workload/fenced.h"

/*
 * Threads fault while another one changes a mapping of the same mm: of the VMA that they fault in,
 * or of another one. With locks of their own for VMAs (Linux 6.4) a fault takes no mmap_lock but
 * where it finds its VMA locked for writing, or has no lock on it: then it falls back to mmap_lock
 * for reading, and waits there.
 *
 * The two ways differ in nothing but the VMA. The VMA that is faulted in and the other one both end
 * with a page that is never written; the writer changes that page, of the one or the other, and
 * each time the VMA is split and merged, or cut and made longer.
 */

/* What the process made of its address space, for the look at the end. */
struct ground {
	struct faulting faulting;
	char *low, *high; /* the VMA that is faulted in, with its last page */
	bool same;	  /* the writer changes that one */
};

/*
 * An unwritten mapping merges into its neighbour, and then is the same VMA. Looked at before and
 * after; meanwhile the writer may have been left with one page less.
 */
static bool check_ground(const struct ground *g, bool after, struct error *err)
{
	struct maps_range seen;

	if (!maps_find((uintptr_t)g->low, &seen, err))
		return false;
	if (seen.low == (uintptr_t)g->low &&
	    (seen.high == (uintptr_t)g->high ||
	     (after && g->same && seen.high == (uintptr_t)g->faulting.target)))
		return true;
	return error_set(err, ERROR_DATA,
			 "the mapping that is faulted in is %lx-%lx and not %lx-%lx: another one "
			 "was merged into it, or it was split",
			 (unsigned long)seen.low, (unsigned long)seen.high, (unsigned long)g->low,
			 (unsigned long)g->high);
}

/*
 * A part for each faulter, each with page tables of its own; a page; fences at both ends. What a
 * page table maps has one page written before: the VMA has its anon_vma then, which is made under
 * mmap_lock, and no fault of the window makes a page table.
 */
static bool map_ground(struct ground *g, size_t part, unsigned int parts, size_t table)
{
	size_t page = g->faulting.page_bytes;
	size_t bytes = part * parts + page;
	char *fenced = mmap(NULL, bytes + 2 * table, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fenced == MAP_FAILED)
		return false;
	g->low = fenced + table - (uintptr_t)fenced % table;
	g->high = g->low + bytes;
	if (mprotect(g->low, bytes, PROT_READ | PROT_WRITE))
		return false;
	for (size_t at = 0; at < part * parts; at += table)
		((volatile char *)g->low)[at] = 1;
	return true;
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct ground ground;
	struct faulting *f = &ground.faulting;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), table = fenced_table_bytes();
	size_t size = (size_t)cast_integer(w->cast, "size");

	f->page_bytes = f->step_bytes = page;
	f->bytes = size;
	f->part_bytes = (size + table - 1) / table * table;
	f->passed = table - 1;
	f->enough = "the pages that it has to write to are used up: with a larger size= they last, "
		    "or paced by a lower fault_rate=";
	/* With huge pages, of any size, one fault would bring many of the pages. */
	if (prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL))
		return error_set_errno(err, "prctl PR_SET_THP_DISABLE");
	ground.same = text_equal(cast_string(w->cast, "where"), "same_vma");
	if (!map_ground(&ground, f->part_bytes, w->tasks, table)) {
		error_set_errno(err, "map size=%s for each of %u faulters",
				cast_string(w->cast, "size"), w->tasks);
		/* A limit: of address space, or of what the kernel promises. */
		if (errno == ENOMEM)
			err->code = ERROR_UNSUPPORTED;
		return false;
	}
	f->first = ground.low;
	f->target = ground.same ? ground.high - page : faulting_map_target(page);
	if (!f->target)
		return error_set_errno(err, "map the writer's pages");
	w->local = &ground;
	return check_ground(&ground, false, err);
}

static bool finish(const struct worker *w, struct error *err)
{
	return check_ground(w->local, true, err);
}

static bool supported(const struct cast *cast, struct error *err)
{
	int64_t page = sysconf(_SC_PAGESIZE), table = (int64_t)fenced_table_bytes() / page;
	int64_t pages = cast_integer(cast, "size") / page;
	int64_t needed = faulting_pages_needed(cast);

	if (!region_affordable(cast, err))
		return false;
	/* One page of each table is written before. */
	if (needed <= pages - (pages + table - 1) / table)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "size=%s is too little for fault_rate=%s in warm-up and window: each "
			 "faulter would write to more, size=%lldk would do",
			 cast_string(cast, "size"), cast_string(cast, "fault_rate"),
			 (long long)(needed + needed / (table - 1) + 1) * page / 1024);
}

static const struct role roles[] = {
	{FAULTING_FAULTER_ROLE, .help = "writes to pages of a prepared mapping, each once",
	 .prepare = prepare, .finish = finish},
	{FAULTING_WRITER_ROLE},
	{.name = NULL},
};

static const struct param params[] = {
	{"where", PARAM_CHOICE, "same_vma", .choices = "other_vma|same_vma",
	 .help = "the page that the writer changes: the last one of the mapping that is faulted in, "
		 "or of another one. With locks of their own for VMAs (Linux 6.4, "
		 "CONFIG_PER_VMA_LOCK) only faults of same_vma meet the writer; without them all do"},
	FAULTING_PARAM_WRITER,
	{"writer_rate", PARAM_NUMBER, "10000", .high = 1e6,
	 .help = "operations/s of the writer, each at a random moment of its period; 0: one after "
		 "the other"},
	{"fault_rate", PARAM_NUMBER, "10000", .high = 1e7,
	 .help = "pages/s that each faulter writes to, in the same way; 0: one after the other, "
		 "for which size= must last"},
	{"size", PARAM_BYTES, "128M", .low = 0x1p16, .high = 0x1p44,
	 .help = "of what each faulter has to write to, in whole pages, once: nothing is made ready "
		 "again in the window"},
	{.name = NULL},
};

/*
 * Primary is what a fault takes, at the percentile that lies among those that met the writer: 3 to
 * 14 % of them fell back to mmap_lock. In 12 to 14 pairs (Linux 6.18, 2 CPUs, other work at a load
 * of 5) where=same_vma against other_vma changed fault_call_p99 by a factor of 43 (t = 13), p95 by
 * 3.9 (t = 6), p50 by 1.02 (t = 1), and fault_latency_p99, in which waiting for the CPU is, by 1.5
 * (t = 2). Of two runs of other_vma the fault_call_p99 differed by a standard deviation of 14 %, of
 * two of same_vma by a factor of 3.6, for there it lies where being preempted begins to show.
 */
static const struct metric metrics[] = {
	FAULTING_METRICS_FAULTER(SUMMARY_P99),
	FAULTING_METRICS_WRITER,
	{.name = NULL},
};

const struct workload workload_mmap_fault = {
	.name = "mmap_fault",
	.summary = "threads that fault beside one that changes mappings of the same mm",
	.needs = "memory for size= of each faulter",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
