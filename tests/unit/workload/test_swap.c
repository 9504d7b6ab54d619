// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "bench.h"
#include "workload/content.h"
#include "workload/crew/machine.h"

enum { PAGE = 4096, WORDS = PAGE / sizeof(uint64_t) };

/* How many words of a page are not zero. */
static size_t words_in(const uint64_t *page)
{
	size_t n = 0;

	for (size_t i = 0; i < WORDS; i++)
		n += !!page[i];
	return n;
}

static void test_content(void **state)
{
	static const double ratios[] = {0, 0.25, 0.5, 1};
	uint64_t *page __free(memory) = memory_alloc(PAGE);
	uint64_t *other __free(memory) = memory_alloc(PAGE);

	(void)state;
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		size_t random = (size_t)(ratios[i] * WORDS);
		struct content c;

		content_init(&c, PAGE, ratios[i], 1);
		memset(page, 0, PAGE);
		memset(other, 0, PAGE);
		content_fill(&c, (char *)page, 0);
		content_fill(&c, (char *)other, 1);
		/*
		 * The share is random; beside it the first word is never zero, nor that of others.
		 */
		assert_int_equal(words_in(page), random ? random : 1);
		assert_int_equal(page[0], 1);
		assert_int_equal(other[0], 2);
		for (size_t k = 1; k < random; k++)
			assert_true(page[k] != other[k] && page[k] != page[k - 1]);
		/* The same page has the same content, in every run of one seed. */
		content_fill(&c, (char *)other, 0);
		assert_memory_equal(page, other, PAGE);
		/* The last of a region is filled from within the pool. */
		content_fill(&c, (char *)other, SIZE_MAX / 2048);
		free(c.pool);
	}
}

/* Without a page that was swapped out nothing was measured. */
static void test_confirm(void **state)
{
	const struct workload *w = workload_find("swap");
	struct machine m;
	struct error err;

	(void)state;
	machine_init(&m, "", NULL, w->machine);
	assert_false(w->confirm(&m, &err));
	m.end_ns = 1;
	assert_false(w->confirm(&m, &err));
	assert_int_equal(err.code, ERROR_DATA);
	assert_non_null(strstr(err.text, "no page was swapped out in the window"));
	m.after[0] = 1;
	assert_true(w->confirm(&m, &err));
}

static void assert_refused(const char *words, const char *reason)
{
	json_t *values __free(json) = values_of(words);
	struct error err;

	if (crew_supported(workload_find("swap"), values, &err))
		fail_msg("%s is supported", words);
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	/* With swap there is not as much of it. */
	if (!strstr(err.text, "no swap is on") && !strstr(err.text, reason))
		fail_msg("%s: %s", words, err.text);
}

static void test_refusals(void **state)
{
	json_t *values __free(json) = values_of("access=read prefault=no");
	struct error err;

	(void)state;
	assert_refused("size=64T", "what there is room for: ");
	assert_refused("size=64T pattern=zero_sequential", " of swap");
	/* There would be nothing to bring out: a page that is only read is the zero page. */
	assert_false(crew_check(workload_find("swap"), values, &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_content),
		cmocka_unit_test(test_confirm),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
