// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/space.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "kernel/thp.h"
#include "workload/touch.h"

void space_init(struct space *s, int64_t bytes, int64_t mappings, double touched_ratio)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*s = (struct space){
		.page = page,
		.huge = thp_pmd_bytes(""),
		.pages = ((size_t)bytes + page - 1) / page,
		.mappings = (size_t)mappings,
		.touched_ratio = touched_ratio,
	};
}

size_t space_touched_pages(const struct space *s)
{
	return touch_before(s->touched_ratio, s->pages);
}

/* Pages of mapping i that belong to s->pages. */
static size_t share(const struct space *s, size_t i)
{
	return s->pages / s->mappings + (i < s->pages % s->mappings);
}

static size_t bytes_of(const struct space *s, size_t i)
{
	size_t pages = share(s, i);

	return (pages ? pages : 1) * s->page;
}

/*
 * From the begin of mapping i to that of the next one: a page in between is not mapped. Where huge
 * pages are asked for the next one begins at a place for one, or all but the first would have one
 * less than they have room for.
 */
static size_t pitch_of(const struct space *s, size_t i)
{
	size_t pitch = bytes_of(s, i) + s->page;

	if (s->thp != SPACE_THP_MADVISE || !s->huge || bytes_of(s, i) < s->huge)
		return pitch;
	return (pitch + s->huge - 1) / s->huge * s->huge;
}

static size_t span_of(const struct space *s)
{
	size_t span = 0;

	for (size_t i = 0; i < s->mappings; i++)
		span += pitch_of(s, i);
	return span;
}

/* Before it is divided: one call for all mappings. */
static bool advise(const struct space *s, char *at, size_t bytes)
{
	switch (s->thp) {
	case SPACE_THP_NEVER:
		/* A kernel without huge pages does not know the advice. */
		return !madvise(at, bytes, MADV_NOHUGEPAGE) || errno == EINVAL;
	case SPACE_THP_MADVISE:
		return !madvise(at, bytes, MADV_HUGEPAGE);
	default:
		return true;
	}
}

/* Makes one mapping and unmaps what lies behind each part of it. */
static bool divide(const struct space *s, struct space_state *state)
{
	size_t align = s->mappings && bytes_of(s, 0) >= s->huge && s->huge ? s->huge : s->page;
	size_t span = span_of(s);
	char *all, *at;

	all = mmap(NULL, span + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return false;
	/* Never at the very begin: what lies below could be merged with. */
	at = all + align - (uintptr_t)all % align;
	if (munmap(all, (size_t)(at - all)))
		return false;
	if (at + span < all + span + align && munmap(at + span, (size_t)(all + align - at)))
		return false;
	if (!advise(s, at, span))
		return false;
	state->low = (uintptr_t)at;
	state->high = (uintptr_t)at + span;
	for (size_t i = 0; i < s->mappings; i++) {
		size_t bytes = bytes_of(s, i), pitch = pitch_of(s, i);

		if (munmap(at + bytes, pitch - bytes))
			return false;
		at += pitch;
		state->mapped++;
	}
	return true;
}

static bool touch(const struct space *s, struct space_state *state)
{
	char *at = (char *)state->low;
	size_t before = 0;

	for (size_t i = 0; i < s->mappings; i++) {
		size_t pages = share(s, i);

		if (!touch_pages(at, s->page, before, pages, s->touched_ratio))
			return false;
		before += pages;
		at += pitch_of(s, i);
		state->touched++;
	}
	return true;
}

bool space_build(const struct space *s, struct space_state *state)
{
	*state = (struct space_state){0};
	return !s->mappings || (divide(s, state) && touch(s, state));
}

bool space_refuse(const struct space *s, const struct space_state *state, struct error *err)
{
	bool limit = errno == ENOMEM;

	if (state->mapped < s->mappings)
		error_set_errno(err, "mapping %zu (vm.max_map_count?)", state->mapped + 1);
	else
		error_set_errno(err, "touch mapping %zu", state->touched + 1);
	if (limit)
		err->code = ERROR_UNSUPPORTED;
	return false;
}

void space_write(const struct space *s, const struct space_state *state, double ratio)
{
	char *at = (char *)state->low;
	size_t before = 0, written = 0;

	for (size_t i = 0; i < s->mappings; i++) {
		size_t pages = share(s, i);

		for (size_t k = 0; k < pages; k++) {
			size_t touched = touch_before(s->touched_ratio, before + k + 1);
			size_t now = touch_before(ratio, touched);

			if (now > written)
				((volatile char *)at)[k * s->page] = 1;
			written = now;
		}
		before += pages;
		at += pitch_of(s, i);
	}
}

void space_take(struct space *s, const struct cast *cast)
{
	space_init(s, cast_integer(cast, "size"), cast_integer(cast, "vmas"),
		   cast_number(cast, "touch"));
	s->thp = (enum space_thp)cast_integer(cast, "hugepage");
}

/* Those of 2 MiB: what MADV_HUGEPAGE asks for first. */
static bool has_huge_pages(const struct cast *cast, struct error *err)
{
	char *enabled __free(memory) =
		file_read_line("", "/sys/kernel/mm/transparent_hugepage/enabled");
	struct space s;

	if (cast_integer(cast, "hugepage") != SPACE_THP_MADVISE)
		return true;
	space_take(&s, cast);
	if (!enabled || !s.huge)
		return error_set(err, ERROR_UNSUPPORTED,
				 "hugepage=madvise: this kernel has no transparent huge pages");
	if (strstr(enabled, "[never]"))
		return error_set(
			err, ERROR_UNSUPPORTED,
			"hugepage=madvise: /sys/kernel/mm/transparent_hugepage/enabled is never");
	if (!s.mappings || share(&s, 0) * s.page < s.huge)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"hugepage=madvise: size=%s in vmas=%s has no mapping of %zu bytes, which is a "
			"huge page",
			cast_string(cast, "size"), cast_string(cast, "vmas"), s.huge);
	return true;
}

/* What the kernel keeps for a mapping (vm_area_struct, anon_vma, …), roughly. */
enum { MAPPING_BYTES = 512 };

bool space_supported(const struct cast *cast, double *ret_bytes, struct error *err)
{
	double bytes = cast_number(cast, "size") * cast_number(cast, "touch");

	if (!cast_whole_pages(cast, "size", err))
		return false;
	if (cast_integer(cast, "size") && !cast_integer(cast, "vmas"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "size=%s with vmas=0: there is nothing to have it in",
				 cast_string(cast, "size"));
	if (!has_huge_pages(cast, err))
		return false;
	/* A page table entry has 8 bytes at most. */
	*ret_bytes = bytes + bytes / (double)sysconf(_SC_PAGESIZE) * 8 +
		     cast_number(cast, "vmas") * MAPPING_BYTES;
	return true;
}
