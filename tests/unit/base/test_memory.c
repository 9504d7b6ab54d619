// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

static void test_alloc(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes < 5000; bytes += 97) {
		unsigned char *p = memory_alloc(bytes);

		assert_non_null(p);
		for (size_t i = 0; i < (bytes ? bytes : 1); i++)
			assert_int_equal(p[i], 0);
		free(p);
	}
}

static void test_array(void **state)
{
	int *numbers = memory_array(1000, sizeof(*numbers));
	void *none = memory_array(0, sizeof(*numbers));

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], 0);
	assert_non_null(none);
	free(none);
	free(numbers);
}

static void test_grow(void **state)
{
	char *p = memory_grow(NULL, 0);

	(void)state;
	assert_non_null(p);
	p = memory_grow(p, 4);
	memcpy(p, "abc", 4);
	p = memory_grow(p, 1 << 20);
	assert_string_equal(p, "abc");
	p = memory_grow(p, 0);
	assert_non_null(p);
	free(p);
}

static void test_string(void **state)
{
	const char *text = "smaps";
	char *copy = memory_string(text);
	char *empty = memory_string("");

	(void)state;
	assert_string_equal(copy, text);
	assert_ptr_not_equal(copy, text);
	assert_string_equal(empty, "");
	assert_null(memory_string(NULL));
	free(copy);
	free(empty);
}

/* Runs a function in a child and returns the child's wait status. */
static int status_of(void (*function)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		function();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void leave(void)
{
	_exit(42);
}

/* Wraps around to 4 bytes. */
static void overflow(void)
{
	free(memory_array(SIZE_MAX / 4 + 2, 4));
}

static void overflow_handled(void)
{
	memory_on_failure(leave);
	overflow();
}

static void overflow_unhandled(void)
{
	signal(SIGABRT, SIG_DFL);
	overflow();
}

static void test_overflow(void **state)
{
	int status;

	(void)state;
	status = status_of(overflow_handled);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	status = status_of(overflow_unhandled);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

/*
 * The checks below run in a child, since the guard is one a process. Blocks of 64 KiB come from the
 * break where malloc() can: only from 128 KiB on does glibc map them.
 */
enum { BLOCKS = 256 };

#define CHECK(condition, status)                                                                   \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(status);                                                             \
	} while (0)

static void *blocks[2 * BLOCKS];

static void allocate(size_t from, size_t bytes)
{
	for (size_t i = from; i < from + BLOCKS; i++) {
		blocks[i] = malloc(bytes);
		CHECK(blocks[i], 90);
		memset(blocks[i], 1, bytes);
	}
}

static void release(size_t from)
{
	for (size_t i = from; i < from + BLOCKS; i++)
		free(blocks[i]);
}

static void guard_holds(void)
{
	void *top;

	allocate(0, 64 << 10);
	memory_brk_guard();
	top = sbrk(0);
	CHECK(sbrk(1 << 20) == (void *)-1, 1);
	allocate(BLOCKS, 64 << 10);
	CHECK(sbrk(0) == top, 2);
	release(BLOCKS);
	CHECK(sbrk(0) == top, 3);
	release(0);
	CHECK(sbrk(0) == top, 4);
	for (size_t bytes = 16; bytes <= 1 << 20; bytes *= 4) {
		allocate(0, bytes);
		CHECK(sbrk(0) == top, 5);
		release(0);
		CHECK(sbrk(0) == top, 6);
	}
}

/*
 * Freeing what lies right below the break makes glibc lower the break, as long as it has not had to
 * leave it.
 */
static void guard_trim(void)
{
	void *top;

	allocate(0, 64 << 10);
	memory_brk_guard();
	top = sbrk(0);
	release(0);
	CHECK(sbrk(0) == top, 1);
	allocate(0, 64 << 10);
	allocate(BLOCKS, 64 << 10);
	CHECK(sbrk(0) == top, 2);
}

/* The same where malloc() has never been at the break before. */
static void guard_first(void)
{
	void *top;

	memory_brk_guard();
	top = sbrk(0);
	allocate(0, 1000);
	allocate(BLOCKS, 100 << 10);
	CHECK(sbrk(0) == top, 1);
	release(0);
	release(BLOCKS);
	CHECK(sbrk(0) == top, 2);
}

/* A break that ends within a page: the rest of that page is all that is left to it. */
static void guard_odd_break(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *top;

	CHECK(sbrk(page / 2 - (intptr_t)((uintptr_t)sbrk(0) % page)) != (void *)-1, 1);
	memory_brk_guard();
	top = sbrk(0);
	CHECK(sbrk((intptr_t)page) == (void *)-1, 2);
	allocate(0, 64 << 10);
	CHECK(sbrk(0) == top, 3);
}

static void guard_released(void)
{
	memory_brk_guard();
	/* A second call changes nothing, and does not forget the first one's page. */
	memory_brk_guard();
	CHECK(sbrk(1 << 20) == (void *)-1, 1);
	memory_brk_release();
	CHECK(sbrk(1 << 20) != (void *)-1, 2);
	CHECK(sbrk(-(1 << 20)) != (void *)-1, 3);
	memory_brk_release();
	memory_brk_guard();
	CHECK(sbrk(1 << 20) == (void *)-1, 4);
}

static void test_guard(void **state)
{
	(void)state;
	assert_int_equal(status_of(guard_holds), 0);
	assert_int_equal(status_of(guard_trim), 0);
	assert_int_equal(status_of(guard_first), 0);
	assert_int_equal(status_of(guard_odd_break), 0);
	assert_int_equal(status_of(guard_released), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_grow),
		cmocka_unit_test(test_string),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_guard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
