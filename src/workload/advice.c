// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/advice.h"

#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "kernel/abi.h"
#include "kernel/meminfo.h"
#include "kernel/thp.h"

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

const struct advice advices[] = {
	[ADVICE_DONTNEED] = {MADV_DONTNEED, NULL, fenced_touch},
	/* A page that was freed lazily and written again stays on the list for such: new ones. */
	[ADVICE_FREE] = {MADV_FREE, "4.5", fenced_renew},
	[ADVICE_PAGEOUT] = {MADV_PAGEOUT, "5.4", fenced_touch},
	[ADVICE_COLD] = {MADV_COLD, "5.4", activate},
	[ADVICE_COLLAPSE] = {MADV_COLLAPSE, "6.1", fill_small},
	[ADVICE_POPULATE] = {MADV_POPULATE_WRITE, "5.14", throw_away},
};

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

	if (text_equal(cast_string(cast, "hugepage"), "never"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "advice=collapse with hugepage=never: nothing would be collapsed");
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

static bool check_touch(const struct cast *cast, int64_t index, struct error *err)
{
	const char *touch = cast_string(cast, "touch"), *name = cast_string(cast, "advice");

	if (cast_number(cast, "touch") <= 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "touch=%s with advice=%s: there would be no page for it", touch,
				 name);
	if (cast_number(cast, "touch") >= 1 || (index != ADVICE_COLD && index != ADVICE_POPULATE))
		return true;
	return error_set(err, ERROR_UNSUPPORTED, "touch=%s with advice=%s: all pages are %s", touch,
			 name, index == ADVICE_COLD ? "made active before" : "brought in by it");
}

bool advice_supported(const struct cast *cast, int64_t index, struct error *err)
{
	if (!check_touch(cast, index, err))
		return false;
	if (index == ADVICE_COLLAPSE && !check_collapse(cast, err))
		return false;
	if (index == ADVICE_PAGEOUT && !check_pageout(cast, err))
		return false;
	/* Pages are made active by populating them. */
	if (index == ADVICE_COLD && !try_advice(cast, &advices[ADVICE_POPULATE], err))
		return false;
	return try_advice(cast, &advices[index], err);
}
