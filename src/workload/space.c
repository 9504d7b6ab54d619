// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/space.h"

#include <sys/mman.h>
#include <unistd.h>

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

static size_t span_of(const struct space *s)
{
	size_t pages = s->pages > s->mappings ? s->pages : s->mappings;

	return (pages + s->mappings) * s->page;
}

/* Makes one mapping and unmaps a page behind each part of it. */
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
	state->low = (uintptr_t)at;
	state->high = (uintptr_t)at + span;
	for (size_t i = 0; i < s->mappings; i++) {
		at += bytes_of(s, i);
		if (munmap(at, s->page))
			return false;
		at += s->page;
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
		at += bytes_of(s, i) + s->page;
		state->touched++;
	}
	return true;
}

bool space_build(const struct space *s, struct space_state *state)
{
	*state = (struct space_state){0};
	return !s->mappings || (divide(s, state) && touch(s, state));
}
