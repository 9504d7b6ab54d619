// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/fenced.h"

#include <unistd.h>

#include "base/text.h"
#include "workload/touch.h"

bool fenced_supported(const struct cast *cast, struct error *err)
{
	double pages = cast_number(cast, "size") / (double)sysconf(_SC_PAGESIZE);
	double ratio = cast_number(cast, "touch");
	/* A page table entry has 8 bytes at most. */
	double bytes = (cast_number(cast, "size") + pages * 8) * ratio;

	if (!region_mappable(cast, err))
		return false;
	if (ratio > 0 && !touch_before(ratio, (size_t)pages))
		return error_set(err, ERROR_UNSUPPORTED, "touch=%s: less than a page of size=%s",
				 cast_string(cast, "touch"), cast_string(cast, "size"));
	return cast_affords(cast, "the tasks", bytes * cast_number(cast, "tasks"), err);
}

size_t fenced_table_bytes(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* A page of entries, each of which maps a page. */
	return page * (page / sizeof(uint64_t));
}

bool fenced_prepare(struct worker *w, size_t span_bytes, struct error *err)
{
	static struct fenced f;
	size_t align = fenced_table_bytes();
	bool threads = text_equal(cast_string(w->cast, "mode"), "thread");
	size_t places = threads ? w->tasks : 1;
	size_t span = (span_bytes + align - 1) / align * align, stride = span + align;
	char *all;

	if (!region_init(&f.region, w->cast, err))
		return false;
	f.touched_ratio = cast_number(w->cast, "touch");
	f.touched_pages = touch_before(f.touched_ratio, f.region.bytes / f.region.page);
	all = mmap(NULL, places * stride + 2 * align, PROT_NONE, f.region.flags | MAP_NORESERVE, -1,
		   0);
	if (all == MAP_FAILED)
		return error_set_errno(err, "reserve address space for %zu places of %zu bytes",
				       places, span);
	f.first = all + 2 * align - (uintptr_t)all % align;
	f.stride = threads ? stride : 0;
	for (size_t i = 0; i < places; i++) {
		if (munmap(f.first + i * stride, span))
			return error_set_errno(err, "place %zu (vm.max_map_count?)", i);
	}
	w->local = &f;
	return true;
}

bool fenced_prepare_size(struct worker *w, struct error *err)
{
	return fenced_prepare(w, (size_t)cast_integer(w->cast, "size"), err);
}

/* Pages between two looks at the phase: some 250 us at 1 us a page. */
enum { TOUCHED_AT_ONCE = 256 };

enum fenced_touched fenced_touch(struct worker *w, char *at)
{
	const struct fenced *f = w->local;
	size_t page = f->region.page, pages = f->region.bytes / page;

	for (size_t first = 0; f->touched_pages && first < pages; first += TOUCHED_AT_ONCE) {
		size_t count = pages - first < TOUCHED_AT_ONCE ? pages - first : TOUCHED_AT_ONCE;

		if (first && !worker_next(w))
			return FENCED_ENDED;
		if (!touch_pages(at + first * page, page, first, count, f->touched_ratio)) {
			worker_fail(w);
			return FENCED_FAILED;
		}
	}
	return FENCED_TOUCHED;
}

enum fenced_touched fenced_renew(struct worker *w, char *at)
{
	const struct fenced *f = w->local;

	if (!madvise(at, f->region.bytes, MADV_DONTNEED))
		return fenced_touch(w, at);
	worker_fail(w);
	return FENCED_FAILED;
}

bool fenced_settle(struct worker *w, char *at)
{
	const struct fenced *f = w->local;
	size_t pages = f->region.bytes / f->region.page;

	if (fenced_map(f, at) && touch_pages(at, f->region.page, 0, pages, f->touched_ratio))
		return true;
	while (worker_next(w))
		worker_fail(w);
	return false;
}
