// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "base/units.h"
#include "kernel/abi.h"
#include "kernel/meminfo.h"
#include "kernel/thp.h"
#include "workload/fenced.h"

/*
 * One madvise call on a whole mapping, and before each one, not timed, what makes it find what the
 * first one found: a second call alone would have little to do. docs/workloads.md says for each
 * advice what that is, and which locks the call takes.
 */

enum { CALL };
enum { PAGED_OUT = FENCED_PAGES + 1, EAGAINS, EBUSYS, ENOMEMS };

static enum fenced_touched throw_away(struct worker *w, char *at)
{
	const struct fenced *f = w->local;

	if (!madvise(at, f->region.bytes, MADV_DONTNEED))
		return FENCED_TOUCHED;
	worker_fail(w);
	return FENCED_FAILED;
}

/*
 * Only what is on the active list is deactivated. A page gets there when it is marked accessed for
 * the second time, which populating does to one that is there already. Writing makes its page table
 * entry young, which the call makes old and flushes.
 */
static enum fenced_touched activate(struct worker *w, char *at)
{
	const struct fenced *f = w->local;
	enum fenced_touched touched = fenced_touch(w, at);

	if (touched == FENCED_TOUCHED)
		touched = fenced_touch(w, at);
	for (size_t i = 0; touched == FENCED_TOUCHED && i < f->region.bytes; i += f->region.page)
		((volatile char *)at)[i] = 1;
	return touched;
}

/*
 * Small pages, however huge ones are set up here: a mapping that must not have any is filled, and
 * is then told that it may.
 */
static enum fenced_touched fill_small(struct worker *w, char *at)
{
	const struct fenced *f = w->local;
	enum fenced_touched touched;

	if (madvise(at, f->region.bytes, MADV_NOHUGEPAGE)) {
		worker_fail(w);
		return FENCED_FAILED;
	}
	touched = fenced_renew(w, at);
	if (touched != FENCED_TOUCHED || !madvise(at, f->region.bytes, MADV_HUGEPAGE))
		return touched;
	worker_fail(w);
	return FENCED_FAILED;
}

enum advice_kind { DONTNEED, FREE, PAGEOUT, COLD, COLLAPSE, POPULATE_WRITE };

static const struct advice {
	int value;
	const char *since; /* the first kernel that knows it; NULL: all do */
	bool whole;	   /* touch= makes no sense */
	/* What is done before each call. */
	enum fenced_touched (*ready)(struct worker *w, char *at);
} advices[] = {
	[DONTNEED] = {MADV_DONTNEED, NULL, false, fenced_touch},
	/* A page that was freed lazily and written again stays on the list for such: new ones. */
	[FREE] = {MADV_FREE, "4.5", false, fenced_renew},
	[PAGEOUT] = {MADV_PAGEOUT, "5.4", false, fenced_touch},
	[COLD] = {MADV_COLD, "5.4", true, activate},
	[COLLAPSE] = {MADV_COLLAPSE, "6.1", false, fill_small},
	[POPULATE_WRITE] = {MADV_POPULATE_WRITE, "5.14", true, throw_away},
};

static const struct advice *advice_of(const struct cast *cast)
{
	return &advices[cast_integer(cast, "advice")];
}

/* How many pages are not in memory. */
static size_t absent_pages(const struct fenced *f, char *at)
{
	unsigned char there[256];
	size_t room = sizeof(there) * f->region.page, absent = 0;

	for (size_t done = 0; done < f->region.bytes; done += room) {
		size_t left = f->region.bytes - done, bytes = left < room ? left : room;

		if (mincore(at + done, bytes, there))
			return 0;
		for (size_t i = 0; i < bytes / f->region.page; i++)
			absent += !(there[i] & 1);
	}
	return absent;
}

/* A call after which all pages are where they were is none: ENOSPC, as there is no more swap. */
static void call_pageout(struct worker *w, char *at)
{
	const struct fenced *f = w->local;
	size_t untouched = f->region.bytes / f->region.page - f->touched_pages;
	int64_t begin = worker_begin(w, CALL), took;
	bool ok = !madvise(at, f->region.bytes, MADV_PAGEOUT);
	size_t absent;

	took = w->series[CALL] ? clock_now_ns() - begin : 0;
	absent = ok ? absent_pages(f, at) : 0;
	if (absent <= untouched) {
		errno = ok ? ENOSPC : errno;
		worker_fail(w);
		return;
	}
	worker_add(w, PAGED_OUT, absent - untouched);
	fenced_count(w, worker_record(w, CALL, took));
}

static void call(struct worker *w, char *at, int value)
{
	const struct fenced *f = w->local;
	int64_t begin = worker_begin(w, CALL);
	bool ok = !madvise(at, f->region.bytes, value);

	if (!ok) {
		worker_add(w, EAGAINS, errno == EAGAIN);
		worker_add(w, EBUSYS, errno == EBUSY);
		worker_add(w, ENOMEMS, errno == ENOMEM);
		worker_fail(w);
		return;
	}
	fenced_count(w, worker_end(w, CALL, begin, ok));
}

static void work(struct worker *w)
{
	const struct advice *advice = advice_of(w->cast);
	char *at = fenced_place(w);

	if (!fenced_settle(w, at))
		return;
	while (worker_next(w)) {
		enum fenced_touched ready = advice->ready(w, at);

		if (ready == FENCED_ENDED)
			return;
		if (ready == FENCED_FAILED)
			continue;
		if (advice->value == MADV_PAGEOUT)
			call_pageout(w, at);
		else
			call(w, at, advice->value);
	}
}

/* Of a collapse that failed: each of them passes, and says something else. */
static void tell_failures(const struct role_sum *sum, struct text *note)
{
	static const struct {
		unsigned int counter;
		const char *words;
	} kinds[] = {
		{EAGAINS, "EAGAIN (a page was locked or could not be isolated)"},
		{EBUSYS, "EBUSY (a page was in use otherwise)"},
		{ENOMEMS, "ENOMEM (no memory, or no huge page of it)"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t n = sum->tally.counters[kinds[i].counter];

		if (n)
			text_printf(note, "%s%llu calls ended with %s", note->length ? ", " : "",
				    (unsigned long long)n, kinds[i].words);
	}
}

/* Whether the kernel knows the advice, by giving it on a mapping that is as small as can be. */
static bool try_advice(const struct cast *cast, const struct advice *advice, struct error *err)
{
	size_t huge = advice->value == MADV_COLLAPSE ? thp_pmd_bytes("") : 0;
	size_t bytes = huge ? huge : (size_t)sysconf(_SC_PAGESIZE);
	char *all =
		mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = all + bytes - (uintptr_t)all % bytes;
	bool knows;

	if (all == MAP_FAILED)
		return error_set_errno(err, "mmap");
	*(volatile char *)at = 1;
	knows = !madvise(at, bytes, advice->value) || errno != EINVAL;
	munmap(all, 2 * bytes);
	return knows ||
	       error_set(err, ERROR_UNSUPPORTED, "advice=%s: this kernel has none%s (Linux %s)",
			 cast_string(cast, "advice"),
			 advice->value == MADV_COLLAPSE ? ", or no transparent huge pages" : "",
			 advice->since);
}

static bool check_collapse(const struct cast *cast, struct error *err)
{
	size_t huge = thp_pmd_bytes("");

	if (text_equal(cast_string(cast, "thp"), "never"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "advice=collapse with thp=never: nothing would be collapsed");
	if (!huge || cast_integer(cast, "size") % (int64_t)huge == 0)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "advice=collapse needs a size= of whole huge pages of %zu bytes", huge);
}

static bool check_pageout(const struct cast *cast, struct error *err)
{
	double bytes = cast_number(cast, "size") * cast_number(cast, "touch");
	int64_t left = meminfo_bytes("", "/proc/meminfo", "SwapFree");
	char needed[UNITS_TEXT], there[UNITS_TEXT];

	bytes *= cast_number(cast, "tasks");
	if (left > 0 && bytes <= (double)left)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "advice=pageout needs %s of swap for all tasks: %s are free",
			 units_format(bytes, "bytes", needed),
			 units_format((double)(left > 0 ? left : 0), "bytes", there));
}

static bool supported(const struct cast *cast, struct error *err)
{
	const struct advice *advice = advice_of(cast);
	const char *name = cast_string(cast, "advice");

	if (advice->whole && cast_number(cast, "touch") < 1)
		return error_set(err, ERROR_UNSUPPORTED,
				 "touch=%s with advice=%s: it has all pages %s",
				 cast_string(cast, "touch"), name,
				 advice->value == MADV_COLD ? "made active before" : "to write to");
	if (cast_number(cast, "touch") <= 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "touch=%s: there would be nothing to give advice=%s on",
				 cast_string(cast, "touch"), name);
	if (!fenced_supported(cast, err))
		return false;
	if (advice->value == MADV_COLLAPSE && !check_collapse(cast, err))
		return false;
	if (advice->value == MADV_PAGEOUT && !check_pageout(cast, err))
		return false;
	/* That is how pages are made active. */
	return (advice->value != MADV_COLD || try_advice(cast, &advices[POPULATE_WRITE], err)) &&
	       try_advice(cast, advice, err);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "gives advice on its mapping, which is what is timed, and makes ready for "
			"the next time",
		.operations = {[CALL] = {.name = "call", .series = "latency"}},
		.counters = {FENCED_COUNTERS, [PAGED_OUT] = {.name = "paged_out"},
			     [EAGAINS] = {.name = "eagain"}, [EBUSYS] = {.name = "ebusy"},
			     [ENOMEMS] = {.name = "enomem"}},
		.prepare = fenced_prepare_size,
		.work = work,
		.note = tell_failures,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"advice", PARAM_CHOICE, "dontneed",
	 .choices = "dontneed|free|pageout|cold|collapse|populate_write",
	 .help = "what is advised. dontneed, free: pages that were written; pageout: the same, to "
		 "swap; cold: pages that are active; collapse: small pages, to huge ones; "
		 "populate_write: a mapping without a page"},
	{"size", PARAM_BYTES, "2M", .low = 0x1p12, .high = 0x1p44,
	 .help = "of each task's mapping, in whole pages; collapse: whole huge pages"},
	FENCED_PARAM_TOUCH("cold and populate_write have 100%"),
	REGION_PARAM_THP,
	{.name = NULL},
};

static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("latency", "task.latency", "of an madvise call", SUMMARY_P50),
	FENCED_METRICS("madvise"),
	{"paged_out", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.paged_out", "task.pages",
	 .help = "pages that pageout brought out, of those touched; 0 with other advice"},
	{.name = NULL},
};

const struct workload workload_madvise = {
	.name = "madvise",
	.summary = "advice on a mapping that is made ready for it each time",
	.needs = "memory for size= of each task; pageout: swap; cold, populate_write: Linux 5.14; "
		 "collapse: Linux 6.1 and transparent huge pages",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
