// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "kernel/memcg.h"
#include "kernel/meminfo.h"
#include "workload/content.h"
#include "workload/region.h"

/*
 * usemem of vm-scalability: each task has a region of size=, all together more than their memory
 * cgroup, or the machine, may hold, and goes over its pages again and again. A page that was
 * swapped out is brought in by the fault of its access, and another one must go for it, in the same
 * fault: reclaim of a memory cgroup is the work of who charges it (direct reclaim), not of kswapd.
 *
 * pattern=zero_sequential is another loop, the one of the series on the swap allocator and the swap
 * cache: zero pages are brought out by MADV_PAGEOUT, all of a region, and back in by reading them.
 * No page is compressed or stored, so it is the swap path alone that takes the time.
 */

enum { ACCESS, FREE, REGION_OUT, REGION_IN };
enum { FREE_NS, OUT_NS, OUT_PAGES, IN_NS, IN_PAGES, REGION_OUT_NS, REGION_IN_NS };
enum { SEQUENTIAL, RANDOM, ZERO_SEQUENTIAL };
enum { READ, WRITE };

/* Pages of one MADV_PAGEOUT, and between two looks at the phase: what reclaim takes at once. */
enum { SPAN_PAGES = 512 };

struct user {
	struct region region;
	struct content content;
	struct random random;
	char *kept; /* the region, where there is one for the whole run */
	uint64_t turn;
	unsigned int passes;
	bool writes, shuffles;
};

/* fresh: it never was written, and gets its content. */
static void touch_page(struct user *u, char *at, size_t number, bool fresh)
{
	volatile uint64_t *word = (volatile uint64_t *)(void *)(at + number * u->region.page);

	if (fresh)
		content_fill(&u->content, (char *)(uintptr_t)word, number);
	else if (u->writes)
		*word = ++u->turn;
	else
		(void)*word;
}

/* Once over the region, or as many pages at random. False: the window is over. */
static bool pass(struct worker *w, struct user *u, char *at, bool fresh)
{
	size_t pages = u->region.bytes / u->region.page;

	for (size_t i = 0; i < pages; i++) {
		size_t number = u->shuffles ? random_below(&u->random, pages) : i;
		int64_t begin;

		if (!worker_next(w))
			return false;
		begin = worker_begin(w, ACCESS);
		touch_page(u, at, number, fresh);
		worker_end(w, ACCESS, begin, true);
	}
	return true;
}

static bool unmap(struct tally *t, const struct user *u, char *at)
{
	int64_t begin_ns = clock_now_ns();

	if (munmap(at, u->region.bytes))
		return false;
	tally_count(t, FREE);
	t->counters[FREE_NS] += (uint64_t)(clock_now_ns() - begin_ns);
	return true;
}

/* prefault=no: what usemem does from its begin to its end. */
static void use_new_regions(struct worker *w, struct user *u)
{
	while (worker_next(w)) {
		char *at = region_map(&u->region);

		if (!at) {
			worker_fail(w);
			continue;
		}
		for (unsigned int i = 0; i < u->passes; i++) {
			if (!pass(w, u, at, !i))
				return;
		}
		if (!unmap(w->tally, u, at))
			worker_fail(w);
	}
}

/* A span of the region, one way. False with errno where it was refused. */
static bool bring_span(struct worker *w, const struct user *u, char *at, size_t bytes, bool out)
{
	if (out)
		return !madvise(at, bytes, MADV_PAGEOUT);
	for (size_t done = 0; done < bytes; done += u->region.page) {
		(void)*(volatile char *)(at + done);
		tally_count(w->tally, ACCESS);
	}
	return true;
}

/*
 * The whole region, one way. One that was begun in the window is recorded; what the counters have
 * is of all spans in it. False: the window is over.
 */
static bool bring(struct worker *w, const struct user *u, bool out)
{
	size_t span = SPAN_PAGES * u->region.page;
	uint32_t phase = w->seen_phase;
	int64_t took_ns = 0;

	for (size_t done = 0; done < u->region.bytes; done += span) {
		size_t left = u->region.bytes - done, bytes = left < span ? left : span;
		int64_t begin_ns, span_ns;

		if (!worker_next(w))
			return false;
		begin_ns = clock_now_ns();
		if (!bring_span(w, u, u->kept + done, bytes, out)) {
			worker_fail(w);
			continue;
		}
		span_ns = clock_now_ns() - begin_ns;
		worker_add(w, out ? OUT_NS : IN_NS, (uint64_t)span_ns);
		worker_add(w, out ? OUT_PAGES : IN_PAGES, bytes / u->region.page);
		took_ns += span_ns;
	}
	if (w->seen_phase == phase) {
		tally_count(w->tally, out ? REGION_OUT : REGION_IN);
		worker_add(w, out ? REGION_OUT_NS : REGION_IN_NS, (uint64_t)took_ns);
	}
	return true;
}

static void work(struct worker *w)
{
	struct user *u = (struct user *)w->local + w->task;

	if (cast_integer(w->cast, "pattern") == ZERO_SEQUENTIAL) {
		while (bring(w, u, true) && bring(w, u, false))
			;
	} else if (u->kept) {
		while (pass(w, u, u->kept, false))
			;
	} else {
		use_new_regions(w, u);
	}
}

/*
 * Before the window, so that all of it has been swapped out once and the loop finds what it leaves.
 */
static bool keep_region(struct user *u, bool zero, struct error *err)
{
	u->kept = region_map(&u->region);
	if (!u->kept)
		return error_set_errno(err, "map the region");
	for (size_t i = 0; i < u->region.bytes / u->region.page; i++) {
		char *at = u->kept + i * u->region.page;

		if (zero)
			*(volatile char *)at = 0;
		else
			content_fill(&u->content, at, i);
	}
	return true;
}

static bool prepare_one(struct worker *w, struct user *u, unsigned int task, struct error *err)
{
	int64_t pattern = cast_integer(w->cast, "pattern");
	bool zero = pattern == ZERO_SEQUENTIAL;

	if (!region_init(&u->region, w->cast, err))
		return false;
	content_init(&u->content, u->region.page, cast_number(w->cast, "random"), w->seed + task);
	random_seed(&u->random, w->seed + task, 1);
	u->passes = (unsigned int)cast_integer(w->cast, "passes");
	u->writes = cast_integer(w->cast, "access") == WRITE;
	u->shuffles = pattern == RANDOM;
	return !(zero || cast_switch(w->cast, "prefault")) || keep_region(u, zero, err);
}

/* For all tasks of the process. */
static bool prepare(struct worker *w, struct error *err)
{
	bool threads = text_equal(cast_string(w->cast, "mode"), "thread");
	struct user *users = memory_array(w->tasks, sizeof(*users));

	w->local = users;
	for (unsigned int i = threads ? 0 : w->task; i < (threads ? w->tasks : w->task + 1); i++) {
		if (!prepare_one(w, &users[i], i, err))
			return false;
	}
	return true;
}

/* All processes are here at once, as with usemem -x. */
static bool finish(const struct worker *w, struct error *err)
{
	const struct user *users = w->local;

	for (unsigned int i = 0; i < w->tasks; i++) {
		if (users[i].kept && !unmap(w->tally, &users[i], users[i].kept))
			return error_set_errno(err, "munmap");
	}
	return true;
}

/* What memory and swap have room for together, of which some is to be left. */
static bool check_room(const struct cast *cast, struct error *err)
{
	static const double ratio = 0.8;
	bool zero = cast_integer(cast, "pattern") == ZERO_SEQUENTIAL;
	double bytes = cast_number(cast, "size") * cast_number(cast, "tasks");
	int64_t swap = meminfo_bytes("", "/proc/meminfo", "SwapFree"), memory;
	const struct memcg_files *files;
	char needed[UNITS_TEXT], there[UNITS_TEXT];

	if (swap <= 0)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"no swap is on, or all of it is in use: zram=1G gives a run its own");
	memory = meminfo_available_bytes("");
	if (cast_memcg(cast) && memcg_find("", &files, err)) {
		int64_t limit = memcg_bytes("", cast_memcg(cast), files->limit);

		memory = limit >= 0 && limit < memory ? limit : memory;
	}
	if (bytes <= ratio * (double)(swap + (zero ? 0 : memory)))
		return true;
	return error_set(
		err, ERROR_UNSUPPORTED,
		"the tasks have %s of memory, at most %.0f %% of what there is room for: %s of "
		"%s",
		units_format(bytes, "bytes", needed), 100 * ratio,
		units_format((double)(swap + (zero ? 0 : memory)), "bytes", there),
		zero ? "swap" : "memory and swap together");
}

static bool supported(const struct cast *cast, struct error *err)
{
	/* Of no page, so that only the advice is looked at. */
	if (madvise(NULL, 0, MADV_PAGEOUT))
		return error_set(err, ERROR_UNSUPPORTED,
				 "this kernel has no MADV_PAGEOUT (Linux 5.4)");
	return cast_whole_pages(cast, "size", err) && check_room(cast, err);
}

static bool confirm(const struct machine *machine, struct error *err)
{
	if (machine_counted(machine, "swapped_out") > 0)
		return true;
	return error_set(
		err, ERROR_DATA,
		"no page was swapped out in the window: what the tasks have, size= each, must "
		"be more than they may hold, as with memcg=64M and size=256M, and there must "
		"be swap (zram=1G)");
}

/* What the kernel keeps account of; with the words of its own. */
static const struct machine_counter counters[] = {
	{"swapped_out", MACHINE_VMSTAT, {"pswpout", "swpout_zero", "zswpout"}},
	{"swapped_in", MACHINE_VMSTAT, {"pswpin", "swpin_zero", "zswpin"}},
	{"pswpout", MACHINE_VMSTAT, {"pswpout"}},
	{"pswpin", MACHINE_VMSTAT, {"pswpin"}},
	{"mthp_swpout", MACHINE_MTHP, {"swpout"}},
	{"mthp_swpout_fallback", MACHINE_MTHP, {"swpout_fallback"}},
	{"mthp_swpout_tried", MACHINE_MTHP, {"swpout", "swpout_fallback"}},
	{"mthp_swpin", MACHINE_MTHP, {"swpin"}},
	{"orig_data_bytes", MACHINE_ZRAM, {"orig_data_size"}},
	{"compr_data_bytes", MACHINE_ZRAM, {"compr_data_size"}},
	{.name = NULL},
};

static const struct role roles[] = {
	{
		.name = "task",
		.help = "has a region, accesses its pages one after the other or at random, and "
			"unmaps it; zero_sequential: brings it out and in again",
		.operations = {[ACCESS] = {.name = "access", .series = "latency"},
			       [FREE] = {.name = "free", .part = true},
			       [REGION_OUT] = {.name = "region_out", .part = true},
			       [REGION_IN] = {.name = "region_in", .part = true}},
		.counters = {[FREE_NS] = {.name = "free_ns"},
			     [OUT_NS] = {.name = "out_ns"},
			     [OUT_PAGES] = {.name = "out_pages"},
			     [IN_NS] = {.name = "in_ns"},
			     [IN_PAGES] = {.name = "in_pages"},
			     [REGION_OUT_NS] = {.name = "region_out_ns"},
			     [REGION_IN_NS] = {.name = "region_in_ns"}},
		.prepare = prepare,
		.work = work,
		.finish = finish,
		.slow = "its region takes long to fill, and to swap out, with a smaller size= it is "
			"quicker",
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"size", PARAM_BYTES, "256M", .low = 0x1p12, .high = 0x1p46,
	 .help = "of each task's region, in whole pages, as it is each process's with usemem -n"},
	{"pattern", PARAM_CHOICE, "sequential", .choices = "sequential|random|zero_sequential",
	 .help = "order of the accesses. zero_sequential: no accesses, but a region of zero pages is "
		 "brought out by MADV_PAGEOUT, 512 pages a call, and in by reading, in turn"},
	{"access", PARAM_CHOICE, "write", .choices = "read|write", .needs = "prefault=yes",
	 .help = "what is done to a page: a word of it is read, or written"},
	{"prefault", PARAM_SWITCH, "yes",
	 .help = "yes: the region is filled before anything counts, and the passes over it go on; no: "
		 "usemem without options, a new region each time, filled by its first pass, unmapped "
		 "after passes="},
	{"passes", PARAM_COUNT, "1", .low = 1, .high = 1e6, .needs = "prefault=no",
	 .help = "passes over a region that is new each time"},
	{"random", PARAM_PERCENT, "50%", .high = 1,
	 .help = "share of each page that is random and does not compress; the rest is zero"},
	{.name = NULL},
};

/*
 * Primary is what usemem calls throughput. Where reclaim or the swap path gets slower every access
 * waits for it, and that is all that a user of the memory would feel.
 */
static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "pages accessed per second, summed over the tasks: usemem's throughput, in pages; "
		 "zero_sequential: pages brought back in"},
	METRIC_QUANTILES("latency", "task.latency",
			 "of an access to a page; not with zero_sequential"),
	{"free", "ns", BETTER_LOWER, SUMMARY_RATIO, "task.free_ns", "task.free",
	 .help = "mean time to unmap a region of which a part is in swap, usemem's free latency; with "
		 "prefault=yes all tasks do so at the same time, when the windows are over"},
	{"region_out", "ns", BETTER_LOWER, SUMMARY_RATIO, "task.region_out_ns", "task.region_out",
	 .help = "mean time of zero_sequential to bring out all of size="},
	{"region_in", "ns", BETTER_LOWER, SUMMARY_RATIO, "task.region_in_ns", "task.region_in",
	 .help = "mean time of zero_sequential to bring in all of size="},
	{"page_out", "ns/page", BETTER_LOWER, SUMMARY_RATIO, "task.out_ns", "task.out_pages",
	 .help = "time of MADV_PAGEOUT a page; unlike region_out also of regions that the window cuts"},
	{"page_in", "ns/page", BETTER_LOWER, SUMMARY_RATIO, "task.in_ns", "task.in_pages",
	 .help = "the same of the reads that bring a page in"},
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time of the tasks a page: reclaim of a memory cgroup is in it, kswapd is not"},
	{"system", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.system_ns", "task.operations",
	 .help = "the same in the kernel alone, as getrusage() divides it, which may be by ticks"},
	{"major_faults", "1/op", BETTER_LOWER, SUMMARY_RATIO, "task.major_faults",
	 "task.operations", .help = "faults a page that had to bring in something"},
	{"swapped_out", "1/s", BETTER_NEITHER, SUMMARY_RATE, "machine.swapped_out",
	 .help = "pages swapped out per second: pswpout, swpout_zero (Linux 6.12) and zswpout of "
		 "memory.stat of the run's memory cgroup where it has them (v2), else of /proc/vmstat, "
		 "which is the whole machine's"},
	{"swapped_in", "1/s", BETTER_NEITHER, SUMMARY_RATE, "machine.swapped_in",
	 .help = "pages swapped in per second: pswpin, swpin_zero and zswpin, from there"},
	{"pswpout", "1/s", BETTER_NEITHER, SUMMARY_RATE, "machine.pswpout",
	 .help = "pages written to swap areas per second, from there: no zero pages, none that zswap took"},
	{"pswpin", "1/s", BETTER_NEITHER, SUMMARY_RATE, "machine.pswpin",
	 .help = "pages read from swap areas per second, from there"},
	{"zram_ratio", "ratio", BETTER_HIGHER, SUMMARY_RATIO, "machine.orig_data_bytes",
	 "machine.compr_data_bytes",
	 .help = "what zram holds over what it became by compression (mm_stat), all devices, when the "
		 "window is over"},
	{"mthp_swpout", "1/s", BETTER_NEITHER, SUMMARY_RATE, "machine.mthp_swpout",
	 .help = "large folios of all sizes that were swapped out whole, per second "
		 "(hugepages-SIZE/stats/swpout), of the whole machine"},
	{"mthp_swpout_fallback", "1/s", BETTER_LOWER, SUMMARY_RATE, "machine.mthp_swpout_fallback",
	 .help = "those that were split for it (swpout_fallback), per second"},
	{"mthp_swpout_success", "ratio", BETTER_HIGHER, SUMMARY_RATIO, "machine.mthp_swpout",
	 "machine.mthp_swpout_tried", .help = "those swapped out whole, of both"},
	{"mthp_swpin", "1/s", BETTER_NEITHER, SUMMARY_RATE, "machine.mthp_swpin",
	 .help = "large folios that were swapped in whole, per second (swpin)"},
	{.name = NULL},
};

const struct workload workload_swap = {
	.name = "swap",
	.summary =
		"accesses to more memory than there is room for: usemem, and swap-out and -in of zeros",
	.needs = "swap (zram=1G), and less memory than size= of all tasks (memcg=64M); Linux 5.4",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.machine = counters,
	.supported = supported,
	.confirm = confirm,
};
