/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_SPACE_H
#define CONTEND_WORKLOAD_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Anonymous private memory in a given number of mappings, as a process builds it for itself. Behind
 * each mapping a page is unmapped: neighbours do not merge, and have an anon_vma each. All are
 * alike; the pages are dealt out evenly, and a mapping that gets none has one that is never
 * touched.
 */
struct space {
	size_t page;
	size_t huge; /* size of a huge page, to which the first mapping is aligned; 0: none */
	size_t pages;
	size_t mappings;
	double touched_ratio; /* of pages, evenly spread */
};

/* What was built, or how far that came; in memory that both sides of a fork see. */
struct space_state {
	uintptr_t low, high; /* all mappings lie in between */
	size_t mapped;	     /* so many of them are there */
	size_t touched;	     /* so many of them have been touched */
};

void space_init(struct space *s, int64_t bytes, int64_t mappings, double touched_ratio);

/* How many pages are written. */
size_t space_touched_pages(const struct space *s);

/* Builds it. Allocates nothing from the heap; false with errno on failure. */
bool space_build(const struct space *s, struct space_state *state);

#endif
