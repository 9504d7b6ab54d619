// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/units.h"

static size_t huge_page_bytes(void)
{
	char *line __free(memory) =
		file_read_line("", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	struct error ignored;
	int64_t bytes;

	return line && units_parse_bytes(line, &bytes, &ignored) ? (size_t)bytes : 0;
}

void space_init(struct space *s, int64_t bytes, int64_t mappings, double touched_ratio)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*s = (struct space){
		.page = page,
		.huge = huge_page_bytes(),
		.pages = ((size_t)bytes + page - 1) / page,
		.mappings = (size_t)mappings,
		.touched_ratio = touched_ratio,
	};
}

/* The number of touched pages among the first n. */
static size_t touched_before(const struct space *s, size_t n)
{
	return (size_t)((double)n * s->touched_ratio);
}

size_t space_touched_pages(const struct space *s)
{
	return touched_before(s, s->pages);
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

/* All pages of a mapping, in one call where the kernel has it (Linux 5.14). */
static bool populate(char *at, size_t bytes, size_t page)
{
	if (!madvise(at, bytes, MADV_POPULATE_WRITE))
		return true;
	if (errno != EINVAL)
		return false;
	for (size_t offset = 0; offset < bytes; offset += page)
		((volatile char *)at)[offset] = 1;
	return true;
}

static bool touch(const struct space *s, struct space_state *state)
{
	char *at = (char *)state->low;
	size_t before = 0;

	for (size_t i = 0; i < s->mappings; i++) {
		size_t pages = share(s, i);
		size_t touched = touched_before(s, before + pages) - touched_before(s, before);

		if (touched && touched == pages && !populate(at, pages * s->page, s->page))
			return false;
		for (size_t k = 0; touched && touched < pages && k < pages; k++) {
			if (touched_before(s, before + k + 1) > touched_before(s, before + k))
				((volatile char *)at)[k * s->page] = 1;
		}
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
