/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_MEMORY_H
#define CONTEND_BASE_MEMORY_H

#include <stddef.h>

/*
 * Heap memory that is never NULL.
 *
 * A failed allocation ends the process through the handler that main() installed: what has been
 * measured is already durable in the store, and no caller could do better than say so and stop.
 * Memory is released with free().
 */

/* Sets what a failed allocation calls. It must not return; without one the process aborts. */
void memory_on_failure(void (*handler)(void));

/* Returns zeroed memory of at least one byte. */
void *memory_alloc(size_t bytes) __attribute__((malloc, warn_unused_result));

/* Returns zeroed memory for count things of size bytes each; a product that overflows fails. */
void *memory_array(size_t count, size_t size) __attribute__((malloc, warn_unused_result));

/* Like realloc(); the new tail is not zeroed. */
void *memory_grow(void *old, size_t bytes) __attribute__((warn_unused_result));

/* Returns a copy of a string; NULL gives NULL. */
char *memory_string(const char *text) __attribute__((warn_unused_result));

/*
 * Keeps malloc() off the program break from now on, by a guard page right above it, so that the
 * break belongs to whoever measures it. glibc falls back to mmap() when brk() fails.
 * memory_brk_release() removes the guard again (in a child that is about to use the break).
 */
void memory_brk_guard(void);
void memory_brk_release(void);

#endif
