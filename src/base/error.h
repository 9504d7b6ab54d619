/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_ERROR_H
#define CONTEND_BASE_ERROR_H

#include <stdbool.h>

/*
 * The error object. It belongs to the caller, lives on the stack, needs no allocation and is never
 * NULL. A function that can fail takes it as its last parameter and touches it only on failure.
 * A message reads from outside in, like a path down the call stack:
 *
 *	run 7 (arm B): start the agent: open /dev/null: Permission denied
 */

/* Each code has one consequence: the exit status that cli/ derives from it. */
enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,	   /* the request cannot be meant: status 2 */
	ERROR_UNSUPPORTED, /* this machine lacks what is needed: status 4 */
	ERROR_SYSTEM,	   /* a system call or a library failed: status 4 */
	ERROR_DATA,	   /* a file or an answer is damaged or not ours: status 4 */
	ERROR_TIMEOUT,	   /* something did not end in time: status 4 */
	ERROR_INTERRUPTED, /* the user stopped it: status 5 */
};

struct error {
	enum error_code code;
	char text[1024];
};

/* Sets code and message. Returns false, so that set-and-return is one line. */
bool error_set(struct error *err, enum error_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with ": " and the text of errno behind the message; the code is ERROR_SYSTEM. */
bool error_set_errno(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts context and ": " before the message that err already holds. Returns false. */
bool error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Lets the compiler see that they return false. It would otherwise believe that a function which
 * ends in `return error_set(...)` may have succeeded without writing its outputs, and warn.
 */
static inline bool error_false(void)
{
	return false;
}

#define error_set(...) (error_set(__VA_ARGS__), error_false())
#define error_set_errno(...) (error_set_errno(__VA_ARGS__), error_false())
#define error_wrap(...) (error_wrap(__VA_ARGS__), error_false())

#endif
