// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*failure_handler)(void);
static void *brk_guard;

void memory_on_failure(void (*handler)(void))
{
	failure_handler = handler;
}

static void fail(void)
{
	if (failure_handler)
		failure_handler();
	abort();
}

void *memory_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p)
		fail();
	return p;
}

void *memory_array(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		fail();
	return memory_alloc(bytes);
}

void *memory_grow(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);

	if (!p)
		fail();
	return p;
}

char *memory_string(const char *text)
{
	char *copy;

	if (!text)
		return NULL;
	copy = strdup(text);
	if (!copy)
		fail();
	return copy;
}

void memory_brk_guard(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t top;
	void *at;

	if (brk_guard)
		return;
	/* free() must not lower the break either: it could then grow again, up to the guard. */
	mallopt(M_TRIM_THRESHOLD, -1);
	top = ((uintptr_t)sbrk(0) + page - 1) & ~(page - 1);
	at = mmap((void *)top, page, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	/* Something is mapped there already: then the break cannot grow anyway. */
	if (at == MAP_FAILED)
		return;
	/* A kernel before 4.17 takes the address for a hint and may have chosen another one. */
	if (at == (void *)top)
		brk_guard = at;
	else
		munmap(at, page);
}

void memory_brk_release(void)
{
	if (brk_guard)
		munmap(brk_guard, (size_t)sysconf(_SC_PAGESIZE));
	brk_guard = NULL;
}
