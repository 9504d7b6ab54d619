/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_SPACE_H
#define CONTEND_WORKLOAD_SPACE_H

#include "workload/workload.h"

/*
 * Whether the kernel may use transparent huge pages in it; also the words of hugepage=, in this
 * order.
 */
enum space_thp { SPACE_THP_SYSTEM, SPACE_THP_NEVER, SPACE_THP_MADVISE };

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
	enum space_thp thp;
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

/*
 * Sets the error of a space that could not be built, from errno: ERROR_UNSUPPORTED where that is a
 * limit. Returns false.
 */
bool space_refuse(const struct space *s, const struct space_state *state, struct error *err);

/* Writes a share of the pages that were touched again, evenly spread, a byte each. */
void space_write(const struct space *s, const struct space_state *state, double ratio);

/* ---- as parameters of a workload ---- */

/* size=, vmas=, touch= and hugepage=. WHOSE: "of a child"; MORE: what else is to be said of vmas=. */
#define SPACE_PARAMS(WHOSE, MORE)                                                                  \
	{"size", PARAM_BYTES, "16M", .high = 0x1p46,                                               \
	 .help = "anonymous memory " WHOSE ", in whole pages; 0: none"},                           \
		{"vmas", PARAM_COUNT, "1", .high = 1e6,                                            \
		 .help = "mappings that it is divided into, at least a page each, and a page that " \
			 "is not mapped behind each" MORE},                                        \
		{"touch", PARAM_PERCENT, "100%", .high = 1,                                        \
		 .help = "share of its pages that is written, evenly spread; huge pages fill "     \
			 "more"},                                                                  \
		{"hugepage", PARAM_CHOICE, "system", .choices = "system|never|madvise",            \
		 .help = "transparent huge pages in it: as this system has them, none, or asked "  \
			 "for by MADV_HUGEPAGE; the metric huge_pages says what came of it"}

/* Takes them. */
void space_take(struct space *s, const struct cast *cast);

/*
 * For supported(): false where they do not go together, or ask for huge pages that the machine or
 * the mappings cannot have. *ret_bytes: what one space takes, its page tables and mappings
 * included, roughly.
 */
bool space_supported(const struct cast *cast, double *ret_bytes, struct error *err);

#endif
