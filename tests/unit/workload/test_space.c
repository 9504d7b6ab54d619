// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "workload/space.h"

/* What the kernel says about it. */
struct seen {
	size_t mappings, pages, resident, most, least; /* most, least: pages of a mapping */
};

static struct seen look(const struct space *s, const struct space_state *state)
{
	FILE *maps __free(file) = fopen("/proc/self/maps", "re");
	struct seen seen = {.least = SIZE_MAX};
	unsigned long begin, end;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		size_t pages;

		assert_int_equal(sscanf(line, "%lx-%lx", &begin, &end), 2);
		if (begin < state->low || begin >= state->high)
			continue;
		pages = (end - begin) / s->page;
		seen.mappings++;
		seen.pages += pages;
		seen.most = pages > seen.most ? pages : seen.most;
		seen.least = pages < seen.least ? pages : seen.least;
		for (size_t i = 0; i < pages; i++) {
			unsigned char there = 0;

			assert_int_equal(mincore((char *)begin + i * s->page, 1, &there), 0);
			seen.resident += there & 1;
		}
	}
	return seen;
}

static struct seen build(size_t pages, size_t mappings, double touched)
{
	struct space s;
	struct space_state state;
	struct seen seen;

	space_init(&s, (int64_t)pages * sysconf(_SC_PAGESIZE), (int64_t)mappings, touched);
	/* A huge page of any size that a single write makes resident would be counted whole. */
	s.huge = 0;
	s.thp = SPACE_THP_NEVER;
	assert_true(space_build(&s, &state));
	assert_int_equal(state.mapped, mappings);
	assert_int_equal(state.touched, mappings);
	seen = look(&s, &state);
	assert_int_equal(seen.resident, space_touched_pages(&s));
	munmap((char *)state.low, state.high - state.low);
	return seen;
}

static void test_even(void **state)
{
	struct seen seen = build(100, 1, 1);

	(void)state;
	assert_int_equal(seen.mappings, 1);
	assert_int_equal(seen.resident, 100);
	seen = build(100, 7, 1);
	assert_int_equal(seen.mappings, 7);
	assert_int_equal(seen.pages, 100);
	assert_int_equal(seen.most, 15);
	assert_int_equal(seen.least, 14);
}

static void test_touched(void **state)
{
	struct seen seen = build(100, 3, 0.25);

	(void)state;
	assert_int_equal(seen.pages, 100);
	assert_int_equal(seen.resident, 25);
	assert_int_equal(build(100, 3, 0).resident, 0);
	assert_int_equal(build(100, 100, 0.5).resident, 50);
}

/* More mappings than pages: those that get none have one that nobody touches. */
static void test_empty_mappings(void **state)
{
	struct seen seen = build(0, 50, 1);

	(void)state;
	assert_int_equal(seen.mappings, 50);
	assert_int_equal(seen.pages, 50);
	assert_int_equal(seen.resident, 0);
	seen = build(10, 50, 1);
	assert_int_equal(seen.pages, 50);
	assert_int_equal(seen.resident, 10);
}

static void test_nothing(void **state)
{
	struct space s;
	struct space_state built;

	(void)state;
	space_init(&s, 0, 0, 1);
	assert_true(space_build(&s, &built));
	assert_int_equal(built.low, 0);
	assert_int_equal(built.high, 0);
}

/* A large one begins where a huge page can. */
static void test_aligned(void **state)
{
	struct space s;
	struct space_state built;

	(void)state;
	space_init(&s, 8 << 20, 1, 0);
	assert_true(space_build(&s, &built));
	if (s.huge && s.huge <= 8 << 20)
		assert_int_equal(built.low % s.huge, 0);
	munmap((char *)built.low, built.high - built.low);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_even),	       cmocka_unit_test(test_touched),
		cmocka_unit_test(test_empty_mappings), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_aligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
