// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/advice.h"

/*
 * One madvise call on a whole mapping, and before each one, not timed, what makes it find what the
 * first one found: a second call alone would have little to do. docs/workloads.md says for each
 * advice what that is, and which locks the call takes.
 */

enum { CALL };
enum { PAGED_OUT = FENCED_PAGES + 1, EAGAINS, EBUSYS, ENOMEMS };

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

/* False: it is to be the last one. */
static bool call_pageout(struct worker *w, char *at)
{
	const struct fenced *f = w->local;
	size_t untouched = f->region.bytes / f->region.page - f->touched_pages, absent;
	int64_t begin = worker_begin(w, CALL), took;

	if (madvise(at, f->region.bytes, MADV_PAGEOUT)) {
		worker_fail(w);
		return true;
	}
	took = w->series[CALL] ? clock_now_ns() - begin : 0;
	absent = absent_pages(f, at);
	if (absent <= untouched) {
		worker_spent(w, "a call left all pages in memory: is there room in swap for this "
				"memory cgroup?");
		return false;
	}
	worker_add(w, PAGED_OUT, absent - untouched);
	fenced_count(w, worker_record(w, CALL, took));
	return true;
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
	}
	fenced_end(w, CALL, begin, ok);
}

static void work(struct worker *w)
{
	const struct advice *advice = &advices[cast_integer(w->cast, "advice")];
	char *at = fenced_place(w);

	if (!fenced_settle(w, at))
		return;
	while (worker_next(w)) {
		enum fenced_touched ready = advice->ready(w, at);

		if (ready == FENCED_ENDED)
			return;
		if (ready == FENCED_FAILED)
			continue;
		if (advice->value != MADV_PAGEOUT)
			call(w, at, advice->value);
		else if (!call_pageout(w, at))
			return;
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

static bool supported(const struct cast *cast, struct error *err)
{
	return fenced_supported(cast, err) &&
	       advice_supported(cast, cast_integer(cast, "advice"), err);
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
	{"advice", PARAM_CHOICE, "dontneed", .choices = ADVICE_CHOICES,
	 .help = "what is advised. dontneed, free: pages that were written; pageout: the same, to "
		 "swap; cold: pages that are active; collapse: small pages, to huge ones; "
		 "populate_write: a mapping without a page"},
	FENCED_PARAMS("2M", "; collapse: whole huge pages", "cold and populate_write have 100%"),
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
