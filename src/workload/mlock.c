// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "workload/fenced.h"

/*
 * A mapping locked and unlocked. Both calls take mmap_lock for writing, and change VM_LOCKED and
 * count every page that is there as locked under it (mlock_vma_pages_range(), Linux 5.18; before,
 * mlock did that while populating). Then mlock populates what is missing, as faults do, under
 * mmap_lock for reading.
 *
 * Where all pages were written before nothing is made ready in the loop. With fewer the pages are
 * thrown away (MADV_DONTNEED) and the share is written again before each mlock, so that each one
 * finds what the first one found.
 */

enum { MLOCK, MUNLOCK };

/* By the system call itself: AddressSanitizer has mlock() and munlock() do nothing. */
static bool lock(char *at, size_t bytes)
{
	return !syscall(SYS_mlock, at, bytes);
}

static bool unlock(char *at, size_t bytes)
{
	return !syscall(SYS_munlock, at, bytes);
}

static void work(struct worker *w)
{
	const struct fenced *f = w->local;
	size_t bytes = f->region.bytes;
	bool again = f->touched_pages < bytes / f->region.page;
	char *at = fenced_place(w);

	if (!fenced_settle(w, at))
		return;
	while (worker_next(w)) {
		enum fenced_touched touched = again ? fenced_renew(w, at) : FENCED_TOUCHED;
		int64_t begin;

		if (touched == FENCED_ENDED)
			return;
		if (touched == FENCED_FAILED)
			continue;
		begin = worker_begin(w, MLOCK);
		worker_end(w, MLOCK, begin, lock(at, bytes));
		begin = worker_begin(w, MUNLOCK);
		worker_end(w, MUNLOCK, begin, unlock(at, bytes));
	}
}

/*
 * Whether a process may lock so much, by asking for it: MLOCK_ONFAULT (Linux 4.4) checks the limit
 * and CAP_IPC_LOCK, and brings no page in.
 */
static bool may_lock(const struct cast *cast, struct error *err)
{
	bool threads = text_equal(cast_string(cast, "mode"), "thread");
	size_t bytes = (size_t)cast_integer(cast, "size") *
		       (threads ? (size_t)cast_integer(cast, "tasks") : 1);
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool may = at != MAP_FAILED && !mlock2(at, bytes, MLOCK_ONFAULT);
	char needed[UNITS_TEXT], limit[UNITS_TEXT];
	struct rlimit r = {0};

	if (!may)
		error_set_errno(err, "mlock");
	if (at != MAP_FAILED)
		munmap(at, bytes);
	if (may)
		return true;
	getrlimit(RLIMIT_MEMLOCK, &r);
	err->code = ERROR_UNSUPPORTED;
	return error_wrap(err,
			  "a process of mlock would lock %s, and RLIMIT_MEMLOCK is %s without "
			  "CAP_IPC_LOCK",
			  units_format((double)bytes, "bytes", needed),
			  units_format((double)r.rlim_cur, "bytes", limit));
}

static bool supported(const struct cast *cast, struct error *err)
{
	double bytes = cast_number(cast, "size") * cast_number(cast, "tasks");

	/* Whatever was touched before, mlock brings all of it in. */
	return fenced_supported(cast, err) && cast_affords(cast, "the tasks", bytes, err) &&
	       may_lock(cast, err);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "locks its mapping into memory and unlocks it",
		.operations = {[MLOCK] = {.name = "mlock", .series = "mlock_latency"},
			       [MUNLOCK] = {.name = "munlock", .series = "munlock_latency"}},
		.prepare = fenced_prepare_size,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	FENCED_PARAMS("1M", "",
		      "Less than 100%: mlock brings in the rest, and between the calls, not "
		      "timed, all pages are thrown away and the share written again"),
	{.name = NULL},
};

static const struct metric metrics[] = {
	METRIC_QUANTILES_PRIMARY("mlock_latency", "task.mlock_latency", "of an mlock call",
				 SUMMARY_P50),
	METRIC_QUANTILES("munlock_latency", "task.munlock_latency", "of a munlock call"),
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations",
	 .help = "mlock and munlock calls per second, with all that is done between them, summed "
		 "over the tasks"},
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a call, with all that is done between them"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.mlock",
	 .help = "minor faults a pair of calls, of mlock or of what is done before it: 0 where all "
		 "pages were written before the loop"},
	{.name = NULL},
};

const struct workload workload_mlock = {
	.name = "mlock",
	.summary = "a mapping locked into memory and unlocked",
	.needs = "memory for size= of each task; CAP_IPC_LOCK, or RLIMIT_MEMLOCK for size= of a "
		 "process",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
